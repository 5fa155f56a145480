@_spi(Server) import TreelineBuilder

extension LiveIndex {
  struct Request: Sendable {
    let batch: LiveBatch
    let continuation: CheckedContinuation<LiveAnswer, any Error>
  }

  /// The remembered answer to a batch, stored under the name of the batch.
  struct Known: Sendable {
    let digest: UInt64
    let answer: LiveAnswer
  }

  struct State {
    var map: Map
    /// Version number of the map.
    var mapSequence: UInt64
    /// Hash of the batches in the map, see `LiveRecord.history`.
    var mapHistory: UInt64
    /// Length of the log up to the end of the last batch that the map contains.
    var mapLogLength: Int
    /// Changes that the next map will contain.
    var applying: [PointKey: KeyedPoint?] = [:]
    /// Changes that were made later than the changes in `applying`.
    var pending: [PointKey: KeyedPoint?] = [:]
    /// Time of the oldest batch in `pending`.
    var pendingSince: ContinuousClock.Instant?
    var pace = MapPace()
    /// Number of the newest version.
    var sequence: UInt64
    /// Hash of all batches, see `LiveRecord.history`.
    var history: UInt64
    /// Number of points in the newest version.
    var pointCount: Int
    /// Length of the log.
    var logLength: Int
    var known: [String: Known] = [:]
    /// Names of the batches in `known`, the oldest first. Names at indices below `orderStart` do not count, because
    /// their batches are no longer in `known`.
    var order: [String] = []
    var orderStart = 0
    var waiting: [Request] = []
    /// Total length of the batches that are being received or wait to be written, in bytes.
    var reservedBytes = 0
    var isWriting = false
    var isMapping = false
    /// Limit, in bytes, for the length of the log up to the last batch that the map contains. If this length exceeds
    /// the limit, the index file is written again.
    var compactionLength: Int
    /// The reason why no further map can be made; nil if maps can be made.
    var failure: String?
  }
}

extension LiveIndex.State {
  /// Whether the index file must be written again, because batches that are already in the map take too much of the
  /// log.
  var isCompactionDue: Bool { mapLogLength > compactionLength && applying.isEmpty }

  /// Returns how many points are inserted, replaced and removed by `changes`. The changes in `overlay` are applied
  /// before `changes`.
  func effect(
    of changes: [PointKey: KeyedPoint?], after overlay: [PointKey: KeyedPoint?]
  ) -> (inserted: Int, replaced: Int, removed: Int) {
    var (inserted, replaced, removed) = (0, 0, 0)
    for (key, point) in changes {
      let last = overlay[key] ?? pending[key] ?? applying[key]
      let exists = last.map { $0 != nil } ?? map.contains(key)
      switch (point, exists) {
      case (.some, true): replaced += 1
      case (.some, false): inserted += 1
      case (nil, true): removed += 1
      case (nil, false): break
      }
    }
    return (inserted, replaced, removed)
  }

  mutating func remember(_ entry: LiveRecord.Entry) {
    sequence = entry.answer.sequence
    history = LiveRecord.history(history, id: entry.id, digest: entry.digest)
    known[entry.id] = LiveIndex.Known(digest: entry.digest, answer: entry.answer)
    order.append(entry.id)
    while order.count - orderStart > LiveIndex.mostKnown {
      known[order[orderStart]] = nil
      orderStart += 1
    }
    if orderStart > LiveIndex.mostKnown {
      order.removeFirst(orderStart)
      orderStart = 0
    }
  }

  /// Returns the remembered answers to all batches up to a version, the oldest first.
  func answers(upTo sequence: UInt64) -> [LiveRecord.Entry] {
    order[orderStart...].compactMap { id in
      guard let known = known[id], known.answer.sequence <= sequence else { return nil }
      return LiveRecord.Entry(id: id, digest: known.digest, answer: known.answer)
    }
  }
}

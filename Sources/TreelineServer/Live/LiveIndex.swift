import Foundation
import HTTPTypes
import Logging
import NIOPosix
import Synchronization
@_spi(Server) import Treeline
@_spi(Server) import TreelineBuilder
@_spi(Server) import TreelineFormats

/// An index whose points can be added, changed and removed while it is served.
///
/// A batch of changes is answered when it is on the disk, in a log beside the index. One thread writes the log, and
/// batches that arrive during a write share the next record. Another thread makes the next map from all batches since
/// the last map. A version answers queries until the next version is complete, so no query waits for an edit.
///
/// When the log is long, the newest map is written as the new index file, and the batches in this map are removed from
/// the log. If the process ends between these two steps, the next start applies the batches again. Applying a batch
/// twice gives the same points as applying it once, because a batch sets or removes whole points.
public final class LiveIndex: Sendable {
  fileprivate typealias Map = ClusterMap<KeyedPoint>

  fileprivate struct Request: Sendable {
    let batch: LiveBatch
    let continuation: CheckedContinuation<LiveAnswer, any Error>
  }

  /// The remembered answer to a batch, stored under the name of the batch.
  fileprivate struct Known: Sendable {
    let digest: UInt64
    let answer: LiveAnswer
  }

  fileprivate struct State {
    var map: Map
    /// Version number of the map, and length of the log up to the last batch in the map.
    var mapSequence: UInt64
    var mapLogLength: Int
    /// Changes that the next map will contain (`applying`), and later changes (`pending`).
    var applying: [PointKey: KeyedPoint?] = [:]
    var pending: [PointKey: KeyedPoint?] = [:]
    /// Time of the oldest batch in `pending`.
    var pendingSince: ContinuousClock.Instant?
    var pace = MapPace()
    /// Number of the newest version, the number of points in that version, and the length of the log.
    var sequence: UInt64
    var pointCount: Int
    var logLength: Int
    var known: [String: Known] = [:]
    /// Names of the batches in `known`, the oldest first, from `orderStart` on.
    var order: [String] = []
    var orderStart = 0
    var waiting: [Request] = []
    /// Total length of the batches that are being received or waiting, in bytes.
    var reservedBytes = 0
    var isWriting = false
    var isMapping = false
    /// Length of the log, in bytes, at which the index file is written again.
    var compactionLength: Int
    /// The reason why no further map can be made; nil if maps can be made.
    var failure: String?
  }

  /// Name under which the index is served.
  public let name: String
  private let path: String
  private let key: Column
  private let columns: [Column]
  private let log: EditLog
  /// A random number that is part of each version, so that versions of different logs differ.
  private let logName: UInt64
  private let description: IndexDescription
  private let filterBytes: Int
  private let longestLog: Int
  private let logger: Logger
  private let state: Mutex<State>
  let versions: IndexVersions
  private let writer = DispatchQueue(label: "treeline.live.log")
  /// A thread of low priority, and a thread of the usual priority. Only one of the two threads makes maps at a time.
  private let mapper = NIOThreadPool(numberOfThreads: 1)
  private let hurriedMapper = NIOThreadPool(numberOfThreads: 1)

  /// Maximum number of points.
  static let mostPoints = 10_000_000
  /// Maximum number of remembered answers.
  static let mostKnown = 65_536
  /// Maximum total length of the batches that are being received or waiting, in bytes.
  private static let mostReservedBytes = 64 << 20
  /// Maximum total length of the batches in one record, in bytes.
  private static let longestGroup = 8 << 20
  /// Default of `logBytes`: 64 MiB.
  public static let standardLogBytes = 64 << 20

  /// Opens an index and the log beside it, and applies the batches in the log.
  ///
  /// - Parameters:
  ///   - name: Name under which the index is served.
  ///   - path: Path of the index. The log is beside the index file, even if the path is a symbolic link. The name of
  ///     the log is the name of the index file with `.log` at the end.
  ///   - keyName: Name of the column with the keys that identify the points.
  ///   - logBytes: Length of the log at which the index file is written again, in bytes.
  ///   - filterBytes: Memory for prepared filters of the index, in bytes.
  ///   - logFormat: Format of messages about the log and about maps that cannot be made.
  /// - Throws: `IndexError`, `LiveError`. Errors of the log and of the build.
  /// - Complexity: As for a build of all points.
  public init(
    name: String, path: String, key keyName: String, logBytes: Int = LiveIndex.standardLogBytes,
    filterBytes: Int = Catalog.standardFilterBytes, logFormat: LogFormat = .text
  ) throws {
    let output = LogOutput()
    var logger = Logger(label: "treeline") { ServerLogHandler($0, logFormat, to: output) }
    logger.logLevel = .notice
    // The log is locked before the points are read, so that no other server writes the index in between.
    _ = try LoadedIndex.checksum(ofIndex: path)
    // Links are resolved, so that two links to the same index share one log. The lock of the log admits only one server
    // at a time.
    let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let logPath = path + ".log"
    let (log, records, removed) = try Self.openLog(logPath)
    let index = try LoadedIndex(copying: path)
    if removed > 0 {
      logger.notice(
        "Dropped the incomplete last record of a log", metadata: ["log": "\(logPath)", "bytes": "\(removed)"])
    }
    var map: Map
    do { map = try Map(editing: index.tree, key: keyName, threads: 1) } catch let error as LiveIndexError {
      // This index cannot be a live index, and its log is new and empty. So the log is removed.
      if records.isEmpty { log.remove() }
      throw LiveError.unsuitable(path: path, "\(error)")
    }
    let columns = map.tree.columns
    guard let key = columns.first(where: { $0.name == keyName }) else { preconditionFailure("The map has a key") }
    var (known, order): ([String: Known], [String]) = ([:], [])
    func remember(_ entry: LiveRecord.Entry) {
      known[entry.id] = Known(digest: entry.digest, answer: entry.answer)
      order.append(entry.id)
    }
    var start = LiveRecord(
      log: .random(in: .min ... .max), sequence: 0, indexChecksum: index.checksum, answers: [])
    var sequence: UInt64 = 0
    if let bytes = records.first {
      guard let read = LiveRecord(bytes) else { throw LiveError.unreadable(path: logPath, record: 1, nil) }
      (start, sequence) = (read, read.sequence)
      read.answers.forEach(remember)
      var changes: [PointKey: KeyedPoint?] = [:]
      for (number, record) in records.enumerated().dropFirst() {
        guard let entries = LiveRecord.entries(record[...]) else {
          throw LiveError.unreadable(path: logPath, record: number + 1, nil)
        }
        for entry in entries {
          do {
            let batch = try LiveBatch(id: entry.id, lines: entry.lines, columns: columns, key: key)
            changes.merge(batch.changes) { $1 }
          } catch let error as PointChangeError {
            throw LiveError.unreadable(path: logPath, record: number + 1, "batch \(entry.id), \(error)")
          }
          sequence = entry.answer.sequence
          remember(entry)
        }
      }
      map = try map.updating(changes)
    }
    // If the log belongs to another index, the versions get new names. The batches stay in the log.
    if records.isEmpty || start.indexChecksum != index.checksum {
      (start.log, start.indexChecksum) = (.random(in: .min ... .max), index.checksum)
      let length = records.first.map(EditLog.length(ofRecord:)) ?? 0
      try log.replace(startingWith: start.bytes, keepingFrom: length)
    }
    (self.name, self.path, self.key, self.columns) = (name, path, key, columns)
    (self.log, logName, self.filterBytes, longestLog) = (log, start.log, filterBytes, logBytes)
    (self.logger, description) = (logger, index.tree.indexDescription)
    versions = IndexVersions(
      ServedIndex(
        name: name, tree: map.tree, description: description, key: keyName,
        version: Self.version(sequence, of: start.log), sequence: sequence, filterBytes: filterBytes))
    state = Mutex(
      State(
        map: map, mapSequence: sequence, mapLogLength: log.length, sequence: sequence,
        pointCount: map.values.count, logLength: log.length, known: known, order: order, compactionLength: logBytes))
    mapper.start()
    hurriedMapper.start()
    startMapping()
  }

  private static func openLog(_ path: String) throws -> (log: EditLog, records: [[UInt8]], removed: Int) {
    do throws(EditLogError) { return try EditLog.open(path) } catch {
      if case .damaged = error { throw LiveError.damaged("\(error)") }
      throw error
    }
  }

  private static func version(_ sequence: UInt64, of log: UInt64) -> String {
    ContentHash.digits(of: "\(log) \(sequence)".utf8)
  }

  /// The newest version.
  var current: ServedIndex { versions.newest }

  /// Figures of a live index for the metrics.
  struct Counts {
    let batches, waitingBatches, points, logBytes: Int
    let hasFailed: Bool
  }

  var counts: Counts {
    state.withLock { state in
      Counts(
        batches: Int(clamping: state.sequence), waitingBatches: Int(clamping: state.sequence &- state.mapSequence),
        points: state.pointCount, logBytes: state.logLength, hasFailed: state.failure != nil)
    }
  }

  deinit {
    for pool in [mapper, hurriedMapper] { pool.shutdownGracefully { _ in } }
  }

  // MARK: Writing

  /// Receives a batch, writes it to the log and returns the answer to it.
  ///
  /// - Parameter length: Maximum length of the lines, in bytes.
  /// - Throws: `Problem`. Errors of `receive`.
  func apply(id: String, length: Int, receive: () async throws -> [UInt8]) async throws -> LiveAnswer {
    let hasRoom = state.withLock { state in
      guard state.reservedBytes + length <= Self.mostReservedBytes else { return false }
      state.reservedBytes += length
      return true
    }
    guard hasRoom else { throw Problem.tooManyBatches }
    defer { state.withLock { $0.reservedBytes -= length } }
    return try await apply(id: id, lines: receive())
  }

  private func apply(id: String, lines: [UInt8]) async throws -> LiveAnswer {
    let batch: LiveBatch
    do {
      batch = try await NIOThreadPool.singleton.runIfActive { [columns, key] in
        try LiveBatch(id: id, lines: lines, columns: columns, key: key)
      }
    } catch let error as PointChangeError {
      throw Problem(status: .unprocessableContent, detail: "No change of the batch was kept: \(error).")
    }
    return try await withCheckedThrowingContinuation { continuation in
      let isIdle = state.withLock { state in
        state.waiting.append(Request(batch: batch, continuation: continuation))
        defer { state.isWriting = true }
        return !state.isWriting
      }
      if isIdle { writer.async { self.write() } }
    }
  }

  /// Writes batches until none is waiting.
  private func write() {
    while let requests = nextGroup() {
      var results: [Result<LiveAnswer, any Error>] = []
      var overlay: [PointKey: KeyedPoint?] = [:]
      var entries: [(request: Int, entry: LiveRecord.Entry)] = []
      var pointCount = 0
      state.withLock { state in
        pointCount = state.pointCount
        var sequence = state.sequence
        var known: [String: Known] = [:]
        for request in requests {
          let batch = request.batch
          if let failure = state.failure {
            results.append(.failure(Problem.liveFailure(failure)))
          } else if let answered = known[batch.id] ?? state.known[batch.id] {
            results.append(
              answered.digest == batch.digest ? .success(answered.answer) : .failure(Problem.otherBatch))
          } else {
            let (inserted, replaced, removed) = state.effect(of: batch.changes, after: overlay)
            guard pointCount + inserted - removed <= LiveIndex.mostPoints else {
              results.append(.failure(Problem.tooManyPoints))
              continue
            }
            pointCount += inserted - removed
            sequence += 1
            let answer = LiveAnswer(sequence: sequence, inserted: inserted, replaced: replaced, removed: removed)
            overlay.merge(batch.changes) { $1 }
            known[batch.id] = Known(digest: batch.digest, answer: answer)
            let entry = LiveRecord.Entry(id: batch.id, digest: batch.digest, answer: answer, lines: batch.lines)
            entries.append((results.count, entry))
            results.append(.success(answer))
          }
        }
      }
      if !entries.isEmpty {
        do {
          var record: [UInt8] = []
          for (_, entry) in entries { LiveRecord.append(entry, to: &record) }
          try log.append(record)
          state.withLock { state in
            if state.pending.isEmpty { state.pendingSince = .now }
            state.pending.merge(overlay) { $1 }
            (state.pointCount, state.logLength) = (pointCount, log.length)
            for (_, entry) in entries { state.remember(entry) }
          }
          startMapping()
        } catch {
          logger.error("Refused batches", metadata: ["index": "\(name)", "error": "\(error)"])
          let ids = Set(entries.map(\.entry.id))
          // A batch that occurs twice in this group got the answer to its first copy. Writing the first copy has now
          // failed, so the second copy has failed, too.
          for (number, request) in requests.enumerated() where ids.contains(request.batch.id) {
            if case .success = results[number] { results[number] = .failure(Problem(ofLog: error)) }
          }
        }
      }
      for (request, result) in zip(requests, results) { request.continuation.resume(with: result) }
    }
  }

  private func nextGroup() -> [Request]? {
    state.withLock { state in
      var length = 0
      let count = state.waiting.prefix { request in
        defer { length += request.batch.lines.count }
        return length < Self.longestGroup
      }.count
      let group = Array(state.waiting.prefix(count))
      state.waiting.removeFirst(count)
      if group.isEmpty { state.isWriting = false }
      return group.isEmpty ? nil : group
    }
  }

  // MARK: Maps

  private func startMapping() {
    let isIdle = state.withLock { state in
      defer { state.isMapping = true }
      return !state.isMapping
    }
    if isIdle { continueMapping() }
  }

  private func continueMapping() {
    let isHurried = state.withLock { $0.pace.isHurried(at: .now) }
    (isHurried ? hurriedMapper : mapper).submit { _ in self.makeMaps(isHurried: isHurried) }
  }

  /// Makes maps until no change is waiting, or until the other thread must make the maps. The thread uses at most half
  /// of one core.
  private func makeMaps(isHurried: Bool) {
    #if canImport(Glibc)
      if !isHurried { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 15) }
    #endif
    while let next = nextChanges() {
      let (start, processorStart) = (ContinuousClock.now, Self.processorTime)
      if !next.changes.isEmpty {
        do {
          let map = try next.map.updating(next.changes)
          let index = ServedIndex(
            name: name, tree: map.tree, description: description, key: key.name,
            version: Self.version(next.sequence, of: logName), sequence: next.sequence, filterBytes: filterBytes)
          state.withLock { state in
            state.map = map
            state.applying = [:]
            (state.mapSequence, state.mapLogLength) = (next.sequence, next.logLength)
          }
          versions.publish(index)
          let now = ContinuousClock.now
          if let since = next.since { state.withLock { $0.pace.publish(after: now - since, at: now) } }
        } catch {
          logger.critical(
            "Could not make a new version of a live index", metadata: ["index": "\(name)", "error": "\(error)"])
          state.withLock { $0.failure = "\(error)" }
          return
        }
      }
      compact()
      let rest = MapPace.rest(
        after: ContinuousClock.now - start, processorTime: Self.processorTime - processorStart, isHurried: isHurried)
      usleep(UInt32(rest / .microseconds(1)))
      if state.withLock({ $0.pace.isHurried(at: .now) }) != isHurried { return continueMapping() }
    }
  }

  /// Processor time of this thread.
  private static var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// The changes since the newest map, and the time of the oldest change.
  private struct NextChanges {
    let map: Map
    let changes: [PointKey: KeyedPoint?]
    let since: ContinuousClock.Instant?
    let sequence: UInt64
    let logLength: Int
  }

  private func nextChanges() -> NextChanges? {
    state.withLock { state in
      guard !state.pending.isEmpty || state.isCompactionDue else {
        state.isMapping = false
        return nil
      }
      (state.applying, state.pending) = (state.pending, [:])
      return NextChanges(
        map: state.map, changes: state.applying, since: state.pendingSince, sequence: state.sequence,
        logLength: state.logLength)
    }
  }

  /// Writes the newest map as the index file, and removes the map's batches from the log.
  private func compact() {
    let due = state.withLock { state in
      state.isCompactionDue ? (map: state.map, length: state.mapLogLength, sequence: state.mapSequence) : nil
    }
    guard let due else { return }
    do {
      try due.map.tree.write(toFile: path, description: description)
      let checksum = try LoadedIndex.checksum(ofIndex: path)
      // While this block runs on the queue of the log, nothing is appended to the log.
      try writer.sync {
        let answers = state.withLock { $0.answers(upTo: due.sequence) }
        let first = LiveRecord(log: logName, sequence: due.sequence, indexChecksum: checksum, answers: answers)
        try log.replace(startingWith: first.bytes, keepingFrom: due.length)
        state.withLock { state in
          let removed = state.logLength - log.length
          state.logLength = log.length
          state.mapLogLength = due.length - removed
          // The remembered answers in the first record may alone be longer than `longestLog`.
          state.compactionLength = state.mapLogLength + longestLog
        }
      }
      logger.notice("Wrote a live index", metadata: ["index": "\(name)", "sequence": "\(due.sequence)"])
    } catch {
      logger.error(
        "Could not write a live index, so its log was kept", metadata: ["index": "\(name)", "error": "\(error)"])
      state.withLock { $0.compactionLength = $0.logLength + longestLog }
    }
  }
}

extension LiveIndex.State {
  /// Whether the batches that the map already contains take so much of the log that the index file must be written
  /// again.
  fileprivate var isCompactionDue: Bool { mapLogLength > compactionLength && applying.isEmpty }

  /// Returns how many points the changes would insert, replace and remove.
  fileprivate func effect(
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

  fileprivate mutating func remember(_ entry: LiveRecord.Entry) {
    sequence = entry.answer.sequence
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
  fileprivate func answers(upTo sequence: UInt64) -> [LiveRecord.Entry] {
    order[orderStart...].compactMap { id in
      guard let known = known[id], known.answer.sequence <= sequence else { return nil }
      return LiveRecord.Entry(id: id, digest: known.digest, answer: known.answer)
    }
  }
}

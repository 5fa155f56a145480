import Synchronization
import Treeline

/// A map whose values can be inserted, removed and moved. It takes edits from any task, and is an asynchronous
/// sequence of maps.
///
/// ```swift
/// let live = LiveMap(try await ClusterMap.build(fleet, at: \.coordinate, options: options))
/// try await live.update(inserting: [bus], removing: [tram.id])
/// for await map in live { ... }    // the current map, then each later map
/// ```
///
/// Edits that arrive while a map is being made are merged, so that the next map contains all of them. A reader that is
/// slower than the edits skips some maps, but always gets the newest map. An edit that fails changes nothing, and does
/// not affect other edits. The sequence ends when the `LiveMap` is released.
///
/// A `LiveMap` is meant for up to about a million values and a few hundred edits a second. It is not a database: the
/// values are only in memory.
public actor LiveMap<Value: Identifiable & Sendable> where Value.ID: Comparable & Sendable {
  /// An edit, and the continuation of the call that waits for its result.
  private struct Request: Sendable {
    let edit: Edit
    let continuation: CheckedContinuation<ClusterMap<Value>, any Error>
  }

  private struct Edit: Sendable {
    var inserted: [Value] = []
    var removed: [Value.ID] = []
    var moved: [Value] = []
  }

  private let publisher: Publisher
  private var waiting: [Request] = []
  private var isWorking = false

  /// - Parameter map: The first map. It must have been built from its values, without groups; see
  ///   `ClusterMap.updating(inserting:removing:moving:)`.
  public init(_ map: ClusterMap<Value>) { publisher = Publisher(map) }

  /// The newest map.
  public nonisolated var map: ClusterMap<Value> { publisher.map }

  /// Inserts, removes and moves values. A cancellation of the calling task has no effect: the edit is applied, and the
  /// call returns its map, even if the task was cancelled before the call.
  ///
  /// - Parameters:
  ///   - inserted: Values to insert. Their ids are not on the map.
  ///   - removed: Ids of values to remove.
  ///   - moved: Values that replace the values with the same ids, at the same or at other coordinates.
  /// - Returns: The first map with this edit. It may contain later edits, too.
  /// - Throws: The errors of `ClusterMap.updating(inserting:removing:moving:)`. If an error is thrown, the edit has
  ///   not changed the map.
  @discardableResult public func update(
    inserting inserted: [Value] = [], removing removed: [Value.ID] = [], moving moved: [Value] = []
  ) async throws -> ClusterMap<Value> {
    let edit = Edit(inserted: inserted, removed: removed, moved: moved)
    return try await withCheckedThrowingContinuation { continuation in
      waiting.append(Request(edit: edit, continuation: continuation))
      if isWorking { return }
      isWorking = true
      Task { await work() }
    }
  }

  /// Makes maps until no edit is waiting.
  private func work() async {
    while !waiting.isEmpty {
      let requests = waiting
      waiting = []
      let (map, edits) = (publisher.map, requests.map(\.edit))
      // Edits are applied outside the actor, so that the actor can take more edits in the meantime.
      let (next, errors) = await Task.detached { Self.apply(edits, to: map) }.value
      if errors.contains(where: { $0 == nil }) { publisher.publish(next) }
      for (request, error) in zip(requests, errors) {
        if let error {
          request.continuation.resume(throwing: error)
        } else {
          request.continuation.resume(returning: next)
        }
      }
    }
    isWorking = false
  }

  /// Returns the map after some edits, and an error for each edit. The error is nil if the edit succeeds.
  private static func apply(_ edits: [Edit], to map: ClusterMap<Value>) -> (ClusterMap<Value>, [(any Error)?]) {
    if edits.count > 1, let merged = merge(edits, on: map),
      let next = try? map.updating(inserting: merged.inserted, removing: merged.removed, moving: merged.moved)
    {
      return (next, edits.map { _ in nil })
    }
    var next = map
    let errors = edits.map { edit -> (any Error)? in
      do {
        next = try next.updating(inserting: edit.inserted, removing: edit.removed, moving: edit.moved)
        return nil
      } catch { return error }
    }
    return (next, errors)
  }

  /// Merges edits into one edit. Returns nil if an edit is not valid after the earlier edits, or if the values of the
  /// map are not sorted yet.
  private static func merge(_ edits: [Edit], on map: ClusterMap<Value>) -> Edit? {
    /// For each id in the edits, the value after the edits; nil if the edits remove the value.
    var current: [Value.ID: Value?] = [:]
    guard let isOnMap = map.keySearch(by: \.id) else { return nil }
    func exists(_ id: Value.ID) -> Bool { current[id].map { $0 != nil } ?? isOnMap(id) }
    for edit in edits {
      var named = Set<Value.ID>()
      for id in edit.removed {
        guard named.insert(id).inserted, exists(id) else { return nil }
        current[id] = .some(nil)
      }
      for (values, areThere) in [(edit.inserted, false), (edit.moved, true)] {
        for value in values {
          guard named.insert(value.id).inserted, exists(value.id) == areThere else { return nil }
          current[value.id] = value
        }
      }
    }
    var merged = Edit()
    for (id, value) in current {
      switch (value, isOnMap(id)) {
      case (let value?, true): merged.moved.append(value)
      case (let value?, false): merged.inserted.append(value)
      case (nil, true): merged.removed.append(id)
      case (nil, false): break
      }
    }
    return merged
  }
}

extension LiveMap: AsyncSequence {
  public typealias Element = ClusterMap<Value>
  public typealias AsyncIterator = AsyncStream<ClusterMap<Value>>.Iterator

  /// Returns an iterator that starts with the newest map. Any number of tasks may read maps. Each task needs its own
  /// iterator.
  public nonisolated func makeAsyncIterator() -> AsyncIterator { publisher.maps().makeAsyncIterator() }
}

extension LiveMap {
  /// The newest map, and the streams of all readers.
  private final class Publisher: Sendable {
    private struct State {
      var map: ClusterMap<Value>
      var readers: [Int: AsyncStream<ClusterMap<Value>>.Continuation] = [:]
      var readerCount = 0
    }

    private let state: Mutex<State>

    init(_ map: ClusterMap<Value>) { state = Mutex(State(map: map)) }

    deinit { for reader in state.withLock({ Array($0.readers.values) }) { reader.finish() } }

    var map: ClusterMap<Value> { state.withLock(\.map) }

    func publish(_ map: ClusterMap<Value>) {
      state.withLock { state in
        state.map = map
        for reader in state.readers.values { reader.yield(map) }
      }
    }

    func maps() -> AsyncStream<ClusterMap<Value>> {
      let (stream, continuation) = AsyncStream<ClusterMap<Value>>.makeStream(bufferingPolicy: .bufferingNewest(1))
      let number = state.withLock { state in
        state.readerCount += 1
        state.readers[state.readerCount] = continuation
        continuation.yield(state.map)
        return state.readerCount
      }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { state in state.readers[number] = nil }
      }
      return stream
    }
  }
}

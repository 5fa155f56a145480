import Foundation
import Synchronization
@_spi(Server) import Treeline

/// The filters of an index that were prepared last, so that only the first request for a filter waits.
final class FilterCache: Sendable {
  private struct State {
    var entries: [[UInt8]: Entry] = [:]
    /// Counts lookups.
    var clock = 0
  }

  private struct Entry {
    let prepared: PreparedFilter
    var lastUse: Int
  }

  /// A filter that one thread prepares, for which others wait.
  private final class PreparedFilter: Sendable {
    let tree = Mutex<ClusterTree?>(nil)
  }

  private let tree: ClusterTree
  private let mostBytes: Int
  private let state = Mutex(State())

  /// How many there may be, however small.
  static let most = 64

  /// - Parameter mostBytes: How large they may be in sum; the last one used is kept even if it is larger.
  init(of tree: ClusterTree, mostBytes: Int) { (self.tree, self.mostBytes) = (tree, mostBytes) }

  /// Filters that say the same are the same. Strings that Swift has for equal may be others to a filter, so bytes.
  private static func key(_ filter: Filter) -> [UInt8] { Array("\(filter)".utf8) }

  /// Whether a filter is prepared, without waiting for whoever is about to.
  func contains(_ filter: Filter) -> Bool {
    let key = Self.key(filter)
    let prepared = state.withLock { $0.entries[key]?.prepared }
    return prepared?.tree.withLockIfAvailable { $0 != nil } ?? false
  }

  /// The tree under a filter.
  ///
  /// - Throws: `FilterError`, and `CancellationError` where another thread prepares it and nobody waits any more.
  /// - Complexity: O(points) for one that is not prepared.
  func tree(selecting filter: Filter) throws -> ClusterTree {
    let key = Self.key(filter)
    let (prepared, last) = entry(key)
    func prepare(_ found: inout ClusterTree?) -> Result<ClusterTree, FilterError> {
      if let found { return .success(found) }
      do throws(FilterError) {
        // Whoever moves a window asks for one like that before.
        let previous = last?.tree.withLockIfAvailable { $0 } ?? nil
        let selected = try tree.selecting(filter, reusing: previous)
        found = selected
        return .success(selected)
      } catch { return .failure(error) }
    }
    var result = prepared.tree.withLockIfAvailable { prepare(&$0) }
    while result == nil {
      // A lock would be waited for however long another thread has to do.
      try Cancellation.check()
      usleep(100)
      result = prepared.tree.withLockIfAvailable { prepare(&$0) }
    }
    guard let found = result else { preconditionFailure("The loop ends with a result") }
    // What has no answer is not kept.
    if case .failure = found { state.withLock { $0.entries[key] = nil } }
    trim()
    return try found.get()
  }

  /// The filter of a key, which may be about to be prepared, and the one that was asked for before it.
  private func entry(_ key: [UInt8]) -> (prepared: PreparedFilter, last: PreparedFilter?) {
    state.withLock { state in
      let last = state.entries.max { $0.value.lastUse < $1.value.lastUse }?.value.prepared
      state.clock += 1
      let prepared = state.entries[key]?.prepared ?? PreparedFilter()
      state.entries[key] = Entry(prepared: prepared, lastUse: state.clock)
      return (prepared, last === prepared ? nil : last)
    }
  }

  /// Forgets those that were not asked for the longest. What is prepared of columns comes later, so that it is
  /// measured again each time.
  private func trim() {
    state.withLock { state in
      var sizes = state.entries.mapValues { entry in
        // One that is about to be prepared is not waited for; it trims again.
        entry.prepared.tree.withLockIfAvailable { $0?.selectionByteCount ?? 0 } ?? 0
      }
      var bytes = sizes.values.reduce(0, +)
      while state.entries.count > Self.most || bytes > mostBytes && state.entries.count > 1 {
        guard let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key else { return }
        bytes -= sizes.removeValue(forKey: oldest) ?? 0
        state.entries[oldest] = nil
      }
    }
  }

  /// How many filters are kept, and how large they are in sum.
  var size: (count: Int, bytes: Int) {
    state.withLock { state in
      let bytes = state.entries.values.reduce(0) { sum, entry in
        sum + (entry.prepared.tree.withLockIfAvailable { $0?.selectionByteCount ?? 0 } ?? 0)
      }
      return (state.entries.count, bytes)
    }
  }
}

import Foundation
import Synchronization
@_spi(Server) import Treeline

/// The most recently used filters of an index, each prepared for queries. So a request waits for the preparation of
/// its filter only if the cache does not contain the filter.
final class FilterCache: Sendable {
  private struct State {
    var entries: [[UInt8]: Entry] = [:]
    /// Number of lookups so far. This number serves as the time in `Entry.lastUse`.
    var clock = 0
  }

  private struct Entry {
    let prepared: PreparedFilter
    var lastUse: Int
  }

  /// A filter that one thread prepares. Other threads wait if they need the same filter.
  private final class PreparedFilter: Sendable {
    let tree = Mutex<ClusterTree?>(nil)
  }

  private let tree: ClusterTree
  private let mostBytes: Int
  private let state = Mutex(State())

  /// Maximum number of filters, even if the filters are small.
  static let most = 64

  /// - Parameter mostBytes: Maximum total size of the filters. The filter used last is kept even if it exceeds this
  ///   size.
  init(of tree: ClusterTree, mostBytes: Int) { (self.tree, self.mostBytes) = (tree, mostBytes) }

  /// Returns the key of a filter: the bytes of its text. The key is not a `String`, because a filter may distinguish
  /// texts that are equal as Swift strings.
  private static func key(_ filter: Filter) -> [UInt8] { Array("\(filter)".utf8) }

  /// Returns whether a filter is prepared. Does not wait for a thread that is preparing it.
  func contains(_ filter: Filter) -> Bool {
    let key = Self.key(filter)
    let prepared = state.withLock { $0.entries[key]?.prepared }
    return prepared?.tree.withLockIfAvailable { $0 != nil } ?? false
  }

  /// Returns the tree with a filter applied. Prepares the filter if necessary.
  ///
  /// - Throws: `FilterError`; `CancellationError` if the request is cancelled while another thread prepares the
  ///   filter.
  /// - Complexity: O(points) if the filter is not prepared.
  func tree(selecting filter: Filter) throws -> ClusterTree {
    let key = Self.key(filter)
    let (prepared, last) = entry(key)
    func prepare(_ found: inout ClusterTree?) -> Result<ClusterTree, any Error> {
      if let found { return .success(found) }
      do {
        // A client may change the limits of a condition step by step, for example to move a window of time. Each
        // filter is then similar to the previous filter. So the result of the previous filter is reused.
        let previous = last?.tree.withLockIfAvailable { $0 } ?? nil
        let selected = try tree.filtered(by: filter, reusing: previous)
        // Almost every answer needs these sums. An answer would prepare them, too, but could not be cancelled
        // meanwhile, and two answers would both do the work.
        try selected.prepareClusters(summaries: true)
        found = selected
        return .success(selected)
      } catch { return .failure(error) }
    }
    var result = prepared.tree.withLockIfAvailable { prepare(&$0) }
    while result == nil {
      // Another thread holds the lock while it prepares the filter, which may take long. Waiting for a lock cannot be
      // cancelled. So this thread tries again and again to take the lock.
      try Cancellation.check()
      usleep(100)
      result = prepared.tree.withLockIfAvailable { prepare(&$0) }
    }
    guard let found = result else { preconditionFailure("The loop has ended without a result") }
    // A filter that could not be prepared is removed.
    if case .failure = found { state.withLock { $0.entries[key] = nil } }
    trim()
    return try found.get()
  }

  /// Returns the filter of a key, and the filter of the previous lookup. The filter of the key may still be
  /// unprepared.
  private func entry(_ key: [UInt8]) -> (prepared: PreparedFilter, last: PreparedFilter?) {
    state.withLock { state in
      let last = state.entries.max { $0.value.lastUse < $1.value.lastUse }?.value.prepared
      state.clock += 1
      let prepared = state.entries[key]?.prepared ?? PreparedFilter()
      state.entries[key] = Entry(prepared: prepared, lastUse: state.clock)
      return (prepared, last === prepared ? nil : last)
    }
  }

  /// Removes the least recently used filters. A filter grows when columns are prepared for it, so the sizes of all
  /// filters are computed again.
  private func trim() {
    state.withLock { state in
      var sizes = state.entries.mapValues { entry in
        // A filter that is being prepared counts as 0 bytes. The cache is trimmed again when that filter is ready.
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

  /// Number of filters that are kept, and their total size.
  var size: (count: Int, bytes: Int) {
    state.withLock { state in
      let bytes = state.entries.values.reduce(0) { sum, entry in
        sum + (entry.prepared.tree.withLockIfAvailable { $0?.selectionByteCount ?? 0 } ?? 0)
      }
      return (state.entries.count, bytes)
    }
  }
}

import Synchronization
import Treeline

#if canImport(Dispatch)
  import Dispatch
#endif

/// Divides 0 ..< count into one range for each thread, and works on all ranges at the same time. Returns the results
/// in the order of the ranges.
func inChunks<Result: Sendable>(of count: Int, threads: Int, _ work: @Sendable (Range<Int>) -> Result) -> [Result] {
  let chunks = max(1, min(threads, count / 4096))
  return concurrentResults(chunks) { work(count * $0 / chunks..<count * ($0 + 1) / chunks) }
}

/// Distributes items of work to a number of threads. The work on an item may produce more items.
///
/// Results must not depend on which thread works on an item, or on the order in which threads work on items.
final class WorkQueue<Item: Sendable>: Sendable {
  private struct State {
    /// The item to be worked on next comes last.
    var items: [Item]
    /// Number of items that are waiting or being worked on. The work on an item may add items, so all work is done only
    /// when this number is 0.
    var unfinishedCount: Int
  }

  private let state: Mutex<State>
  private let isLessUrgent: (@Sendable (Item, Item) -> Bool)?
  #if canImport(Dispatch)
    /// Semaphore for which idle threads wait. While there is work, the semaphore counts the waiting items. Once all
    /// work is done, the semaphore is signalled once for each thread, so that every thread returns.
    private let available = DispatchSemaphore(value: 0)
  #endif

  /// - Parameter isLessUrgent: Compares two items. Idle threads take the most urgent item. By default, they take the
  ///   item that was added last.
  init(_ items: [Item], by isLessUrgent: (@Sendable (Item, Item) -> Bool)? = nil) {
    let items = isLessUrgent.map { items.sorted(by: $0) } ?? items
    state = Mutex(State(items: items, unfinishedCount: items.count))
    self.isLessUrgent = isLessUrgent
  }

  /// Calls `work` with every item on up to `threads` threads, and returns when no item is left.
  ///
  /// `work` returns the new items that the given item has produced.
  func run(threads: Int, _ work: @Sendable (Item) -> [Item]) {
    #if canImport(Dispatch)
      signal(state.withLock { $0.items.isEmpty ? threads : $0.items.count })
      concurrently(threads) { _ in
        while true {
          available.wait()
          guard let new = workOnOne(work) else { return }
          signal(new.isLast ? threads : new.count)
        }
      }
    #else
      while workOnOne(work) != nil {}
    #endif
  }

  /// Works on one item. Returns the number of new items that this item has produced, and whether all work is done.
  /// Returns nil if no item is waiting.
  private func workOnOne(_ work: (Item) -> [Item]) -> (count: Int, isLast: Bool)? {
    guard let item = state.withLock({ $0.items.popLast() }) else { return nil }
    let new = work(item)
    return state.withLock { state in
      for item in new {
        let place = isLessUrgent.map { isLessUrgent in
          firstIndex(in: state.items.indices) { isLessUrgent(item, state.items[$0]) }
        }
        state.items.insert(item, at: place ?? state.items.endIndex)
      }
      state.unfinishedCount += new.count - 1
      return (new.count, state.unfinishedCount == 0)
    }
  }

  #if canImport(Dispatch)
    private func signal(_ count: Int) { for _ in 0..<count { available.signal() } }
  #endif
}

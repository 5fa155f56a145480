import Synchronization
import Treeline

#if canImport(Dispatch)
  import Dispatch
#endif

/// Divides 0 ..< count into one range a thread, works on them at once, and returns the results in order.
func inChunks<Result: Sendable>(of count: Int, threads: Int, _ work: @Sendable (Range<Int>) -> Result) -> [Result] {
  let chunks = max(1, min(threads, count / 4096))
  return Array(unsafeUninitializedCapacity: chunks) { results, initializedCount in
    nonisolated(unsafe) let start = results.baseAddress!
    concurrently(chunks) { chunk in
      (start + chunk).initialize(to: work(count * chunk / chunks..<count * (chunk + 1) / chunks))
    }
    initializedCount = chunks
  }
}

/// Hands work that makes more work to a number of threads.
///
/// Which thread does what, and when, must not matter to the result.
final class WorkQueue<Item: Sendable>: Sendable {
  private struct State {
    var items: [Item]
    /// Items that wait or are worked on: while there are any, more may come.
    var unfinishedCount: Int
  }

  private let state: Mutex<State>
  #if canImport(Dispatch)
    /// Counts the items that wait and, once all work is done, the threads that are yet to return.
    private let available = DispatchSemaphore(value: 0)
  #endif

  init(_ items: [Item]) { state = Mutex(State(items: items, unfinishedCount: items.count)) }

  /// Calls `work` with every item on up to `threads` threads, and returns when none is left.
  ///
  /// `work` returns the items that follow from the one it was given.
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

  /// Works on one item; nil if none waits.
  private func workOnOne(_ work: (Item) -> [Item]) -> (count: Int, isLast: Bool)? {
    guard let item = state.withLock({ $0.items.popLast() }) else { return nil }
    let new = work(item)
    return state.withLock { state in
      state.items.append(contentsOf: new)
      state.unfinishedCount += new.count - 1
      return (new.count, state.unfinishedCount == 0)
    }
  }

  #if canImport(Dispatch)
    private func signal(_ count: Int) { for _ in 0..<count { available.signal() } }
  #endif
}

import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How many processors are online.
var processorCount: Int { max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) }

/// Divides 0 ..< count into one range a thread, works on them at once, and returns the results in order.
func inChunks<Result: Sendable>(of count: Int, threads: Int, _ work: @Sendable (Range<Int>) -> Result) -> [Result] {
  let chunks = max(1, min(threads, count / 4096))
  return Array(unsafeUninitializedCapacity: chunks) { results, initializedCount in
    nonisolated(unsafe) let start = results.baseAddress!
    DispatchQueue.concurrentPerform(iterations: chunks) { chunk in
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
  /// Counts the items that wait and, once all work is done, the threads that are yet to return.
  private let available = DispatchSemaphore(value: 0)

  init(_ items: [Item]) { state = Mutex(State(items: items, unfinishedCount: items.count)) }

  /// Calls `work` with every item on up to `threads` threads, and returns when none is left.
  ///
  /// `work` returns the items that follow from the one it was given.
  func run(threads: Int, _ work: @Sendable (Item) -> [Item]) {
    signal(state.withLock { $0.items.isEmpty ? threads : $0.items.count })
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      while true {
        available.wait()
        guard let item = state.withLock({ $0.items.popLast() }) else { return }
        let new = work(item)
        let isDone = state.withLock { state in
          state.items.append(contentsOf: new)
          state.unfinishedCount += new.count - 1
          return state.unfinishedCount == 0
        }
        signal(isDone ? threads : new.count)
      }
    }
  }

  private func signal(_ count: Int) { for _ in 0..<count { available.signal() } }
}

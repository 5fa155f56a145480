import CLibrary
import Synchronization

#if canImport(Dispatch)
  import Dispatch
#endif

#if !POSIX && (canImport(Darwin) || os(Linux) || os(Android))
  #error("Compile with -D POSIX, as Package.swift does; otherwise files cannot be read")
#endif

/// The number of processors that are online; 1 if the platform cannot report them or has no threads.
package var processorCount: Int {
  #if canImport(Dispatch) && POSIX
    max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
  #else
    1
  #endif
}

/// Calls `work` with each number of 0 ..< count. The calls are concurrent, or one after another if there are no
/// threads.
package func concurrently(_ count: Int, _ work: @Sendable (Int) -> Void) {
  #if canImport(Dispatch)
    DispatchQueue.concurrentPerform(iterations: count, execute: work)
  #else
    for number in 0..<count { work(number) }
  #endif
}

/// Calls `work` with each number of 0 ..< count, as `concurrently` does. Returns the results in the order of the
/// numbers.
package func concurrentResults<Result: Sendable>(_ count: Int, _ work: @Sendable (Int) -> Result) -> [Result] {
  Array(unsafeUninitializedCapacity: count) { results, initializedCount in
    guard let first = results.baseAddress else { return }
    nonisolated(unsafe) let start = first
    concurrently(count) { (start + $0).initialize(to: work($0)) }
    initializedCount = count
  }
}

/// Calls `work` on another thread, or immediately on this thread if there are no threads.
package func asynchronously(isUrgent: Bool = true, _ work: @escaping @Sendable () -> Void) {
  #if canImport(Dispatch)
    DispatchQueue.global(qos: isUrgent ? .default : .utility).async(execute: work)
  #else
    work()
  #endif
}

/// Calls `work` with each number of 0 ..< count, on several threads including this thread. Passes the results to
/// `take` on this thread, in order.
package func inOrder<Result: Sendable>(
  _ count: Int, threads: Int, _ work: @escaping @Sendable (_ number: Int, _ thread: Int) -> Result,
  then take: (_ number: Int, Result) -> Void
) {
  let results = OrderedResults<Result>(count)
  #if canImport(Dispatch)
    for thread in 1..<max(min(threads, count), 1) {
      asynchronously { while let number = results.next() { results.add(work(number, thread), number) } }
    }
  #endif
  var taken = 0
  func takeAll() {
    while taken < count, let result = results[taken] {
      take(taken, result)
      taken += 1
    }
  }
  while let number = results.next() {
    results.add(work(number, 0), number)
    takeAll()
  }
  while taken < count {
    results.wait()
    takeAll()
  }
}

/// The results of numbered tasks. The results may arrive in any order.
private final class OrderedResults<Result: Sendable>: Sendable {
  private struct State {
    var next = 0
    var results: [Result?]
  }

  private let state: Mutex<State>
  #if canImport(Dispatch)
    /// Counts the results that have arrived.
    private let available = DispatchSemaphore(value: 0)
  #endif

  init(_ count: Int) { state = Mutex(State(results: Array(repeating: nil, count: count))) }

  /// Returns the number of the next task; nil if all tasks have been started.
  func next() -> Int? {
    state.withLock { state in
      guard state.next < state.results.count else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }

  func add(_ result: Result, _ number: Int) {
    state.withLock { $0.results[number] = result }
    #if canImport(Dispatch)
      available.signal()
    #endif
  }

  /// The result of the task with a given number; nil if the result has not arrived, or if it was read before.
  subscript(number: Int) -> Result? {
    state.withLock { state in
      defer { state.results[number] = nil }
      return state.results[number]
    }
  }

  /// Waits for a result: the nth call returns as soon as n results have arrived.
  func wait() {
    #if canImport(Dispatch)
      available.wait()
    #endif
  }
}

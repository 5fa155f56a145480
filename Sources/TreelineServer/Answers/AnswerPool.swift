import Foundation
import NIOPosix
import Synchronization

/// The threads that expensive answers are computed on, and a queue in which no client waits for all that another asks:
/// the next turn has who had the least so far.
final class AnswerPool: Sendable {
  private struct Job {
    let cost: Int
    let run: @Sendable () -> Void
  }

  private struct Client {
    var jobs: [Job] = []
    /// How much was computed for it, counted from the least of all when it came.
    var served = 0
  }

  private struct Queue {
    var clients: [String: Client] = [:]
    var running = 0
    var length = 0
    /// What those in the queue cost.
    var cost = 0
    /// That of whoever had the last turn: a new client has had no less.
    var served = 0
    /// Of a unit of cost, measured.
    var seconds = 2e-6
  }

  private let queue = Mutex(Queue())
  private let threads: NIOThreadPool
  private let threadCount: Int
  private let bounds: ServerBounds

  private static let longest = 256
  private static let longestPerClient = 64
  /// Whoever would wait longer is told to come again.
  private static let longestWait = 10.0

  init(_ bounds: ServerBounds, threadCount: Int = max(ProcessInfo.processInfo.activeProcessorCount / 2, 1)) {
    self.bounds = bounds
    self.threadCount = threadCount
    threads = NIOThreadPool(numberOfThreads: threadCount)
    threads.start()
  }

  deinit { threads.shutdownGracefully { _ in } }

  /// How many answers wait for a thread.
  var length: Int { queue.withLock(\.length) }

  /// Computes something in turn.
  ///
  /// - Parameter cost: About so many clusters.
  /// - Throws: `Problem` where the queue is full, and what the work throws.
  func run<Result: Sendable>(for client: String, cost: Int, _ work: @escaping @Sendable () throws -> Result)
    async throws
    -> Result
  {
    try await withCheckedThrowingContinuation { continuation in
      let job = Job(cost: cost) { continuation.resume(with: Swift.Result(catching: work)) }
      if let seconds = enqueue(job, of: client) {
        continuation.resume(throwing: bounds.refuse(.busy(.queue, retryAfter: seconds)))
      }
    }
  }

  /// - Returns: nil, or where there is no room in how many seconds there may be some.
  private func enqueue(_ job: Job, of name: String) -> Int? {
    let (retryAfter, isIdle): (Int?, Bool) = queue.withLock { queue in
      let wait = Double(queue.cost) * queue.seconds / Double(threadCount)
      var client = queue.clients[name] ?? Client(served: queue.served)
      guard queue.length < Self.longest, client.jobs.count < Self.longestPerClient, wait < Self.longestWait else {
        return (max(Int(wait.rounded(.up)), 1), false)
      }
      client.jobs.append(job)
      queue.clients[name] = client
      queue.length += 1
      queue.cost += job.cost
      guard queue.running < threadCount else { return (nil, false) }
      queue.running += 1
      return (nil, true)
    }
    if isIdle { threads.submit { _ in self.work() } }
    return retryAfter
  }

  /// Works until nothing is in the queue.
  private func work() {
    // Below the event loops, which have little to do each time and wait for nothing.
    #if canImport(Glibc)
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    #endif
    while let job = next() {
      let start = ContinuousClock.now
      job.run()
      let seconds = (.now - start) / .seconds(1) / Double(job.cost)
      queue.withLock { $0.seconds += (seconds - $0.seconds) / 16 }
    }
  }

  private func next() -> Job? {
    queue.withLock { queue in
      guard let (name, client) = queue.clients.min(by: { $0.value.served < $1.value.served }) else {
        queue.running -= 1
        return nil
      }
      let job = client.jobs[0]
      queue.length -= 1
      queue.cost -= job.cost
      queue.served = client.served
      if client.jobs.count == 1 {
        queue.clients[name] = nil
      } else {
        queue.clients[name]?.jobs.removeFirst()
        queue.clients[name]?.served += job.cost
      }
      return job
    }
  }
}

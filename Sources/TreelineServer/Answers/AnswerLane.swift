import Foundation
import NIOPosix
import Synchronization

/// Threads for answers of about equal cost, with a fair queue. The next turn goes to the client that has been served
/// least so far. So no client has to wait until all requests of another client are answered.
final class AnswerLane: Sendable {
  struct Job: Sendable {
    let cost: Int
    let answer: any InterruptibleAnswer
    let run: @Sendable () -> Void
  }

  fileprivate struct Client {
    var jobs: [Job] = []
    /// Total cost of the answers computed for this client, whether they are finished or not. When a client without
    /// waiting jobs adds a job, the total is raised to `Queue.served`. So a client cannot save turns for later.
    var served = 0
  }

  fileprivate struct Queue {
    /// The clients with waiting jobs, and clients without waiting jobs that have been served more than `served`.
    var clients: [String: Client] = [:]
    var running: [ObjectIdentifier: any InterruptibleAnswer] = [:]
    var threads = 0
    var length = 0
    /// Total cost of the jobs in the queue.
    var cost = 0
    /// When a client gets a turn, the value of its `Client.served` is stored here, before the turn is counted. No
    /// waiting client has a smaller value at this moment.
    var served = 0
    /// Measured seconds per unit of cost.
    var seconds = 2e-6
  }

  let mostCost: Int
  private let niceness: CInt
  private let queue = Mutex(Queue())
  private let threads: NIOThreadPool
  private let threadCount: Int

  /// The niceness and the maximum cost of each lane. No maximum is more than four times the maximum of the lane before,
  /// so that the answers in a lane cost about the same. For this rule, `.max` counts as a million units, because
  /// `AnswerPool` caps costs at a million units. A unit takes 1 to 2 microseconds.
  static let kinds: [(mostCost: Int, niceness: CInt)] = [
    (4000, 10), (16_000, 13), (64_000, 16), (256_000, 18), (.max, 19),
  ]

  private static let longest = 256
  private static let longestPerClient = 64
  /// Longest estimated waiting time, in seconds. Jobs that would wait longer are refused.
  private static let longestWait = 10.0

  init(mostCost: Int, niceness: CInt, threadCount: Int) {
    (self.mostCost, self.threadCount) = (mostCost, threadCount)
    #if canImport(Glibc)
      let own = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(getpid()))
      self.niceness = min(own + niceness, 19)
    #else
      self.niceness = niceness
    #endif
    threads = NIOThreadPool(numberOfThreads: threadCount)
    threads.start()
  }

  deinit { threads.shutdownGracefully { _ in } }

  var length: Int { queue.withLock(\.length) }

  var runningCount: Int { queue.withLock(\.running.count) }

  /// Answers that are waiting or being computed.
  var answers: [any InterruptibleAnswer] {
    queue.withLock { queue in Array(queue.running.values) + queue.clients.values.flatMap { $0.jobs.map(\.answer) } }
  }

  /// Adds a job to the queue.
  ///
  /// - Returns: nil if the job was added. If the queue is full: the number of seconds after which the client should
  ///   try again.
  func enqueue(_ job: Job, of name: String) -> Int? {
    let (retryAfter, isIdle): (Int?, Bool) = queue.withLock { queue in
      if queue.length >= Self.longest || (queue.clients[name]?.jobs.count ?? 0) >= Self.longestPerClient {
        queue.removeInterrupted()
      }
      let wait = Double(queue.cost) * queue.seconds / Double(threadCount)
      var client = queue.clients[name] ?? Client()
      if client.jobs.isEmpty { client.served = max(client.served, queue.served) }
      guard queue.length < Self.longest, client.jobs.count < Self.longestPerClient, wait < Self.longestWait else {
        return (Int(min(max(wait.rounded(.up), 1), Self.longestWait)), false)
      }
      client.jobs.append(job)
      queue.clients[name] = client
      queue.length += 1
      queue.cost += job.cost
      guard queue.threads < threadCount else { return (nil, false) }
      queue.threads += 1
      return (nil, true)
    }
    if isIdle { threads.submit { _ in self.work() } }
    return retryAfter
  }

  /// Runs jobs until the queue is empty.
  private func work() {
    // Lowers the priority of this thread. Event loops keep the usual priority, because their tasks are short and never
    // block.
    #if canImport(Glibc)
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
    #endif
    while let job = next() {
      let start = ContinuousClock.now
      job.run()
      let seconds = (.now - start) / .seconds(1) / Double(job.cost)
      queue.withLock { queue in
        queue.running[ObjectIdentifier(job.answer)] = nil
        if !job.answer.isInterrupted { queue.seconds += (seconds - queue.seconds) / 16 }
      }
    }
  }

  private func next() -> Job? {
    queue.withLock { queue in
      while var (name, client) = queue.next {
        let job = client.jobs.removeFirst()
        queue.length -= 1
        queue.cost -= job.cost
        queue.served = client.served
        if !job.answer.isInterrupted { client.served += job.cost }
        queue.clients[name] = client
        queue.forgetServed()
        // No client waits for the answer any more.
        if job.answer.isInterrupted { continue }
        queue.running[ObjectIdentifier(job.answer)] = job.answer
        return job
      }
      queue.threads -= 1
      // If no job waits, any client may take the next turn.
      queue.clients = [:]
      return nil
    }
  }
}

extension AnswerLane.Queue {
  /// The client that has been served least of all clients with waiting jobs.
  fileprivate var next: (String, AnswerLane.Client)? {
    let waiting = clients.lazy.filter { !$0.value.jobs.isEmpty }
    return waiting.min { $0.value.served < $1.value.served }.map { ($0.key, $0.value) }
  }

  /// Removes the jobs whose clients have stopped waiting.
  fileprivate mutating func removeInterrupted() {
    for (name, client) in clients {
      let jobs = client.jobs.filter { !$0.answer.isInterrupted }
      length -= client.jobs.count - jobs.count
      cost -= client.jobs.reduce(0) { $0 + $1.cost } - jobs.reduce(0) { $0 + $1.cost }
      clients[name]?.jobs = jobs
    }
    forgetServed()
  }

  /// Removes clients without waiting jobs whose next job would be treated like the job of a new client.
  fileprivate mutating func forgetServed() {
    clients = clients.filter { !$0.value.jobs.isEmpty || $0.value.served > served }
  }
}

import NIOCore
import NIOPosix
import Synchronization
@_spi(Server) import Treeline

/// Threads for computations that would block an event loop for too long. Answers of about equal cost share a lane,
/// which has its own threads and queue. So a cheap answer never waits for an expensive answer. A lane with more
/// expensive answers has threads of lower priority. The threads of all lanes have a lower priority than the event
/// loops.
final class AnswerPool: Sendable {
  private let lanes: [AnswerLane]
  private let bounds: ServerBounds
  private let isStopped = Atomic(false)

  /// Maximum cost that is counted for a job, about 2 seconds. Estimated costs are upper bounds, which may be far above
  /// the real cost. Without the cap, one job with a far too high estimate would make its lane refuse all further jobs.
  private static let mostCost = 1_000_000

  init(_ bounds: ServerBounds, threadCount: Int = max(System.coreCount / 2, 1)) {
    self.bounds = bounds
    lanes = AnswerLane.kinds.map { AnswerLane(mostCost: $0.mostCost, niceness: $0.niceness, threadCount: threadCount) }
  }

  /// Number of answers that are waiting for a thread.
  var length: Int { lanes.reduce(0) { $0 + $1.length } }

  /// Number of answers that are being computed.
  var runningCount: Int { lanes.reduce(0) { $0 + $1.runningCount } }

  /// Computes a value on a thread of a lane. Clients take turns.
  ///
  /// - Parameters:
  ///   - client: Name of the client.
  ///   - cost: Estimated cost, see `AnswerCost`.
  ///   - channel: Connection of the client; nil if the work belongs to no connection. The work ends when the
  ///     connection closes.
  ///   - work: Computes the value. Must call `Cancellation.check()` every few milliseconds.
  /// - Throws: `Problem` if the queue is full, or if the work takes too long or is interrupted. Also throws the errors
  ///   of `work`.
  func run<Value: Sendable>(
    for client: String, cost: Int, on channel: (any Channel)? = nil, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let answer = PendingAnswer<Value>()
    if let channel { bounds.departures.watch(answer, on: channel) }
    defer { if let channel { bounds.departures.forget(answer, on: channel) } }
    return try await withCheckedThrowingContinuation { continuation in
      answer.begin(continuation)
      let job = AnswerLane.Job(cost: min(max(cost, 1), Self.mostCost), answer: answer) { [bounds] in
        let deadline = NIODeadline.now() + bounds.answerTime
        let result = Result {
          try Cancellation.run(unless: { answer.isInterrupted || NIODeadline.now() > deadline }, work)
        }
        if case .failure(is CancellationError) = result, !answer.isInterrupted {
          answer.end(with: .failure(bounds.refuse(.answerTime(bounds.answerTime))))
        } else {
          answer.end(with: result)
        }
      }
      let lane = lanes.first { cost <= $0.mostCost } ?? lanes[lanes.count - 1]
      if let seconds = lane.enqueue(job, of: client) {
        answer.end(with: .failure(bounds.refuse(.busy(.queue, retryAfter: seconds))))
      } else if isStopped.load(ordering: .sequentiallyConsistent) {
        stop()
      }
    }
  }

  /// Interrupts all answers that are waiting or being computed, because the server is stopping. Answers that begin
  /// later end at once.
  func stop() {
    isStopped.store(true, ordering: .sequentiallyConsistent)
    for answer in lanes.flatMap(\.answers) { answer.interrupt(bounds.refuse(.stopping)) }
  }
}

/// An answer that a thread computes and that can be interrupted.
protocol InterruptibleAnswer: AnyObject, Sendable {
  var isInterrupted: Bool { get }

  /// Sends the problem to the client at once. The thread stops at its next check for cancellation.
  func interrupt(_ problem: Problem)
}

/// An answer that a client waits for. The client gets the value that a thread has computed or, if the answer is
/// interrupted first, a problem.
private final class PendingAnswer<Value: Sendable>: InterruptibleAnswer {
  private enum State {
    case new
    case waiting(CheckedContinuation<Value, any Error>)
    case ended
    /// `interrupt` was called before `begin`.
    case interrupted(Problem)
  }

  private let state = Mutex(State.new)
  private let interrupted = Atomic(false)

  var isInterrupted: Bool { interrupted.load(ordering: .relaxed) }

  func begin(_ continuation: CheckedContinuation<Value, any Error>) {
    let problem: Problem? = state.withLock { state in
      if case .interrupted(let problem) = state { return problem }
      state = .waiting(continuation)
      return nil
    }
    if let problem { continuation.resume(throwing: problem) }
  }

  func end(with result: Result<Value, any Error>) {
    let continuation: CheckedContinuation<Value, any Error>? = state.withLock { state in
      guard case .waiting(let continuation) = state else { return nil }
      state = .ended
      return continuation
    }
    continuation?.resume(with: result)
  }

  func interrupt(_ problem: Problem) {
    interrupted.store(true, ordering: .relaxed)
    state.withLock { state in if case .new = state { state = .interrupted(problem) } }
    end(with: .failure(problem))
  }
}

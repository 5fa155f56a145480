import NIOCore
import NIOPosix
import Synchronization
@_spi(Server) import Treeline

/// The threads that compute whatever an event loop should not. Answers of about the same cost share a lane with threads
/// and a queue of its own, so no answer waits for one that costs many times as much. The more the answers of a lane
/// cost, the lower is the priority of its threads; all of them run below the event loops.
final class AnswerPool: Sendable {
  private let lanes: [AnswerLane]
  private let bounds: ServerBounds
  private let isStopped = Atomic(false)

  /// Some 2 seconds. Costs are upper bounds, and one far beyond any answer must not have all others refused.
  private static let mostCost = 1_000_000

  init(_ bounds: ServerBounds, threadCount: Int = max(System.coreCount / 2, 1)) {
    self.bounds = bounds
    lanes = AnswerLane.kinds.map { AnswerLane(mostCost: $0.mostCost, niceness: $0.niceness, threadCount: threadCount) }
  }

  /// How many answers wait for a thread.
  var length: Int { lanes.reduce(0) { $0 + $1.length } }

  /// How many answers are computed.
  var runningCount: Int { lanes.reduce(0) { $0 + $1.runningCount } }

  /// Computes something in turn.
  ///
  /// - Parameters:
  ///   - client: Whose turn it is then.
  ///   - cost: Estimated cost, see `AnswerCost`.
  ///   - channel: The connection; the work ends if it closes. nil for work that does not depend on it.
  ///   - work: Calls `Cancellation.check()` every few milliseconds.
  /// - Throws: `Problem` where the queue is full, the work takes too long or is interrupted, and what the work throws.
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

  /// Ends all that waits or is computed, as the server stops. Answers that come later end at once.
  func stop() {
    isStopped.store(true, ordering: .sequentiallyConsistent)
    for answer in lanes.flatMap(\.answers) { answer.interrupt(bounds.refuse(.stopping)) }
  }
}

/// What an answer that is computed on a thread is interrupted by.
protocol InterruptibleAnswer: AnyObject, Sendable {
  var isInterrupted: Bool { get }

  /// Gives the client a problem at once; the thread stops at its next look.
  func interrupt(_ problem: Problem)
}

/// An answer that a client waits for: it comes from the thread that computes it, or from an interruption before that.
private final class PendingAnswer<Value: Sendable>: InterruptibleAnswer {
  private enum State {
    case new
    case waiting(CheckedContinuation<Value, any Error>)
    case ended
    /// Before anything waited for it.
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

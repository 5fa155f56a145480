import HTTPTypes
import NIOCore

/// One of the server's limits, which a client has exceeded. Metrics and the log use the raw values as names.
enum Bound: String, CaseIterable {
  case requestTime = "request-time"
  case requestSyntax = "request-syntax"
  case requestLength = "request-length"
  case responseTime = "response-time"
  case connections
  case connectionsPerAddress = "connections-per-address"
  case answersUnderWay = "answers-under-way"
  case answerBytes = "answer-bytes"
  case answerTime = "answer-time"
  case queue
  case requestRate = "request-rate"
  case token
  case stopping
}

/// A response to a request that is refused before it reaches a route.
struct Refusal {
  let bound: Bound
  let problem: Problem

  static func syntax(_ problem: Problem) -> Refusal { Refusal(bound: .requestSyntax, problem: problem) }

  static func requestTime(_ limit: TimeAmount) -> Refusal {
    let seconds = Double(limit.nanoseconds) / 1e9
    return Refusal(
      bound: .requestTime,
      problem: Problem(status: .requestTimeout, detail: "The whole request must arrive within \(seconds) seconds."))
  }

  static func bodyLength(_ length: Int) -> Refusal {
    Refusal(bound: .requestLength, problem: RequestBodyLimit.lengthExceeded(length))
  }

  static let lineLength = Refusal(
    bound: .requestLength,
    problem: Problem(
      status: .uriTooLong,
      detail: "Path and query together may have at most \(RequestMiddleware.longestAddress) bytes."))

  static let headLength = Refusal(
    bound: .requestLength,
    problem: Problem(
      status: .requestHeaderFieldsTooLarge,
      detail:
        "A request may have at most \(ConnectionChannel.mostHeaders) header fields. "
        + "Each field may have at most \(ConnectionChannel.largestHeader) bytes, "
        + "and all fields together may have at most \(2 * ConnectionChannel.largestHeader) bytes."))

  static func answerTime(_ limit: TimeAmount) -> Refusal {
    Refusal(
      bound: .answerTime,
      problem: Problem(
        status: .serviceUnavailable,
        detail:
          "The answer took over \(Double(limit.nanoseconds) / 1e9) seconds to compute; "
          + "request fewer clusters or a smaller part of the map, or try again.",
        headers: [.retryAfter: "1"]))
  }

  static let stopping = Refusal(
    bound: .stopping,
    problem: Problem(
      status: .serviceUnavailable, detail: "The server is stopping; try again.", headers: [.retryAfter: "1"]))

  static func busy(_ bound: Bound, retryAfter seconds: Int = 1) -> Refusal {
    Refusal(
      bound: bound,
      problem: Problem(
        status: .serviceUnavailable, detail: "The server is busy; try again.",
        headers: [.retryAfter: "\(seconds)"]))
  }
}

import HTTPTypes
import Logging
import NIOCore
import Synchronization

/// Bounds on the work that the server accepts at the same time. Refusals are counted.
final class ServerBounds: Sendable {
  let requestTime: TimeAmount
  let responseTime: TimeAmount
  let answerTime: TimeAmount
  let connections: ConnectionCounts
  let departures = Departures()

  private let metrics: ServerMetrics
  private let logger: Logger
  private let underWay = Atomic(0)
  private let unreadBytes = Atomic(0)
  private let mostBytes: Int
  private let untold = Mutex((refusals: [Bound: Int](), lastTold: ContinuousClock.Instant?.none))

  /// Maximum number of requests that are being answered, including requests in the queues.
  private static let mostUnderWay = 2048

  init(_ options: ServerOptions, metrics: ServerMetrics, logger: Logger) {
    requestTime = .seconds(Int64(options.requestSeconds))
    responseTime = .seconds(Int64(options.responseSeconds))
    answerTime = .seconds(Int64(options.answerSeconds))
    connections = ConnectionCounts(most: options.connections, mostPerAddress: options.connectionsPerAddress)
    mostBytes = options.answerBytes
    (self.metrics, self.logger) = (metrics, logger)
  }

  /// Returns whether requests for a path are answered even when the server is busy.
  static func isReserved(_ path: String?) -> Bool {
    let path = path?.prefix { $0 != "?" }
    return path == "/health" || path == "/ready"
  }

  /// Returns the reason to refuse a request with this head; nil if there is no such reason.
  func refusal(of head: HTTPRequest, isBeyondBound: Bool) -> Refusal? {
    if let authority = head.authority, !Authority.isValid(authority) {
      return .syntax(
        Problem(status: .badRequest, detail: "Host: expected a host name or an IP address, with an optional port."))
    }
    if head.announcesTooLongBody { return .bodyLength(head.longestBody) }
    if isBeyondBound && !Self.isReserved(head.path) { return .busy(.connections) }
    return nil
  }

  /// Increments the number of requests that are being answered. `end()` decrements this number.
  ///
  /// - Throws: `Problem` if the server is too busy.
  func begin() throws(Problem) {
    if unreadBytes.load(ordering: .relaxed) > mostBytes { throw refuse(.busy(.answerBytes)) }
    if underWay.add(1, ordering: .relaxed).newValue > Self.mostUnderWay {
      end()
      throw refuse(.busy(.answersUnderWay))
    }
  }

  func end() { underWay.subtract(1, ordering: .relaxed) }

  /// Adds `count` to the number of bytes that the server has written and clients have not received yet.
  func changeUnreadBytes(by count: Int) { unreadBytes.add(count, ordering: .relaxed) }

  var answersUnderWay: Int { underWay.load(ordering: .relaxed) }
  var answerBytes: Int { unreadBytes.load(ordering: .relaxed) }

  /// Counts a refusal and returns the problem for the client.
  func refuse(_ refusal: Refusal) -> Problem {
    count(refusal.bound)
    return refusal.problem
  }

  /// Counts a refusal. Logs at most one line per second, with all refusals since the previous line.
  func count(_ bound: Bound) {
    metrics.countRefusal(at: bound)
    let told: [Bound: Int]? = untold.withLock { untold in
      untold.refusals[bound, default: 0] += 1
      let now = ContinuousClock.now
      if let last = untold.lastTold, now - last < .seconds(1) { return nil }
      defer { untold = ([:], now) }
      return untold.refusals
    }
    guard let told else { return }
    let metadata = told.map { ($0.key.rawValue, Logger.MetadataValue.stringConvertible($0.value)) }
    logger.warning("Refused requests", metadata: Logger.Metadata(uniqueKeysWithValues: metadata))
  }
}

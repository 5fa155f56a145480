import HTTPTypes
import Logging
import NIOCore
import Synchronization

/// What the server takes on at once, and what has been refused beyond that.
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

  /// Requests that are being answered; each has a connection, a request, and maybe a place in the queue.
  private static let mostUnderWay = 2048

  init(_ options: ServerOptions, metrics: ServerMetrics, logger: Logger) {
    requestTime = .seconds(Int64(options.requestSeconds))
    responseTime = .seconds(Int64(options.responseSeconds))
    answerTime = .seconds(Int64(options.answerSeconds))
    connections = ConnectionCounts(most: options.connections, mostPerAddress: options.connectionsPerAddress)
    mostBytes = options.answerBytes
    (self.metrics, self.logger) = (metrics, logger)
  }

  /// Whether a path is answered whatever else there is to do.
  static func isReserved(_ path: String?) -> Bool {
    let path = path?.prefix { $0 != "?" }
    return path == "/health" || path == "/ready"
  }

  /// Why a request is not passed on, as far as its head tells.
  func refusal(of head: HTTPRequest, isBeyondBound: Bool) -> Refusal? {
    if let authority = head.authority, !Authority.isValid(authority) {
      return .syntax(
        Problem(status: .badRequest, detail: "Host: expected the name or address of a host and maybe a port."))
    }
    if head.announcesTooLongBody { return .bodyLength }
    if isBeyondBound && !Self.isReserved(head.path) { return .busy(.connections) }
    return nil
  }

  /// - Throws: `Problem` where there is too much to do.
  func begin() throws(Problem) {
    if unreadBytes.load(ordering: .relaxed) > mostBytes { throw refuse(.busy(.answerBytes)) }
    if underWay.add(1, ordering: .relaxed).newValue > Self.mostUnderWay {
      end()
      throw refuse(.busy(.answersUnderWay))
    }
  }

  func end() { underWay.subtract(1, ordering: .relaxed) }

  /// Answers that are written, and that clients have not taken, in bytes.
  func changeUnreadBytes(by count: Int) { unreadBytes.add(count, ordering: .relaxed) }

  var answersUnderWay: Int { underWay.load(ordering: .relaxed) }
  var answerBytes: Int { unreadBytes.load(ordering: .relaxed) }

  /// Counts a refusal, and tells what its client is told.
  func refuse(_ refusal: Refusal) -> Problem {
    count(refusal.bound)
    return refusal.problem
  }

  /// Counts a refusal. The log has one line a second at most, which tells of all since the last.
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

import Foundation
import HTTPTypes
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Synchronization
import Testing
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

@testable import TreelineServer

/// Checks the bounds of the server, and its answers to requests that exceed a bound.
@Suite struct BoundsTests {
  private static func bounds(_ change: (inout ServerOptions) -> Void = { _ in }) -> ServerBounds {
    var (options, logger) = (ServerOptions(), Logger(label: "test"))
    change(&options)
    logger.logLevel = .critical
    return ServerBounds(options, metrics: ServerMetrics(), logger: logger)
  }

  /// Returns a channel with the handlers of a connection. A test writes bytes to it, as if they came over a socket.
  private static func channel(isBeyondBound: Bool = false) throws -> EmbeddedChannel {
    let (channel, bounds, progress) = (EmbeddedChannel(), bounds(), RequestProgress())
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(RequestBeginningHandler(progress))
    try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: false)
    let guardHandler = RequestGuardHandler(
      .init(bounds: bounds, progress: progress, isStream: false, isBeyondBound: isBeyondBound))
    try pipeline.addHandlers([
      HTTP1HeadHandler(), HTTP1ToHTTPServerCodec(secure: false), DeliveryHandler(bounds), guardHandler,
    ])
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    return channel
  }

  /// Sends text to a channel. If the text cannot be parsed, the client gets an answer, and the channel also throws an
  /// error here. This error is ignored.
  private static func send(_ text: String, to channel: EmbeddedChannel) {
    _ = try? channel.writeInbound(ByteBuffer(string: text))
  }

  private static func sent(by channel: EmbeddedChannel) throws -> String {
    var text = ""
    while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
    return text
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: <script>\r\n\r\n", 400), ("nonsense\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000000\r\n\r\n", 413),
    ("GET /\(String(repeating: "a", count: 90_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 90_000))\r\n\r\n", 431),
  ]) func whatIsNoRequestIsAProblem(_ request: String, _ status: Int) throws {
    let channel = try Self.channel()
    Self.send(request, to: channel)
    let answer = try Self.sent(by: channel)
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
    for part in ["application/problem+json", "connection: close", "\"status\":\(status)", "Date: "] {
      #expect(answer.lowercased().contains(part.lowercased()), "\(answer)")
    }
    #expect(!answer.contains("script"))
    #expect(try channel.readInbound(as: HTTPRequestPart.self) == nil)
    // Bytes that follow the bad request are ignored.
    Self.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n", to: channel)
    #expect(try Self.sent(by: channel) == "")
    _ = try? channel.finish()
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nx",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n",
  ]) func requestsThatTakeTooLongAreEnded(_ request: String) throws {
    let channel = try Self.channel()
    Self.send(request, to: channel)
    channel.embeddedEventLoop.advanceTime(by: .seconds(20))
    #expect(try Self.sent(by: channel) == "")
    channel.embeddedEventLoop.advanceTime(by: .seconds(20))
    #expect(try Self.sent(by: channel).hasPrefix("HTTP/1.1 408 "))
    _ = try? channel.finish()
  }

  /// Once a request has arrived completely, it may wait for its answer as long as needed.
  @Test func wholeRequestsMayWait() throws {
    let channel = try Self.channel()
    Self.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n", to: channel)
    channel.embeddedEventLoop.advanceTime(by: .seconds(300))
    #expect(try Self.sent(by: channel) == "" && channel.isActive)
    _ = try? channel.finish()
  }

  /// Checks that a refusal is sent after the answers to earlier requests.
  @Test func refusalsWaitTheirTurn() throws {
    let channel = try Self.channel()
    Self.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n", to: channel)
    #expect(try Self.sent(by: channel) == "")
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok, headerFields: [.contentLength: "0"])))
    try channel.writeOutbound(HTTPResponsePart.end(nil))
    let answers = try Self.sent(by: channel)
    #expect(answers.hasPrefix("HTTP/1.1 200 ") && answers.contains("HTTP/1.1 400 "))
    _ = try? channel.finish()
  }

  /// If the body of a request is not read, the connection ends. Checks that the request does not get a second answer.
  @Test func unreadBodiesEnd() throws {
    let channel = try Self.channel()
    Self.send("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\nx", to: channel)
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok, headerFields: [.contentLength: "0"])))
    try channel.writeOutbound(HTTPResponsePart.end(nil))
    channel.embeddedEventLoop.advanceTime(by: .seconds(60))
    #expect(!channel.isActive)
    let answers = try Self.sent(by: channel)
    #expect(answers.hasPrefix("HTTP/1.1 200 ") && !answers.contains("408"))
  }

  @Test func absoluteAddressesAreTakenApart() throws {
    let channel = try Self.channel()
    Self.send("GET http://b:80/x?y HTTP/1.1\r\nHost: a\r\n\r\n", to: channel)
    guard case .head(let head)? = try channel.readInbound(as: HTTPRequestPart.self) else { throw CancellationError() }
    #expect(head.path == "/x?y" && head.authority == "b:80")
    _ = try? channel.finish()
  }

  @Test func beyondTheBoundTheStateIsTold() throws {
    for (path, isPassed) in [("/health", true), ("/ready", true), ("/v1/indexes", false)] {
      let channel = try Self.channel(isBeyondBound: true)
      Self.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n", to: channel)
      #expect(try (channel.readInbound(as: HTTPRequestPart.self) != nil) == isPassed)
      let answer = try Self.sent(by: channel)
      #expect(answer.hasPrefix("HTTP/1.1 503 ") != isPassed && answer.lowercased().contains("retry-after") != isPassed)
      channel.embeddedEventLoop.advanceTime(by: .seconds(5))
      #expect(!channel.isActive)
    }
  }

  @Test func connectionsAreCounted() throws {
    let counts = ConnectionCounts(most: 3, mostPerAddress: 2)
    let (a, b) = (IPAddress("10.0.0.1"), IPAddress("10.0.0.2"))
    #expect(counts.open(a) == .welcome && counts.open(a) == .welcome)
    #expect(counts.open(a) == .beyondBound(.connectionsPerAddress))
    counts.close(a)
    #expect(counts.open(b) == .welcome && counts.open(nil) == .beyondBound(.connections))
    for _ in 0..<ConnectionCounts.reserve.perAddress { _ = counts.open(a) }
    #expect(counts.open(a) == .none)
    #expect(counts.all == 5 + ConnectionCounts.reserve.perAddress)
  }

  @Test func ratesAreKept() throws {
    let (rate, address) = (RequestRate(perSecond: 5), try #require(IPAddress("10.0.0.1")))
    let refused = (0..<30).count { _ in rate.take(address) != nil }
    #expect(20...25 ~= refused)
    #expect(rate.take(try #require(IPAddress("10.0.0.2"))) == nil)
  }

  /// Checks that the cheap request of one client does not wait for all expensive requests of another client.
  @Test func theQueueIsFair() async throws {
    let pool = AnswerPool(Self.bounds { $0.answerSeconds = 3600 }, threadCount: 1)
    let order = Order()
    try await withThrowingTaskGroup(of: Void.self) { group in
      let gate = DispatchSemaphore(value: 0)
      group.addTask { try await pool.run(for: "gate", cost: 1) { gate.wait() } }
      while pool.runningCount < 1 { try await Task.sleep(for: .milliseconds(1)) }
      for name in Array(repeating: "heavy", count: 10) + ["light", "light"] {
        try await Task.sleep(for: .milliseconds(5))
        group.addTask {
          try await pool.run(for: name, cost: name == "heavy" ? 4000 : 1) { order.append(name) }
        }
      }
      while pool.length < 12 { try await Task.sleep(for: .milliseconds(5)) }
      gate.signal()
      try await group.waitForAll()
    }
    #expect(order.names.prefix(4).count { $0 == "light" } == 2, "\(order.names)")
  }

  /// A client that always has an answer under way and another one waiting must not keep others from their turns.
  @Test func aBusyClientLeavesTurnsToOthers() async throws {
    let pool = AnswerPool(Self.bounds { $0.answerSeconds = 3600 }, threadCount: 1)
    let order = Order()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          for _ in 0..<40 where order.names.count(where: { $0 == "light" }) < 2 {
            try await pool.run(for: "busy", cost: 1000) {
              order.append("busy")
              usleep(5000)
            }
          }
        }
      }
      while order.names.count < 3 { try await Task.sleep(for: .milliseconds(1)) }
      for _ in 0..<2 { group.addTask { try await pool.run(for: "light", cost: 1000) { order.append("light") } } }
      try await group.waitForAll()
    }
    #expect(order.names.count < 30, "\(order.names)")
  }

  private final class Order: Sendable {
    private let all = Mutex<[String]>([])
    var names: [String] { all.withLock { $0 } }
    func append(_ name: String) { all.withLock { $0.append(name) } }
  }

  @Test func aFullQueueIsTold() async throws {
    let pool = AnswerPool(Self.bounds(), threadCount: 1)
    let refused = await withTaskGroup(of: Problem?.self) { group in
      for _ in 0..<200 {
        group.addTask {
          do { try await pool.run(for: "a", cost: 10_000) { usleep(200) } } catch { return error as? Problem }
          return nil
        }
      }
      return await group.compactMap { $0 }.reduce(into: []) { $0.append($1) }
    }
    #expect(!refused.isEmpty && refused.allSatisfy { $0.status == .serviceUnavailable })
    #expect(refused.allSatisfy { $0.headers[.retryAfter] != nil })
  }

  /// If a bound is exceeded, clients are told when to ask again, and other routes still answer. Refusals are counted.
  /// The log has at most one line per second for all of them.
  @Test(arguments: [Bound.answersUnderWay, .answerBytes]) func whatIsUnderWayIsBounded(_ bound: Bound) async throws {
    let indexes = try TestServer()
    let log = TestLog()
    let server = try ClusterServer(indexes.catalog, logger: log.logger)
    let client = TestClient(responder: server.responder)
    let path = "/v1/places/clusters?limit=3"
    switch bound {
    case .answersUnderWay: for _ in 0..<2048 { try server.bounds.begin() }
    default: server.bounds.changeUnreadBytes(by: ServerOptions().answerBytes + 1)
    }
    for _ in 0..<20 {
      let answer = try await client.get(path)
      #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] == "1")
      #expect(answer.headers[.contentType] == "application/problem+json")
      #expect(try answer.json()["status"] as? Int == 503)
    }
    for state in ["/health", "/ready"] { #expect(try await client.get(state).status == .ok) }
    // The log gets one line for the first refusal at once, and a second later one line for all other refusals.
    #expect(log.events.map(\.metadata?.description) == ["[\"\(bound.rawValue)\": 1]"])
    try await Task.sleep(for: .milliseconds(1050))
    #expect(try await client.get(path).status == .serviceUnavailable)
    #expect(log.events.map(\.metadata?.description) == ["[\"\(bound.rawValue)\": 1]", "[\"\(bound.rawValue)\": 20]"])
    #expect(log.events.allSatisfy { $0.level == .warning && $0.message == "Refused requests" })
    switch bound {
    case .answersUnderWay: for _ in 0..<2048 { server.bounds.end() }
    default: server.bounds.changeUnreadBytes(by: -ServerOptions().answerBytes - 1)
    }
    #expect(try await client.get(path).status == .ok)
    #expect(server.bounds.answersUnderWay == 0 && server.bounds.answerBytes == 0)
    let metrics = String(buffer: try await client.get("/metrics").body)
    #expect(metrics.contains("treeline_refusals_total{bound=\"\(bound.rawValue)\"} 21\n"), "\(metrics)")
  }

  @Test func tinyRatesAreKept() throws {
    let (rate, address) = (RequestRate(perSecond: 1e-300), try #require(IPAddress("10.0.0.1")))
    #expect(rate.take(address) == nil)
    #expect(rate.take(address) == 86_400)
  }

  /// Checks that cheaper answers are computed while an expensive answer is being computed.
  @Test func answersWaitForNoneThatCostMuchMore() async throws {
    let pool = AnswerPool(Self.bounds(), threadCount: 1)
    let gate = DispatchSemaphore(value: 0)
    async let heavy: Void = pool.run(for: "a", cost: 1_000_000) { gate.wait() }
    for cost in [1, 10_000, 50_000, 200_000] { #expect(try await pool.run(for: "a", cost: cost) { cost } == cost) }
    gate.signal()
    try await heavy
  }

  /// Checks that running answers and waiting answers end when the server stops, and that no answer begins after that.
  @Test func stoppingEndsAnswers() async throws {
    let pool = AnswerPool(Self.bounds(), threadCount: 1)
    let hasBegun = Mutex(false)
    let hasEnded = Mutex(false)
    async let running = Self.problem {
      try await pool.run(for: "a", cost: 1) {
        hasBegun.withLock { $0 = true }
        defer { hasEnded.withLock { $0 = true } }
        while true { try Cancellation.check() }
      }
    }
    // Waits until the first answer is running. Otherwise the second answer might run first, and no answer would ever
    // wait.
    while !hasBegun.withLock(\.self) { try await Task.sleep(for: .milliseconds(1)) }
    async let waiting = Self.problem { try await pool.run(for: "b", cost: 1) {} }
    while pool.length < 1 { try await Task.sleep(for: .milliseconds(1)) }
    pool.stop()
    let later = await Self.problem { try await pool.run(for: "a", cost: 1) {} }
    let problems = await [running, waiting, later]
    #expect(problems.allSatisfy { $0?.status == .serviceUnavailable })
    while !hasEnded.withLock(\.self) { try await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func answersThatTakeTooLongEnd() async throws {
    let pool = AnswerPool(Self.bounds { $0.answerSeconds = 0 }, threadCount: 1)
    let problem = await Self.problem {
      try await pool.run(for: "a", cost: 1) { while true { try Cancellation.check() } }
    }
    #expect(problem?.status == .serviceUnavailable && problem?.headers[.retryAfter] == "1")
  }

  /// In HTTP/2, a stream closes its input at the end of each request. In HTTP/1.1, a connection that closes its input
  /// is most likely gone.
  @Test(arguments: [false, true]) func answersEndWithTheirClient(_ isStream: Bool) async throws {
    // Runs on a separate thread: the test waits, and an embedded channel must stay on one thread.
    let outcome = try await withCheckedThrowingContinuation { continuation in
      Thread { continuation.resume(with: Result { try Self.outcome(isStream: isStream) }) }.start()
    }
    #expect(outcome.runsWithoutInput == isStream)
    #expect(outcome.statuses == ["503"])
  }

  private static func outcome(isStream: Bool) throws
    -> (runsWithoutInput: Bool, statuses: [String])
  {
    let bounds = Self.bounds()
    let (pool, channel, statuses) = (AnswerPool(bounds, threadCount: 1), EmbeddedChannel(), Order())
    try channel.pipeline.syncOperations.addHandler(DepartureHandler(bounds.departures, isStream: isStream))
    Task {
      let problem = await Self.problem {
        try await pool.run(for: "a", cost: 1, on: channel) { while true { try Cancellation.check() } }
      }
      statuses.append("\(problem?.status.code ?? 0)")
    }
    while pool.runningCount < 1 { usleep(1000) }
    channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    var runsWithoutInput = false
    if isStream {
      usleep(20_000)
      runsWithoutInput = pool.runningCount == 1
      channel.pipeline.fireChannelInactive()
    }
    while pool.runningCount > 0 || statuses.names.isEmpty { usleep(1000) }
    _ = try? channel.finish()
    return (runsWithoutInput, statuses.names)
  }

  private static func problem(_ work: () async throws -> Void) async -> Problem? {
    do { try await work() } catch { return error as? Problem }
    return nil
  }

  @Test func longAnswersEndWhileTheyAreWritten() {
    var bytes = OutputBytes(capacity: 64, limit: 1000)
    for _ in 0..<100 { bytes.append("0123456789") }
    let isOverBefore = bytes.isOverLimit
    bytes.append("x")
    for _ in 0..<1000 { bytes.append("0123456789") }
    let isOver = bytes.isOverLimit
    #expect(!isOverBefore && isOver)
  }

  @Test func costsAreEstimatedByPixels() throws {
    let tree = TestServer.places
    let view = try Viewport(center: Coordinate(longitude: 2, latitude: 48), zoom: 5, width: 1000, height: 800)
      .located(on: tree.plane)
    #expect(Cut.limit(100).cost(in: view, of: tree) == 100)
    #expect(200...600 ~= Cut.spacing(44).cost(in: view, of: tree))
    #expect(Cut.spacing(1).cost(in: view, of: tree) == tree.pointCount)
    #expect(Cut.detail(0).cost(in: view, of: tree) == tree.pointCount)
    #expect(Cut.spacing(44).cost(in: nil, of: tree) == 1)
  }
}

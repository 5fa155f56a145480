import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@testable import TreelineServer

/// Checks the work of a connection before its requests reach the router.
@Suite struct ConnectionTests {
  /// Checks that pipelined requests are passed on one at a time. Each request waits for the response to the previous
  /// request.
  @Test func pipelinedRequestsTakeTurns() throws {
    let channel = EmbeddedChannel(handler: PipeliningHandler())
    try Self.request(["/1", "/2", "/3"], on: channel)
    #expect(try Self.paths(passedBy: channel) == ["/1"])
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(try Self.paths(passedBy: channel) == [])
    for next in [["/2"], ["/3"], []] {
      try Self.respond(on: channel)
      channel.embeddedEventLoop.run()
      #expect(try Self.paths(passedBy: channel) == [])
      channel.embeddedEventLoop.advanceTime(by: .microseconds(50))
      #expect(try Self.paths(passedBy: channel) == next)
    }
    try Self.request(["/4"], on: channel)
    #expect(try Self.paths(passedBy: channel) == ["/4"])
    _ = try? channel.finish()
  }

  /// Checks that the parts of a body are passed on as they arrive. The parts of a later request are passed on together
  /// with its head.
  @Test func bodiesStayWithTheirRequests() throws {
    let channel = EmbeddedChannel(handler: PipeliningHandler())
    for _ in 0..<2 {
      try channel.writeInbound(HTTPRequestPart.head(Self.head("/", .post, [.contentLength: "1"])))
      try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "x")))
      try channel.writeInbound(HTTPRequestPart.end(nil))
    }
    for _ in 0..<2 {
      #expect(try Self.parts(passedBy: channel).count == 3)
      try Self.respond(on: channel)
      channel.embeddedEventLoop.advanceTime(by: .microseconds(50))
    }
    _ = try? channel.finish()
  }

  @Test func requestsBeforeTheEndOfInputAreNotLost() throws {
    let channel = EmbeddedChannel(handler: PipeliningHandler())
    try Self.request(["/1", "/2", "/3"], on: channel)
    channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    #expect(try Self.paths(passedBy: channel) == ["/1", "/2", "/3"])
    _ = try? channel.finish()
  }

  @Test func expectationsAreAnswered() throws {
    let channel = EmbeddedChannel(handler: PipeliningHandler())
    try channel.writeInbound(
      HTTPRequestPart.head(Self.head("/x", .post, [.contentLength: "5", .expect: "100-Continue"])))
    #expect(try channel.readOutbound(as: HTTPResponsePart.self) == .head(HTTPResponse(status: .continue)))
    #expect(try Self.heads(passedBy: channel).count == 1)
    _ = try? channel.finish()
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\nhost: x\r\nConnection: Close, TE\r\n\r\n", "close"), ("GET / HTTP/1.0\r\n\r\n", "close"),
    ("GET / HTTP/1.1\r\nhost: x\r\n\r\n", nil),
    ("GET / HTTP/1.1\r\nhost: x\r\nConnection: Keep-Alive\r\n\r\n", "Keep-Alive"),
  ]) func theLastRequestIsKnown(_ request: String, _ connection: String?) throws {
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: false)
    try channel.pipeline.syncOperations.addHandlers([HTTP1HeadHandler(), HTTP1ToHTTPServerCodec(secure: false)])
    try channel.writeInbound(ByteBuffer(string: request))
    let head = try #require(Self.heads(passedBy: channel).first)
    #expect(head.headerFields[.connection] == connection)
    _ = try? channel.finish()
  }

  /// Expensive requests are not answered on the event loop. The first request of a kind is expensive, because it
  /// prepares data that later requests only read.
  @Test func expensiveRequestsAreKnown() async throws {
    let server = try TestServer()
    func isExpensive(_ query: String, _ answer: (inout IndexRequestContext) throws -> Representation) throws -> Bool {
      let request = Request(head: Self.head("/?\(query)"), body: RequestBody(buffer: ByteBuffer()))
      var context = try IndexRequestContext(
        request, path: ["index": "places"], root: nil, of: server.catalog)
      return try answer(&context).isExpensive
    }
    let view = "center=2.3,48.8&zoom=9&width=800&height=600"
    #expect(try isExpensive(view) { MeasureRoutes.measures(&$0) })
    #expect(try isExpensive("limit=1001") { ClusterRoutes.clusters(&$0) })
    #expect(try isExpensive("limit=1001&from-limit=9") { TransitionRoutes.betweenViews(&$0) })
    #expect(try !isExpensive("limit=1000") { ClusterRoutes.clusters(&$0) })
    for isFirst in [true, false] {
      #expect(try isExpensive("method=grid&\(view)") { ClusterRoutes.clusters(&$0) } == isFirst)
      #expect(try isExpensive("row=3") { try ClusterRoutes.whereIs(&$0) } == isFirst)
      for path in ["clusters?method=grid&\(view)", "where-is?row=3"] {
        _ = try await server.client.get("/v1/places/" + path)
      }
    }
  }

  private static func head(_ path: String, _ method: HTTPRequest.Method = .get, _ headers: HTTPFields = [:])
    -> HTTPRequest
  { HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path, headerFields: headers) }

  private static func request(_ paths: [String], on channel: EmbeddedChannel) throws {
    for path in paths {
      channel.pipeline.fireChannelRead(HTTPRequestPart.head(head(path)))
      channel.pipeline.fireChannelRead(HTTPRequestPart.end(nil))
    }
    channel.pipeline.fireChannelReadComplete()
  }

  private static func respond(on channel: EmbeddedChannel) throws {
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    try channel.writeOutbound(HTTPResponsePart.end(nil))
  }

  private static func parts(passedBy channel: EmbeddedChannel) throws -> [HTTPRequestPart] {
    var parts: [HTTPRequestPart] = []
    while let part = try channel.readInbound(as: HTTPRequestPart.self) { parts.append(part) }
    return parts
  }

  private static func heads(passedBy channel: EmbeddedChannel) throws -> [HTTPRequest] {
    try parts(passedBy: channel).compactMap { if case .head(let head) = $0 { head } else { nil } }
  }

  private static func paths(passedBy channel: EmbeddedChannel) throws -> [String] {
    try heads(passedBy: channel).compactMap(\.path)
  }
}

import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@testable import TreelineServer

/// What is replied to on a connection's event loop, and what is left to the router. That both say the same is checked wherever
/// a test asks something.
@Suite struct PromptTests {
  private static func head(
    _ path: String, _ method: HTTPRequest.Method = .get, _ headers: HTTPFields = [:]
  ) -> HTTPRequest {
    HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path, headerFields: headers)
  }

  @Test(arguments: [
    "/v1/places", "/v1/places/clusters", "/v1/places/clusters?limit=9", "/v1/places/clusters?limit=x",
    "/v1/places/clusters/0/members", "/v1/places/tiles/0/0/0.mvt?buffer=3",
    "/v1/places/clusters?bbox=1%2C2,3,4",
  ])
  func indexesReplyAtOnce(_ path: String) throws {
    let server = try TestServer()
    let routes = try ClusterServer(server.catalog).promptRoutes
    for headers: HTTPFields in [[:], [.connection: "Keep-Alive"], [.origin: "https://a.org"]] {
      #expect(routes.reply(to: Self.head(path, .get, headers)) != nil)
    }
  }

  @Test(arguments: [
    "/", "/v1/places/clusters#there", "/v1/nothing/clusters", "/health", "/metrics", "/v1/indexes",
    "/v1/places/nothing", "/v1/places/", "/v1//clusters",
    "/v1/pl%61ces/clusters", "/v1/places/tiles/0/0/.mvt", "/v1/places/tiles/0/0/0.png", "",
    "http://localhost/v1/places/clusters", "/v1/places/clusters?" + String(repeating: "a", count: 9000),
  ])
  func otherPathsAreLeftToTheRouter(_ path: String) throws {
    let server = try TestServer()
    #expect(try ClusterServer(server.catalog).promptRoutes.reply(to: Self.head(path)) == nil)
  }

  @Test func otherWishesAreLeftToTheRouter() throws {
    var server = try TestServer()
    server.options.allowedOrigin = "*"
    let routes = try ClusterServer(server.catalog, options: server.options).promptRoutes
    let path = "/v1/places/clusters"
    #expect(routes.reply(to: Self.head(path)) != nil)
    #expect(routes.reply(to: Self.head(path, .get, [.origin: "https://a.org"])) != nil)
    #expect(routes.reply(to: Self.head(path, .get, [.connection: "close"])) == nil)
    for method in [HTTPRequest.Method.head, .post, .delete] {
      #expect(routes.reply(to: Self.head(path, method)) == nil)
    }
  }

  /// So that nobody waits for a loop that is busy with another's.
  @Test func whatTakesLongIsLeftToTheRouter() async throws {
    let server = try TestServer()
    let routes = try ClusterServer(server.catalog).promptRoutes
    let view = "center=2.3,48.8&zoom=9&width=800&height=600"
    for path in ["measures?\(view)", "clusters?limit=1001", "transition?limit=1001&from-limit=9"] {
      #expect(routes.reply(to: Self.head("/v1/places/" + path)) == nil)
      let answer = try await server.ask { try await $0.execute(uri: "/v1/places/" + path, method: .get) }
      #expect(answer.status == .ok)
    }
    // The first of a kind makes what the others look at.
    for path in ["clusters?method=grid&\(view)", "where-is?row=3"] {
      #expect(routes.reply(to: Self.head("/v1/places/" + path)) == nil)
      _ = try await server.ask { try await $0.execute(uri: "/v1/places/" + path, method: .get) }
      #expect(routes.reply(to: Self.head("/v1/places/" + path)) != nil)
    }
  }

  /// Requests sent at once, some of them the router's, which replies later: all replies come in the order of the requests.
  @Test func repliesComeInOrder() throws {
    let channel = Self.channel()
    for path in ["/prompt/1", "/later/2", "/prompt/3", "/later/4"] { try Self.ask(path, of: channel) }
    #expect(try Self.paths(handedOnBy: channel) == ["/later/2", "/prompt/3", "/later/4"])
    #expect(try Self.bodies(sentBy: channel) == ["/prompt/1"])
    for body in ["2", "3", "4"] { try Self.reply(body, through: channel) }
    try Self.ask("/prompt/5", of: channel)
    #expect(try Self.bodies(sentBy: channel) == ["2", "3", "4", "/prompt/5"])
    #expect(try Self.paths(handedOnBy: channel) == [])
    _ = try? channel.finish()
  }

  /// Of many requests that come together each turn of the loop replies to one, and meanwhile no more is read.
  @Test func othersHaveTheirTurns() throws {
    let channel = Self.channel()
    for path in ["/prompt/1", "/prompt/2", "/prompt/3", "/later/4", "/prompt/5"] {
      channel.pipeline.fireChannelRead(HTTPRequestPart.head(Self.head(path)))
      channel.pipeline.fireChannelRead(HTTPRequestPart.end(nil))
    }
    channel.pipeline.fireChannelReadComplete()
    #expect(try Self.bodies(sentBy: channel) == ["/prompt/1"])
    channel.embeddedEventLoop.run()
    #expect(try Self.bodies(sentBy: channel) == [])
    for path in ["/prompt/2", "/prompt/3"] {
      channel.embeddedEventLoop.advanceTime(by: .microseconds(50))
      #expect(try Self.bodies(sentBy: channel) == [path])
    }
    channel.embeddedEventLoop.advanceTime(by: .microseconds(50))
    #expect(try Self.paths(handedOnBy: channel) == ["/later/4", "/prompt/5"])
    _ = try? channel.finish()
  }

  /// What was sent before a client closed its side is replied to.
  @Test func nothingIsLostAtTheEnd() throws {
    let channel = Self.channel()
    for path in ["/prompt/1", "/prompt/2", "/prompt/3"] {
      channel.pipeline.fireChannelRead(HTTPRequestPart.head(Self.head(path)))
      channel.pipeline.fireChannelRead(HTTPRequestPart.end(nil))
    }
    channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    #expect(try Self.bodies(sentBy: channel) == ["/prompt/1", "/prompt/2", "/prompt/3"])
    _ = try? channel.finish()
  }

  /// Whoever waits for a body answers for it.
  @Test(arguments: [HTTPField.Name.contentLength, .transferEncoding])
  func aHeadThatAnnouncesABodyIsHandedOnAtOnce(_ name: HTTPField.Name) throws {
    let channel = Self.channel()
    try channel.writeInbound(
      HTTPRequestPart.head(Self.head("/prompt/1", .get, [name: name == .contentLength ? "5" : "chunked"])))
    try channel.writeInbound(HTTPRequestPart.head(Self.head("/prompt/1", .post)))
    #expect(try Self.paths(handedOnBy: channel) == ["/prompt/1", "/prompt/1"])
    _ = try? channel.finish()
  }

  /// A client that waits to be invited is, or told at once that its body is too long.
  @Test(arguments: [("5", true), ("\(Routes.longestBody + 1)", false)])
  func bodiesAreInvited(_ length: String, _ isInvited: Bool) throws {
    let channel = Self.channel()
    try channel.writeInbound(
      HTTPRequestPart.head(Self.head("/x", .post, [.contentLength: length, .expect: "100-Continue"])))
    let sent = try channel.readOutbound(as: HTTPResponsePart.self)
    #expect((sent == .head(HTTPResponse(status: .continue))) == isInvited)
    guard case .head(let head) = try channel.readInbound(as: HTTPRequestPart.self) else {
      Issue.record("no head")
      return
    }
    #expect((head.headerFields[.connection] == "close") == !isInvited)
    _ = try? channel.finish()
  }

  /// As a client of HTTP/1.0 means it, and in whatever letters.
  @Test(arguments: [
    ("GET / HTTP/1.1\r\nhost: x\r\nConnection: Close, TE\r\n\r\n", "close"),
    ("GET / HTTP/1.0\r\n\r\n", "close"), ("GET / HTTP/1.1\r\nhost: x\r\n\r\n", nil),
    ("GET / HTTP/1.1\r\nhost: x\r\nConnection: Keep-Alive\r\n\r\n", "Keep-Alive"),
  ])
  func theLastRequestIsKnown(_ request: String, _ connection: String?) throws {
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: false)
    try channel.pipeline.syncOperations.addHandlers(
      [LastRequestHandler(), HTTP1ToHTTPServerCodec(secure: false)])
    try channel.writeInbound(ByteBuffer(string: request))
    guard case .head(let head) = try channel.readInbound(as: HTTPRequestPart.self) else {
      Issue.record("no head")
      return
    }
    #expect(head.headerFields[.connection] == connection)
    _ = try? channel.finish()
  }

  @Test func aRequestWithABodyIsLeftToTheRouter() throws {
    let channel = Self.channel()
    try channel.writeInbound(HTTPRequestPart.head(Self.head("/prompt/1")))
    try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "x")))
    try channel.writeInbound(HTTPRequestPart.end(nil))
    #expect(try Self.paths(handedOnBy: channel) == ["/prompt/1"])
    #expect(try Self.bodies(sentBy: channel) == [])
    _ = try? channel.finish()
  }

  /// Replies to a client that reads none of them do not heap up.
  @Test func aClientThatReadsNothingIsLeftToTheRouter() throws {
    let channel = Self.channel()
    channel.isWritable = false
    try Self.ask("/prompt/1", of: channel)
    #expect(try Self.paths(handedOnBy: channel) == ["/prompt/1"])
    channel.isWritable = true
    try Self.reply("1", through: channel)
    try Self.ask("/prompt/2", of: channel)
    #expect(try Self.bodies(sentBy: channel) == ["1", "/prompt/2"])
    _ = try? channel.finish()
  }

  /// Independent of the machine's language and place.
  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
  ])
  func datesAreWrittenAsHTTPHasThem(_ second: Int, _ text: String) {
    #expect(DateField.text(of: second) == text)
  }

  private static func channel() -> EmbeddedChannel {
    EmbeddedChannel(
      handler: PromptHandler { head in
        guard let path = head.path, path.hasPrefix("/prompt/") else { return nil }
        return Reply(status: .ok, headers: [:], body: ByteBuffer(string: path))
      })
  }

  private static func ask(_ path: String, of channel: EmbeddedChannel) throws {
    try channel.writeInbound(HTTPRequestPart.head(head(path)))
    try channel.writeInbound(HTTPRequestPart.end(nil))
  }

  private static func reply(_ body: String, through channel: EmbeddedChannel) throws {
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    try channel.writeOutbound(HTTPResponsePart.body(ByteBuffer(string: body)))
    try channel.writeOutbound(HTTPResponsePart.end(nil))
  }

  private static func paths(handedOnBy channel: EmbeddedChannel) throws -> [String] {
    var paths: [String] = []
    while let part = try channel.readInbound(as: HTTPRequestPart.self) {
      if case .head(let head) = part { paths.append(head.path ?? "") }
    }
    return paths
  }

  private static func bodies(sentBy channel: EmbeddedChannel) throws -> [String] {
    var bodies: [String] = []
    while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
      if case .body(let body) = part { bodies.append(String(buffer: body)) }
    }
    return bodies
  }
}

import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import Testing

@testable import TreelineServer

/// Checks rules of HTTP that clients rely on, for every route.
@Suite struct HTTPTests {
  private static let paths = [
    "/v1/indexes", "/v1/places", "/v1/places/clusters?limit=9", "/v1/places/tiles.json", "/v1/places/tiles/0/0/0.mvt",
    "/openapi.json",
  ]

  @Test(arguments: paths) func whatIsAtHandIsNotSentAgain(_ path: String) async throws {
    let client = try TestServer().client
    let first = try await client.get(path)
    let tag = try #require(first.headers[.eTag])
    for known in [tag, "W/\(tag)", "\"x\",\t\(tag)", "*"] {
      let second = try await client.get(path, [.ifNoneMatch: known])
      #expect(second.status == .notModified && second.body.readableBytes == 0)
      #expect(second.headers[.eTag] == tag)
    }
    let other = try await client.get(path, [.ifNoneMatch: "\"x\""])
    #expect(other.status == .ok && other.body == first.body)
  }

  @Test(arguments: paths) func headSaysWhatGetWould(_ path: String) async throws {
    let client = try TestServer().client
    let get = try await client.get(path)
    let head = try await client.execute(uri: path, method: .head)
    #expect(head.status == .ok && head.body.readableBytes == 0)
    #expect(head.headers[.contentLength] == "\(get.body.readableBytes)")
    #expect(head.headers[.contentType] == get.headers[.contentType])
  }

  /// Compares sizes and headers. Of the body, only the length in its trailer is checked.
  @Test(arguments: ["gzip", "br, gzip;q=0.5", "*"]) func answersAreCompressedWhereThatIsTaken(_ accepted: String)
    async throws
  {
    let client = try TestServer().client
    let path = "/v1/places/clusters?limit=100"
    let plain = try await client.get(path)
    let compressed = try await client.get(path, [.acceptEncoding: accepted])
    #expect(plain.headers[.contentEncoding] == nil)
    #expect(compressed.headers[.contentEncoding] == "gzip")
    #expect(compressed.headers[.vary] == "Accept-Encoding")
    #expect(compressed.headers[.eTag] != plain.headers[.eTag])
    #expect(compressed.body.readableBytes * 3 < plain.body.readableBytes)
    // The trailer contains the length of the uncompressed body.
    let length = compressed.body.getInteger(at: compressed.body.writerIndex - 4, endianness: .little, as: UInt32.self)
    #expect(length == UInt32(plain.body.readableBytes))
  }

  /// An entity tag never matches a path that does not exist, and neither does `*`.
  @Test func aBasemapIsServedInRanges() async throws {
    var server = try TestServer()
    let path = server.folder.appendingPathComponent("map.pmtiles").path
    let bytes = Data("PMTiles\u{3}".utf8) + Data((0..<200).map { UInt8($0) })
    try bytes.write(to: URL(fileURLWithPath: path))
    server.options.basemapFile = path
    let client = try server.client
    let indexes = try await client.get("/v1/indexes").json()
    #expect(indexes["basemap"] as? String == "viewer/basemap.pmtiles" && indexes["style"] == nil)
    let part = try await client.get("/viewer/basemap.pmtiles", [.range: "bytes=6-9"])
    #expect(part.status == .partialContent && Data(part.body.readableBytesView) == bytes[6...9])
    #expect(part.headers[.contentRange] == "bytes 6-9/208")
    let whole = try await client.get("/viewer/basemap.pmtiles")
    #expect(whole.status == .ok && Data(whole.body.readableBytesView) == bytes)
    #expect(
      try await client.get("/viewer/basemap.pmtiles", [.range: "bytes=999-"]).status == .rangeNotSatisfiable)
    server.options.basemapFile = server.path("places")
    #expect(throws: ServerError.noBasemap(path: server.path("places"))) { try server.client }
  }

  @Test func whatIsNotThereIsNotKnown() async throws {
    let client = try TestServer().client
    for path in ["/v1/places/clusters/1099511627777", "/v1/places/clusters/0/parent", "/nothing"] {
      let answer = try await client.get(path, [.ifNoneMatch: "*"])
      #expect(answer.status == .notFound, "\(path)")
      let head = try await client.execute(uri: path, method: .head)
      #expect(head.status == .notFound && head.body.readableBytes == 0, "\(path)")
    }
  }

  @Test(arguments: ["", "identity", "gzip;q=0", "br", "gzip;Q=0", "gzip;q=0, *"])
  func answersAreNotCompressedWhereThatIsNotTaken(_ accepted: String) async throws {
    let client = try TestServer().client
    let answer = try await client.get("/v1/places/clusters?limit=100", [.acceptEncoding: accepted])
    #expect(answer.headers[.contentEncoding] == nil && answer.status == .ok)
  }

  @Test(arguments: [
    (HTTPRequest.Method.post, "/v1/places/clusters", "GET, HEAD"), (.delete, "/", "GET, HEAD"),
    (.put, "/v1/places/transition", "GET, HEAD, POST"), (.options, "/health", "GET, HEAD"),
    (.trace, "/v1/indexes", "GET, HEAD"), (.init("PROPFIND")!, "/v1/places", "GET, HEAD"),
    (.init("PURGE")!, "/v1/places/tiles/0/0/0.mvt", "GET, HEAD"),
  ]) func otherMethodsAreNamed(_ method: HTTPRequest.Method, _ path: String, _ allowed: String) async throws {
    let client = try TestServer().client
    let answer = try await client.execute(uri: path, method: method)
    #expect(answer.status == .methodNotAllowed && answer.headers[.allow] == allowed)
    #expect(try answer.json()["status"] as? Int == 405)
  }

  @Test(arguments: [
    "/nothing", "/v1", "/v1/other/clusters", "/v1/places/clusters/1099511627777", "/v1/places/tiles/3/8/0.mvt",
    "/v1/places/tiles/25/0/0.mvt", "/v1/places/tiles/0/0/0.png", "/viewer/nothing.js", "/viewer/../openapi.json",
    "/viewer/%2e%2e/openapi.json", "/viewer/.hidden", "/viewer/",
  ]) func whatIsNotThereIsAProblem(_ path: String) async throws {
    let client = try TestServer().client
    let answer = try await client.get(path)
    #expect(answer.status == .notFound && answer.headers[.contentType] == "application/problem+json")
    #expect(try answer.json()["status"] as? Int == 404)
  }

  @Test func addressesHaveAnEnd() async throws {
    let client = try TestServer().client
    let answer = try await client.get("/v1/places/clusters?" + String(repeating: "a", count: 9000))
    #expect(answer.status == .uriTooLong)
  }

  @Test(arguments: [
    ("application/json", "{}", 400), ("application/json", "", 400), ("application/json", "{\"cluster_ids\":[-1]}", 400),
    ("application/json", "{\"cluster_ids\":[0.5]}", 400), ("application/json", "{\"cluster_ids\":[0,0]}", 400),
    ("application/json", "{\"cluster_ids\":[77777777777]}", 409),
    ("application/json", "{\"version\":\"0\",\"cluster_ids\":[]}", 409),
    ("application/json", "{\"cluster_ids\":[9007199254740992]}", 400),
    ("application/json", "{\"cluster_ids\":[0],\"vresion\":\"0\"}", 400), ("text/html", "{\"cluster_ids\":[]}", 415),
    ("application/json; charset=utf-8", "{\"cluster_ids\":[0]}", 200),
    ("application/json; charset=iso-8859-1", "{\"cluster_ids\":[0]}", 415),
    ("application/json; charset=utf-16", "{\"cluster_ids\":[0]}", 415),
    ("application/json", "{\"cluster_ids\":[0],\"cluster_ids\":[]}", 400),
    ("application/json", "{\"cluster_ids\":[],\"cluster\\u005Fids\":[0]}", 400),
    ("application/json", "{\"version\":null,\"cluster_ids\":[0]}", 400),
    ("application/json", "{\"cluster_ids\":[0]}\0", 400),
    ("application/json", "{\"cluster_ids\":[" + String(repeating: "0,", count: 200_000) + "0]}", 413),
    ("application/json", "{\"cluster_ids\":[" + String(repeating: "0,", count: 10_000) + "0]}", 400),
  ]) func bodiesAreChecked(_ type: String, _ body: String, _ status: Int) async throws {
    let client = try TestServer().client
    let answer = try await client.execute(
      uri: "/v1/places/transition", method: .post, headers: [.contentType: type], body: ByteBuffer(string: body))
    #expect(answer.status.code == status)
  }

  /// If a body breaks off, this is an error of the client, not of the server.
  @Test func aBodyThatBreaksOffIsTheClientsFault() {
    #expect(Problem(of: HTTPParserError.invalidEOFState).status == .badRequest)
  }

  @Test func othersMayAskWhereTheyAreAllowed() async throws {
    var server = try TestServer()
    let path = "/v1/places/clusters?limit=9"
    let none = try await server.client.get(path, [.origin: "https://a.org"])
    #expect(none.headers[.accessControlAllowOrigin] == nil)
    server.options.allowedOrigins = ["https://a.org"]
    let client = try server.client
    // The header is also sent if the request has no origin, because a cache may later give the answer to a page.
    let plain = try await client.get(path)
    #expect(plain.headers[.accessControlAllowOrigin] == "https://a.org")
    let answer = try await client.get(path, [.origin: "https://a.org"])
    #expect(answer.headers[.accessControlAllowOrigin] == "https://a.org")
    let wrong = try await client.get(path + "x", [.origin: "https://a.org"])
    #expect(wrong.status == .badRequest && wrong.headers[.accessControlAllowOrigin] == "https://a.org")
    let before = try await client.execute(uri: path, method: .options, headers: [.origin: "https://a.org"])
    #expect(before.status == .noContent)
    let (methods, fields) = (before.headers[.accessControlAllowMethods], before.headers[.accessControlAllowHeaders])
    #expect(methods == "GET, HEAD, POST, PATCH, OPTIONS")
    // Changes of a live index need these.
    for field in ["Authorization", "Content-Type", "Idempotency-Key"] {
      #expect(fields?.components(separatedBy: ", ").contains(field) == true)
    }
  }

  @Test func eachOfSeveralOriginsIsAllowedByName() async throws {
    var server = try TestServer()
    server.options.allowedOrigins = ["https://a.org", "https://b.org"]
    let client = try server.client
    for (origin, allowed) in [("https://b.org", "https://b.org"), ("https://c.org", nil)] {
      let answer = try await client.get("/v1/places", [.origin: origin])
      #expect(answer.headers[.accessControlAllowOrigin] == allowed)
      #expect(answer.headers[.vary] == "Accept-Encoding, Origin")
    }
  }

  @Test(arguments: ["/v1/pl%61ces/clusters?limit=9", "/v1/places/tiles/0/0/0%2Emvt", "/%6Fpenapi.json"])
  func lettersMayBeEncoded(_ path: String) async throws {
    #expect(try await TestServer().client.get(path).status == .ok)
  }

  @Test func addressesAreNormalizedInThePathAlone() {
    let decoded = HTTPRequest.withoutNeedlessEncoding
    #expect(decoded("/%61%2f%2F%2e%zz%6?x=%61") == "/a%2f%2F.%zz%6?x=%61")
  }

  @Test(arguments: [
    ("bytes=0-4", 0..<5), ("bytes=5-", 5..<100), ("bytes=-10", 90..<100), ("bytes=90-1000", 90..<100),
    ("bytes=-1000", 0..<100),
  ]) func filesHaveParts(_ range: String, _ expected: Range<Int>) {
    var request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/", headerFields: [.range: range])
    #expect(request.range(of: 100, tag: "\"a\"") == .part(expected))
    request.headerFields[.ifRange] = "\"b\""
    #expect(request.range(of: 100, tag: "\"a\"") == .all)
    request.headerFields[.ifRange] = "\"a\""
    #expect(request.range(of: 100, tag: "\"a\"") == .part(expected))
  }

  @Test(arguments: [
    ("bytes=100-", ByteRange.none), ("bytes=-0", .none), ("bytes=5-4", .all), ("lines=0-4", .all),
    ("bytes=0-1,3-4", .all), ("bytes=a-b", .all), ("bytes=-", .all), ("bytes=99999999999999999999-", .all),
    ("bytes=0-9223372036854775807", .part(0..<100)), ("bytes=99-9223372036854775806", .part(99..<100)),
    ("bytes=9223372036854775807-", .none), ("bytes=9223372036854775807-9223372036854775807", .none),
    ("bytes=-9223372036854775807", .part(0..<100)), ("bytes=-9223372036854775808", .all),
  ]) func otherRangesAreNone(_ range: String, _ expected: ByteRange) {
    let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/", headerFields: [.range: range])
    #expect(request.range(of: 100, tag: "\"a\"") == expected)
  }

  @Test func whoeverHasNoTokenIsToldSo() async throws {
    var server = try TestServer()
    server.options.token = "secret"
    let client = try server.client
    for sent in [nil, "Bearer other!", "Bearer secre", "Basic secret", "Bearer"] {
      let answer = try await client.get("/v1/places", sent.map { [.authorization: $0] } ?? [:])
      #expect(answer.status == .unauthorized && answer.headers[.wwwAuthenticate] == "Bearer")
    }
    #expect(try await client.get("/v1/places", [.authorization: "bearer secret"]).status == .ok)
    for path in ["/health", "/ready"] { #expect(try await client.get(path).status == .ok) }
    #expect(try await client.get("/metrics").status == .unauthorized)
    // The files of the map need no token. The map then asks the user for the token.
    for path in ["/", "/viewer/main.js"] { #expect(try await client.get(path).status == .ok) }
  }

  /// Checks that no shared cache may keep an answer that needs a token.
  @Test(arguments: [
    (nil, 0, "no-cache"), (nil, 60, "public, max-age=60"), ("secret", 0, "private, no-cache"),
    ("secret", 60, "private, max-age=60"),
  ]) func answersBehindATokenArePrivate(_ token: String?, _ maxAge: Int, _ expected: String) async throws {
    var server = try TestServer()
    (server.options.token, server.options.maxAge) = (token, maxAge)
    let client = try server.client
    for path in ["/v1/indexes", "/v1/places", "/v1/places/clusters?limit=3", "/v1/places/tiles/0/0/0.mvt"] {
      let answer = try await client.get(path, token.map { [.authorization: "Bearer \($0)"] } ?? [:])
      #expect(answer.status == .ok && answer.headers[.cacheControl] == expected, "\(path)")
    }
  }

  /// A browser cannot send the token for a page.
  @Test func theInterfaceIsDescribedWithoutTheToken() async throws {
    var server = try TestServer()
    server.options.token = "secret"
    let client = try server.client
    for path in ["/", "/docs", "/openapi.json"] { #expect(try await client.get(path).status == .ok, "\(path)") }
    for path in ["/v1/indexes", "/v1/places", "/metrics"] {
      #expect(try await client.get(path).status == .unauthorized, "\(path)")
    }
  }

  @Test func theMapCanBeLeftOut() async throws {
    var server = try TestServer()
    server.options.hasViewer = false
    let client = try server.client
    for path in ["/", "/viewer/index.html"] { #expect(try await client.get(path).status == .notFound) }
    // Problems name the page of the interface.
    for path in ["/docs", "/viewer/docs.css", "/viewer/docs.js", "/openapi.json"] {
      #expect(try await client.get(path).status == .ok, "\(path)")
    }
    server.options.managementPort = 1
    let other = try server.client
    #expect(try await other.get("/metrics").status == .notFound)
    #expect(try await other.get("/health").status == .ok)
  }

  /// Checks that answers reveal neither file names nor the name of the server software.
  @Test func nothingIsSaidOfTheServer() async throws {
    let server = try TestServer()
    let folder = server.folder.path
    let client = try server.client
    for path in Self.paths + ["/nothing", "/v1/places/clusters?limit=x", "/health", "/metrics"] {
      let answer = try await client.get(path)
      #expect(!String(buffer: answer.body).contains(folder))
      #expect(answer.headers[.server] == nil)
      #expect(answer.headers[.xContentTypeOptions] == "nosniff")
    }
  }

  @Test func requestsAreCounted() async throws {
    let client = try TestServer().client
    for _ in 0..<3 { _ = try await client.get("/v1/places/clusters?limit=9") }
    _ = try await client.get("/v1/places/clusters?limit=x")
    let text = String(buffer: try await client.get("/metrics").body)
    #expect(text.contains("treeline_requests_total{route=\"/v1/{index}/clusters\",status=\"200\"} 3\n"))
    #expect(text.contains("treeline_requests_total{route=\"/v1/{index}/clusters\",status=\"400\"} 1\n"))
    #expect(text.contains("treeline_request_seconds_bucket{route=\"/v1/{index}/clusters\",le=\"+Inf\"} 4\n"))
    #expect(text.contains("treeline_request_seconds_count{route=\"/v1/{index}/clusters\"} 4\n"))
    #expect(text.contains("treeline_open_indexes 1\n"))
  }
}

import HTTPTypes
import NIOCore
import Testing
@_spi(Server) import Treeline
import TreelineBuilder

@testable import TreelineServer

/// Sends numbers at the limits of their types, and other hostile values, in every part of a request that the server
/// reads. No value may stop the server.
@Suite struct HostileRequestTests {
  private static let columns = [
    IndexColumn(name: "kind", kind: .category) { .string(["hotel", "camp", "inn"][$0 % 3]) },
    IndexColumn(name: "price", kind: .number) { $0 % 11 == 0 ? nil : .number("\($0 * 37 % 500)") },
    IndexColumn(name: "name", kind: .text) { .string("Name \($0)") },
  ]

  @Test func hostileValuesAreNeverAServerError() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let count = Trials.count(100_000, atLeast: 24_000, seed: seed)
    var server = try TestServer(["places": TestServer.places, "plane": TestServer.plane], columns: Self.columns)
    server.options.trustedProxyAddresses = ["0.0.0.0/0", "::/0"]
    server.options.allowedOrigins = ["https://a.example", "https://b.example"]
    let client = try server.client
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          var generator = SplitMix64(seed: seed &+ UInt64(task))
          for _ in 0..<count / 4 {
            let request = HostileRequest(&generator)
            let answer = try await client.execute(
              uri: request.address, method: request.body == nil ? .get : .post, headers: request.headers,
              body: ByteBuffer(string: request.body ?? ""))
            #expect(answer.status.code < 500, "\(request), seed \(seed), task \(task)")
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Tries each value for each parameter. Each request has only one such parameter.
  @Test func everyParameterTakesEveryValue() async throws {
    let client = try TestServer(columns: Self.columns).client
    for route in HostileRequest.routes {
      for name in HostileRequest.parameters {
        for value in HostileRequest.values {
          let path = "/v1/places" + HostileRequest.filled(route) { ["0", "3", "1", "1"][$0 % 4] }
          let address = "\(path)?\(name)=\(value)"
          let answer = try await client.get(address)
          #expect(answer.status.code < 500, "\(address)")
        }
      }
    }
  }
}

private struct HostileRequest {
  var address: String
  var headers: HTTPFields = [:]
  var body: String?

  static let values = [
    "", "0", "-0", "-1", "1", "0.5", "2147483648", "4294967296", "9007199254740992", "9007199254740993",
    "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551616", "1e999", "-1e999",
    "1e-999", "5e-324", "1.7976931348623157e308", "nan", "-nan", "inf", "-inf", "0x10", "1,1", "0,0,0,0", "1e999,0,0,0",
    "nan,nan,nan,nan", "-180,-90,180,90", "180,90,-180,-90", "%00", "%F0%9F", "%C3%A9", "%", "٣",
    String(repeating: "9", count: 400), String(repeating: "a", count: 3000),
  ]

  static let routes = [
    "", "/clusters", "/clusters/#", "/clusters/#/members", "/clusters/#/children", "/clusters/#/parent",
    "/clusters/#/expansion-zoom", "/where-is", "/measures", "/histogram", "/transition", "/tiles.json",
    "/tiles/#/#/#.mvt",
  ]

  private static let others = ["/", "/viewer/main.js", "/openapi.json", "/health", "/ready", "/metrics", "/v1/indexes"]

  static let parameters =
    ["bbox", "center", "zoom", "width", "height", "tile", "tile-size", "margin", "buffer"]
    + Cut.parameterNames + [
      "cell", "method", "position", "keep-visible", "ellipses", "row", "offset", "column", "bins",
    ]
    + ["filter", "aggregate", "from-bbox", "from-zoom", "from-filter", "from-spacing"]

  private static let sound = [
    "bbox=0,40,8,50", "zoom=5", "width=800&height=600", "center=2,48", "spacing=44", "limit=9", "method=grid",
    "filter=price<120+AND+kind='hotel'", "filter=name+LIKE+'%251%25'", "aggregate=counts(name),sum(price)",
    "aggregate=median(price),distinct(kind)", "column=price", "row=7", "tile=3,4,2",
  ]

  private static let headerNames = [
    "Range", "If-Range", "If-None-Match", "Accept-Encoding", "Accept", "Prefer", "Content-Length", "X-Forwarded-For",
    "X-Forwarded-Proto", "X-Forwarded-Host", "Forwarded", "Authorization", "Origin", "Expect", "Content-Type",
  ]

  private static let headerForms = [
    "#", "bytes=#-#", "bytes=-#", "bytes=#-", "bytes=0-0,#-#", "gzip;q=#", "*;q=#,gzip;q=#", "\"#\"", "W/\"#\", \"#\"",
    "*",
    "for=#;proto=#;host=#", "for=\"[::#]:#\"", "127.0.0.1:#, [::1]:#", "return=minimal; wait=#", "application/json",
  ]

  private static let bodies = [
    "", "#", "[#]", "{\"cluster_ids\":[#]}", "{\"cluster_ids\":[#,#,#]}", "{\"cluster_ids\":#}",
    "{\"cluster_ids\":[0],\"cluster_ids\":[#]}", "{\"version\":#,\"cluster_ids\":[]}",
    "{\"version\":\"#\",\"cluster_ids\":[0]}",
    String(repeating: "[", count: 50_000), String(repeating: "{\"cluster_ids\":", count: 10_000),
    "{\"cluster_ids\":[" + String(repeating: "0,", count: 20_000) + "0]}", "\"\\ud800\"",
    "{\"cluster_ids\":[1e5,-0,0.0]}",
  ]

  /// Returns a text in which each `#` is replaced by a value.
  static func filled(_ form: String, _ value: (Int) -> String) -> String {
    let parts = form.split(separator: "#", omittingEmptySubsequences: false)
    return parts.dropFirst().enumerated().reduce(String(parts[0])) { $0 + value($1.offset) + $1.element }
  }

  init(_ generator: inout SplitMix64) {
    func oneOf<Element>(_ list: [Element]) -> Element { list.randomElement(using: &generator)! }
    func value() -> String {
      Bool.random(using: &generator) ? oneOf(Self.values) : "\(Int.random(in: 0...9, using: &generator))"
    }
    let index = oneOf(["places", "places", "plane"])
    let route = oneOf(Self.routes)
    let path =
      Int.random(in: 0..<8, using: &generator) == 0
      ? oneOf(Self.others) : "/v1/\(index)" + Self.filled(route) { _ in value() }
    let query = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
      Bool.random(using: &generator) ? oneOf(Self.sound) : "\(oneOf(Self.parameters))=\(value())"
    }
    address = path + "?" + query.joined(separator: "&")
    for _ in 0..<Int.random(in: 0...2, using: &generator) {
      headers[HTTPField.Name(oneOf(Self.headerNames))!] = Self.filled(oneOf(Self.headerForms)) { _ in value() }
    }
    if route == "/transition" && Bool.random(using: &generator) {
      if Bool.random(using: &generator) { headers[.contentType] = "application/json" }
      body = Self.filled(oneOf(Self.bodies)) { _ in value() }
    }
  }
}

import NIOCore
import Testing

@testable import TreelineServer

/// Checks that the server answers every odd request, and never with a server error.
@Suite struct OddRequestTests {
  @Test func addressesAreNeverAServerError() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let count = Trials.count(250_000, atLeast: 100_000, seed: seed)
    let client = try TestServer(["places": TestServer.places, "plane": TestServer.plane]).client
    let statuses = try await withThrowingTaskGroup(of: [Int: Int].self) { group in
      for task in 0..<4 {
        group.addTask {
          var generator = SplitMix64(seed: seed &+ UInt64(task))
          var statuses: [Int: Int] = [:]
          for _ in 0..<count / 4 {
            let address = OddRequest.address(&generator)
            let answer = try await client.get(address)
            statuses[answer.status.code, default: 0] += 1
            #expect(answer.status.code < 500, "\(address), seed \(seed), task \(task)")
          }
          return statuses
        }
      }
      return try await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
    }
    // Many requests are so close to valid requests that some of them succeed.
    #expect(statuses.keys.sorted() == [200, 400, 404])
    #expect(statuses[200, default: 0] > count / 20)
  }

  @Test func bodiesAreNeverAServerError() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let client = try TestServer().client
    var generator = SplitMix64(seed: seed)
    for _ in 0..<Trials.count(20_000, atLeast: 5000, seed: seed) {
      let body = OddRequest.body(&generator)
      let answer = try await client.execute(
        uri: "/v1/places/transition?limit=9", method: .post, headers: [.contentType: "application/json"],
        body: ByteBuffer(bytes: body))
      #expect(answer.status.code < 500, "\(body), seed \(seed)")
    }
  }
}

/// Requests that are nearly valid. They have real routes and parameters, values of all kinds, and sometimes noise.
private enum OddRequest {
  static func address(_ generator: inout SplitMix64) -> String {
    func list(_ count: Int) -> String { (0..<count).map { _ in number(&generator) }.joined(separator: ",") }
    let index = ["places", "plane"].randomElement(using: &generator)!
    // Tiles that may exist are as frequent as tiles with arbitrary numbers.
    let zoom = Int.random(in: 0...25, using: &generator)
    let columns = 0...(1 << zoom)
    let tile = (0..<2).map { _ in "\(Int.random(in: columns, using: &generator))" }.joined(separator: "/")
    let routes = [
      "clusters", "clusters/\(number(&generator))", "clusters/\(number(&generator))/members",
      "clusters/\(number(&generator))/children", "clusters/\(number(&generator))/parent",
      "clusters/\(number(&generator))/expansion-zoom", "where-is", "transition", "measures", "tiles.json",
      "tiles/\(zoom)/\(tile).mvt", "tiles/\(number(&generator))/\(number(&generator))/\(number(&generator)).mvt", "",
      noise(&generator, length: 0...20),
    ]
    let parameters = [
      "bbox=\(list(Int.random(in: 3...5, using: &generator)))", "bbox=\(list(4))", "center=\(list(2))",
      "zoom=\(number(&generator))", "width=\(number(&generator))", "height=\(number(&generator))",
      "width=800&height=600", "limit=\(number(&generator))", "detail=\(number(&generator))",
      "spacing=\(number(&generator))", "min-points=\(number(&generator))", "alone-from-zoom=\(number(&generator))",
      "method=grid", "cell=\(number(&generator))", "order=widest-first", "position=member", "keep-visible=true",
      "ellipses=true", "continuing=true", "row=\(number(&generator))", "offset=\(number(&generator))",
      "from-bbox=\(list(4))", "from-zoom=\(number(&generator))", "from-center=\(list(2))",
      "buffer=\(number(&generator))", "tile-size=256", "tile-size=512", "margin=\(number(&generator))",
      "tile=\(list(3))", "tile=3,4,2", "from-tile=\(list(3))", "from-tile-size=512",
      "\(number(&generator))=\(number(&generator))",
      noise(&generator, length: 0...60),
    ]
    let query = (0..<Int.random(in: 0...5, using: &generator)).map { _ in parameters.randomElement(using: &generator)! }
    return "/v1/\(index)/\(routes.randomElement(using: &generator)!)?" + query.joined(separator: "&")
  }

  static func body(_ generator: inout SplitMix64) -> [UInt8] {
    if Bool.random(using: &generator) {
      return (0..<Int.random(in: 0...200, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
    let ids = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
      Bool.random(using: &generator) ? number(&generator) : "\(UInt64.random(in: 0...1 << 21, using: &generator))"
    }
    return Array("{\"cluster_ids\":[\(ids.joined(separator: ","))]}".utf8)
  }

  private static func number(_ generator: inout SplitMix64) -> String {
    switch Int.random(in: 0...9, using: &generator) {
    case 0: "\(Double.random(in: -400...400, using: &generator))"
    case 1: "\(UInt64.random(in: 0...UInt64.max, using: &generator))"
    case 2: "\(Int.random(in: 0...32, using: &generator))"
    default: edges.randomElement(using: &generator)!
    }
  }

  private static let edges = [
    "0", "1", "-1", "2.5", "1e308", "-1e308", "1e-320", "4294967295", "4294967296", "9007199254740991",
    "9223372036854775807", "18446744073709551616", "nan", "inf", "", "180", "-180", "90", "85.06", "7", "12", "22",
    "31", "32", "%00", "%F0%9F", "+", "١",
  ]

  private static func noise(_ generator: inout SplitMix64, length: ClosedRange<Int>) -> String {
    String(
      decoding: (0..<Int.random(in: length, using: &generator)).map { _ in
        // Any character that may occur in a line of HTTP.
        UInt8.random(in: 0x21...0x7E, using: &generator)
      }, as: UTF8.self)
  }
}

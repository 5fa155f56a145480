import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Testing
import Treeline
import TreelineBuilder

@testable import TreelineServer

/// A folder with indexes, and a server for these indexes.
struct TestServer: ~Copyable {
  let folder: URL
  let catalog: Catalog
  var options = ServerOptions()

  /// - Parameters:
  ///   - trees: Trees by their names on the server.
  ///   - columns: Columns of each tree.
  init(_ trees: [String: ClusterTree] = ["places": TestServer.places], columns: [IndexColumn] = []) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("treeline-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var sources: [(name: String, path: String)] = []
    for (name, tree) in trees {
      let path = folder.appendingPathComponent("\(name).treeline").path
      try tree.write(toFile: path, columns: columns)
      sources.append((name, path))
    }
    catalog = try Catalog(sources)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appendingPathComponent("\(name).treeline").path }

  /// A client of the server. The indexes stay open for the client, even after this value is gone.
  var client: TestClient {
    get throws { TestClient(responder: try ClusterServer(catalog, options: options).responder) }
  }

  /// Two thousand points: three towns, and points scattered between them. Ten of the points are at one position.
  static let places = try! tree(seed: 1)

  static func tree(seed: UInt64) throws -> ClusterTree {
    var generator = SplitMix64(seed: seed)
    func near(_ longitude: Double, _ latitude: Double, _ extent: Double) -> Coordinate {
      Coordinate(
        longitude: longitude + extent * (generator.next01() + generator.next01() - 1),
        latitude: latitude + extent * (generator.next01() + generator.next01() - 1))
    }
    var coordinates = (0..<600).flatMap { _ in [near(2.3, 48.8, 0.4), near(4.8, 45.7, 0.3), near(5.4, 43.3, 0.2)] }
    coordinates += (0..<190).map { _ in near(3.5, 46.5, 5) }
    coordinates += [Coordinate](repeating: Coordinate(longitude: -1.5, latitude: 47.2), count: 10)
    return try ClusterTree(coordinates, options: BuildOptions(supporting: .spacing))
  }

  static let plane = try! ClusterTree(
    (0..<100).map { Coordinate(x: Double($0 % 10), y: Double($0 / 10)) }, as: .planar,
    options: BuildOptions())
}

/// Sends requests to a server without a socket. Hummingbird's test client could do this, too, but it needs TLS, which
/// takes minutes to build.
struct TestClient: Sendable {
  let responder: any HTTPResponder<Routes.Context>

  func execute(uri: String, method: HTTPRequest.Method, headers: HTTPFields = [:], body: ByteBuffer = ByteBuffer())
    async throws -> TestAnswer
  {
    var headers = headers
    if body.readableBytes > 0 { headers[.contentLength] = "\(body.readableBytes)" }
    let head = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: uri, headerFields: headers)
    let context = Routes.Context(
      source: ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "test")))
    let response = try await responder.respond(
      to: Request(head: head, body: RequestBody(buffer: body)), context: context)
    let written = WrittenBody()
    try await response.body.write(written)
    return TestAnswer(status: response.status, headers: response.headers, body: written.bytes)
  }

  func get(_ uri: String, _ headers: HTTPFields = [:]) async throws -> TestAnswer {
    try await execute(uri: uri, method: .get, headers: headers)
  }

  func post(_ uri: String, _ json: String) async throws -> TestAnswer {
    try await execute(
      uri: uri, method: .post, headers: [.contentType: "application/json"], body: ByteBuffer(string: json))
  }
}

private final class WrittenBody: ResponseBodyWriter {
  private(set) var bytes = ByteBuffer()

  func write(_ buffer: ByteBuffer) { bytes.writeImmutableBuffer(buffer) }
  func finish(_: HTTPFields?) {}
}

/// An answer that a client gets.
struct TestAnswer {
  let status: HTTPResponse.Status
  let headers: HTTPFields
  let body: ByteBuffer
}

/// The generator of Steele, Lea and Flood 2014. It gives the same numbers on every platform.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }

  /// Returns a number that is at least 0 and less than 1.
  mutating func next01() -> Double { Double(next() >> 11) / 0x1p53 }
}

extension TestAnswer {
  /// Returns the body as JSON.
  func json() throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(body.readableBytesView)) as? [String: Any])
  }

  /// Returns the ids of the clusters in the FeatureCollection of the body.
  func ids() throws -> [UInt64] { try clusterIDs(of: json()) }

  /// Returns the names of the parameters that a problem in the body lists.
  func faults() throws -> [String] {
    let faults = try json()["invalid_params"] as? [[String: Any]] ?? []
    return faults.compactMap { $0["name"] as? String }
  }
}

func clusterIDs(of collection: [String: Any]) throws -> [UInt64] {
  let features = try #require(collection["features"] as? [[String: Any]])
  return try features.map { feature in
    let properties = try #require(feature["properties"] as? [String: Any])
    return try #require(properties["cluster_id"] as? NSNumber).uint64Value
  }
}

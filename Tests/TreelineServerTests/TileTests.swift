import Foundation
import Testing
@_spi(Server) import Treeline
import TreelineBuilder

@testable import TreelineServer

@Suite struct TileTests {
  /// Checks that each cluster of a zoom is in exactly one tile of this zoom, at its position.
  @Test(arguments: [0, 1, 3, 5, 7]) func eachClusterIsAnchoredInOneTile(_ zoom: Int) async throws {
    let tree = TestServer.places
    let expected = try tree.clusters(.spacing(44), in: Viewport(.world, zoom: Double(zoom) + 1))
    let client = try TestServer().client
    var found: [UInt64: (x: Double, y: Double)] = [:]
    for x in 0..<1 << zoom {
      for y in 0..<1 << zoom where Self.mayHold(zoom, x, y, expected) {
        let answer = try await client.get("/v1/places/tiles/\(zoom)/\(x)/\(y).mvt?buffer=0")
        #expect(answer.status == .ok)
        for (id, position) in try Self.positions(in: answer) {
          #expect(0..<4096 ~= position.x && 0..<4096 ~= position.y)
          #expect(found[id] == nil, "\(id) stands in two tiles")
          let side = Double(1 << (32 - zoom)) / 4096
          found[id] = ((Double(x) * 4096 + Double(position.x)) * side, (Double(y) * 4096 + Double(position.y)) * side)
        }
      }
    }
    #expect(Set(found.keys) == Set(expected.map(\.id.rawValue)))
    for cluster in expected {
      let position = try #require(found[cluster.id.rawValue])
      let (x, y) = Self.place(of: cluster)
      let unit = Double(1 << (32 - zoom)) / 4096
      #expect(0..<unit ~= x - position.x && 0..<unit ~= y - position.y)
    }
  }

  /// Checks that a tile with a buffer also contains the clusters of its neighbors that are near the edge, and no
  /// others.
  @Test func buffersAgreeWithNeighbours() async throws {
    let client = try TestServer().client
    func tile(_ x: Int, _ buffer: Int) async throws -> [UInt64: (x: Int, y: Int)] {
      try Self.positions(in: try await client.get("/v1/places/tiles/9/\(x)/176.mvt?buffer=\(buffer)&detail=5"))
    }
    let (left, right) = (try await tile(258, 0), try await tile(259, 0))
    let wide = try await tile(258, 128)
    for (id, position) in right where position.x < 1024 { #expect(try #require(wide[id]).x == position.x + 4096) }
    for (id, position) in wide where 0..<4096 ~= position.x && 0..<4096 ~= position.y {
      #expect(try #require(left[id]) == position)
    }
    #expect(wide.count > left.count && !right.isEmpty)
  }

  /// Checks that a tile with too many clusters is refused for the option to which it owes them.
  @Test(arguments: [
    ("detail=20&alone-from-zoom=0", "alone-from-zoom: expected a zoom above 1, so that"),
    ("detail=20&min-points=100000", "min-points: expected a smaller number, so that"),
    ("detail=0", "detail: expected a greater number, so that each tile has at most 32768 clusters, found '0'"),
  ]) func tilesOfTooManyClustersNameTheReason(_ query: String, _ words: String) async throws {
    let points = (0..<40_000).map { Coordinate(longitude: Double($0 % 200) / 2, latitude: Double($0 / 200) / 4) }
    let client = try TestServer(["many": try ClusterTree(points)]).client
    let answer = try await client.get("/v1/many/tiles/0/0/0.mvt?\(query)")
    let detail = try answer.json()["detail"] as? String
    #expect(answer.status == .badRequest && detail?.contains(words) ?? false, "\(detail ?? "none")")
  }

  @Test func tileJSONListsThePropertiesOfCountsAndOfBadges() async throws {
    let kinds = IndexColumn(name: "kind", kind: .category) { .string(["bar", "café", "inn"][$0 % 3]) }
    let columns = [kinds, IndexColumn(name: "id", kind: .category) { .string("\($0)") }]
    let plain = try TestServer(columns: columns)
    func fields(_ path: String, _ client: TestClient) async throws -> [String: String] {
      let layers = try await client.get(path).json()["vector_layers"] as? [[String: Any]]
      return try #require(layers?.first?["fields"] as? [String: String])
    }
    let client = try plain.client
    let found = try await fields("/v1/places/tiles.json?aggregate=top(kind,2),counts(id)", client)
    for name in ["bar", "café", "inn"] { #expect(found["top_kind.\(name)"] == "Number") }
    // A column with many texts would make a long list.
    #expect(!found.keys.contains { $0.hasPrefix("counts_id.") } && found["badge_px"] == nil)
    let badges = try ClusterTree(
      (0..<100).map { Coordinate(longitude: Double($0), latitude: 0) }, options: BuildOptions(supporting: .badges()))
    #expect(try await fields("/v1/badges/tiles.json", TestServer(["badges": badges]).client)["badge_px"] == "Number")
  }

  /// Checks that clusters at the seam of the plane and at the antimeridian are in tiles like all other clusters.
  @Test func theWorldIsRound() async throws {
    let coordinates = [-179.9, 179.9, -179.99, 179.99, 0].map { Coordinate(longitude: $0, latitude: -17) }
    let tree = try ClusterTree(coordinates, options: BuildOptions(supporting: .spacing))
    let client = try TestServer(["fiji": tree]).client
    for zoom in [0, 1, 4] {
      var count = 0
      for x in 0..<1 << zoom {
        for y in 0..<1 << zoom {
          let answer = try await client.get("/v1/fiji/tiles/\(zoom)/\(x)/\(y).mvt?spacing=0&buffer=0")
          count += try Self.positions(in: answer).count
        }
      }
      #expect(count == 5, "zoom \(zoom)")
    }
    // The tile east of the last tile is the first tile.
    let last = try await client.get("/v1/fiji/tiles/4/15/8.mvt?spacing=0")
    #expect(try Self.positions(in: last).values.count { $0.x >= 4096 } == 2)
  }

  @Test func aTileWithoutClustersIsEmpty() async throws {
    let client = try TestServer().client
    let answer = try await client.get("/v1/places/tiles/5/0/0.mvt")
    #expect(answer.status == .ok && answer.body.readableBytes == 0)
  }

  private static func positions(in answer: TestAnswer) throws -> [UInt64: (x: Int, y: Int)] {
    let tile = try DecodedTile(Array(answer.body.readableBytesView))
    return Dictionary(uniqueKeysWithValues: tile.features.map { ($0.id, ($0.x, $0.y)) })
  }

  /// Returns whether a cluster is in a tile or next to it. Otherwise the tile is empty, and need not be requested.
  private static func mayHold(_ zoom: Int, _ x: Int, _ y: Int, _ clusters: Clusters) -> Bool {
    clusters.contains { cluster in
      let tiles = Double(1 << zoom) / 0x1p32
      let place = place(of: cluster)
      return abs(place.x * tiles - Double(x)) < 2 && abs(place.y * tiles - Double(y)) < 2
    }
  }

  /// The position of a cluster in the tile of the world, in units of the plane.
  private static func place(of cluster: Cluster) -> (x: Double, y: Double) {
    let place = cluster.position(in: MapTile(zoom: 0, x: 0, y: 0)!, extent: 1 << 32)
    return (Double(place.x), Double(place.y))
  }
}

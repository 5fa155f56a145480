import Foundation
import NIOCore
import Testing
@_spi(Server) import Treeline

@testable import TreelineServer

/// Checks answers of the server against the library.
@Suite struct AnswerTests {
  @Test(arguments: [
    "limit=40", "bbox=2,48,3,49&limit=7&order=widest-first", "bbox=2,48,3,49&zoom=9&spacing=44",
    "center=2.3,48.8&zoom=9&width=800&height=600&detail=30", "bbox=2,48,3,49&width=800&height=600&spacing=20",
    "bbox=0,0,1,1", "bbox=0,40,8,50&limit=30&position=member&keep-visible=true&ellipses=true",
  ]) func clustersCoverWhatIsInView(_ query: String) async throws {
    let tree = TestServer.places
    let client = try TestServer().client
    let response = try await client.get("/v1/places/clusters?\(query)")
    #expect(response.status == .ok)
    let ids = try response.ids()
    // If `clusters(withIDs:)` accepts the ids, all ids are of this tree, and the clusters are disjoint.
    let clusters = try tree.clusters(withIDs: ids.map(ClusterID.init(rawValue:)))
    #expect(clusters.map(\.id.rawValue) == ids)
    #expect(query == "bbox=0,0,1,1" || !ids.isEmpty)
  }

  @Test func aLimitIsKeptAndUsed() async throws {
    let client = try TestServer().client
    for limit in [1, 2, 50, 100] {
      let response = try await client.get("/v1/places/clusters?limit=\(limit)")
      #expect(try response.ids().count == limit)
    }
    let response = try await client.get("/v1/places/clusters")
    #expect(try response.ids().count == 100)
  }

  /// Compares two zooms with a tolerance. Foundation reads a third of all numbers with 17 digits as a neighboring
  /// double.
  private static func isZoom(_ read: Any?, _ zoom: Double?) -> Bool {
    guard let zoom else { return read is NSNull }
    return (read as? Double).map { abs($0 - zoom) < 1e-12 } ?? false
  }

  @Test func aWayDownAndUpTheTree() async throws {
    let tree = TestServer.places
    let root = try #require(tree.root)
    let client = try TestServer().client
    let children = try await client.get("/v1/places/clusters/\(root.id)/children?ellipses=true")
    let expected = try tree.children(of: root.id).map(\.id.rawValue)
    #expect(try children.ids() == expected)
    let parent = try await client.get("/v1/places/clusters/\(expected[1])/parent")
    #expect(try clusterIDs(of: ["features": [parent.json()]]) == [root.id.rawValue])
    let none = try await client.get("/v1/places/clusters/\(root.id)/parent")
    #expect(none.status == .notFound)
    let zoom = try await client.get("/v1/places/clusters/\(root.id)/expansion-zoom?spacing=44")
    #expect(Self.isZoom(try zoom.json()["zoom"], try tree.separationZoom(of: root.id, for: .spacing(44))))
    for (alone, expected) in [("alone-from-zoom=1.5", 1.5), ("min-points=5000", 0)] {
      let zoom = try await client.get("/v1/places/clusters/\(root.id)/expansion-zoom?detail=9&\(alone)")
      #expect(try zoom.json()["zoom"] as? Double == expected)
    }
    let ofLarge = try await client.get("/v1/places/clusters/\(root.id)/expansion-zoom?detail=500&tile-size=512")
    let expectedOfLarge = try tree.separationZoom(of: root.id, for: .detail(500), tileSize: .pixels512)
    #expect(Self.isZoom(try ofLarge.json()["zoom"], expectedOfLarge))
    let alone = try await client.get("/v1/places/where-is?row=3&tile-size=512")
    #expect(alone.status == .badRequest)
  }

  @Test func pagesOfMembersAreAllOfThem() async throws {
    let tree = TestServer.places
    let root = try #require(tree.root)
    let client = try TestServer().client
    var rows: [Int] = []
    for offset in stride(from: 0, through: 2000, by: 500) {
      let page = try await client.get("/v1/places/clusters/\(root.id)/members?offset=\(offset)&limit=500")
      let body = try page.json()
      #expect(body["total"] as? Int == 2000 && body["offset"] as? Int == offset)
      let features = try #require(body["features"] as? [[String: Any]])
      rows += features.compactMap { ($0["properties"] as? [String: Any])?["index"] as? Int }
    }
    #expect(rows == Array(tree.members(of: root)))
  }

  @Test(arguments: ["?", "/members?", "/children?", "/parent?", "/expansion-zoom?detail=4&"])
  func idsOfAnotherVersionAreRefused(route: String) async throws {
    let server = try TestServer()
    let root = try #require(TestServer.places.root).id
    let child = try #require(try TestServer.places.children(of: root).first).id
    let version = try #require(server.catalog["places"]).version
    let path = "/v1/places/clusters/\(child)\(route)version="
    #expect(try await server.client.get(path + version).status == .ok)
    let refused = try await server.client.get(path + "0")
    #expect(refused.status == .conflict)
    #expect(try refused.json()["type"] as? String == "/docs#outdated-ids")
  }

  @Test func whereARowIs() async throws {
    let tree = TestServer.places
    let client = try TestServer().client
    for row in [0, 700, 1999] {
      let number = try #require(RowOrder(of: tree).treeIndex(ofRow: row))
      let treeIndex = TreeIndex(rawValue: number)
      let answer = try await client.get("/v1/places/where-is?row=\(row)&spacing=44").json()
      let path = try #require(answer["path"] as? [[String: Any]])
      let expected = try tree.clusters(containing: treeIndex)
      #expect(path.compactMap { ($0["cluster_id"] as? NSNumber)?.uint64Value } == expected.map(\.id.rawValue))
      for (place, cluster) in zip(path, expected) {
        let (box, bounds) = (try #require(place["bbox"] as? [Double]), cluster.bounds)
        let edges = [bounds.west, bounds.south, bounds.east, bounds.north]
        #expect(zip(box, edges).allSatisfy { abs($0 - $1) < 1e-7 } && box.count == 4)
        #expect(place["stack"] as? Bool ?? false == cluster.isStack)
      }
      #expect(answer["row"] as? Int == row)
      #expect(Self.isZoom(answer["zoom_alone"], try tree.unclusteredZoom(of: treeIndex, for: .spacing(44))))
    }
    for (alone, zoom) in [("alone-from-zoom=1.5", 1.5), ("min-points=5000", 0)] {
      let answer = try await client.get("/v1/places/where-is?row=3&detail=9&\(alone)").json()
      #expect(answer["zoom_alone"] as? Double == zoom)
    }
    let none = try await client.get("/v1/places/where-is?row=2000")
    #expect(none.status == .notFound)
  }

  /// Checks that a transition is the same whether the request gives the ids of the old answer or the old view.
  @Test func transitionsAreToldFromIDsAndViews() async throws {
    let server = try TestServer()
    let version = try #require(server.catalog["places"]).version
    let client = try server.client
    let (from, to) = ("bbox=1,47,4,50&limit=30", "bbox=2,48,3,49&limit=30")
    let shown = try await client.get("/v1/places/clusters?\(from)").ids()
    for extra in ["", "&continuing=true", "&ellipses=true"] {
      let byView = try await client.get("/v1/places/transition?\(to)\(extra)&from-bbox=1,47,4,50")
      let byIDs = try await client.post(
        "/v1/places/transition?\(to)\(extra)", "{\"version\":\"\(version)\",\"cluster_ids\":\(shown.shuffled())}")
      #expect(byIDs.status == .ok)
      #expect(byIDs.body == byView.body)
      let answer = try byIDs.json()
      let parts = ["splits", "merges"].flatMap { answer[$0] as? [[String: Any]] ?? [] }
      for replacement in parts {
        let whole = try #require((replacement["whole"] as? [String: Any])?["point_count"] as? Int)
        let counts = (replacement["parts"] as? [[String: Any]])?.compactMap { $0["point_count"] as? Int } ?? []
        #expect(whole == counts.reduce(0, +) + (replacement["hidden_point_count"] as? Int ?? -1))
      }
      #expect(!parts.isEmpty)
    }
  }

  /// If a client does not show anything yet, all clusters enter.
  @Test func atFirstAllEnters() async throws {
    let client = try TestServer().client
    let answer = try await client.post("/v1/places/transition?limit=20", "{\"cluster_ids\":[]}").json()
    #expect((answer["entered"] as? [Any])?.count == 20)
    #expect(try clusterIDs(of: #require(answer["clusters"] as? [String: Any])).count == 20)
  }

  @Test func measuresAreThoseOfAnAnswer() async throws {
    let client = try TestServer().client
    let view = "center=2.3,48.8&zoom=9&width=800&height=600"
    for method in ["method=grid", "limit=50"] {
      let count = try await client.get("/v1/places/clusters?\(view)&\(method)").ids().count
      let measures = try await client.get("/v1/places/measures?\(view)&\(method)").json()
      #expect(measures["cluster_count"] as? Int == count)
      #expect(measures["sampled_points"] as? Int == measures["points_in_view"] as? Int)
      #expect(try #require(measures["distortion"] as? Double) > 0)
    }
  }

  /// Pairs of requests that describe the same view with different parameters, for all routes that take a view.
  @Test(arguments: [
    ("clusters?bbox=2,48,3,49&spacing=44&zoom=8&tile-size=512", "clusters?bbox=2,48,3,49&spacing=44&zoom=9"),
    ("clusters?tile=0,0,0&spacing=44", "clusters?zoom=0&spacing=44"),
    ("clusters?tile=0,0,0&method=grid&tile-size=512", "clusters?zoom=1&method=grid"),
    ("measures?bbox=2,48,3,49&zoom=8&tile-size=512", "measures?bbox=2,48,3,49&zoom=9"),
    ("measures?tile=8,129,88", "measures?bbox=1.40625,47.98992166741417,2.8125,48.92249926375824&zoom=8"),
    ("measures?tile=8,129,88&margin=0&method=grid", "measures?tile=8,129,88&method=grid"),
    ("transition?zoom=5&spacing=44&from-zoom=3&from-tile-size=512", "transition?zoom=5&spacing=44&from-zoom=4"),
    ("transition?tile=0,0,0&from-tile=0,0,0&from-margin=9", "transition?zoom=0&from-zoom=0"),
    ("transition?zoom=5&from-zoom=5&detail=30&from-detail=30", "transition?zoom=5&detail=30"),
    ("transition?zoom=5&limit=9&from-limit=9&from-order=breadth-first", "transition?limit=9&zoom=5"),
    (
      "transition?zoom=6&from-center=2.3,48.8&from-width=200&from-height=200",
      "transition?zoom=6&from-center=2.3,48.8&from-width=200&from-height=200&from-zoom=6"
    ),
    ("clusters/0/expansion-zoom?detail=9&min-points=2", "clusters/0/expansion-zoom?detail=9"),
    ("where-is?row=3&detail=9&alone-from-zoom=32", "where-is?row=3&detail=9"),
  ]) func aViewHasSeveralForms(_ form: String, _ other: String) async throws {
    let client = try TestServer().client
    let (answer, expected) = (try await client.get("/v1/places/\(form)"), try await client.get("/v1/places/\(other)"))
    #expect(answer.status == .ok)
    #expect(String(buffer: answer.body) == String(buffer: expected.body))
  }

  @Test func aMarginIsLookedAtToo() async throws {
    let tree = TestServer.places
    let tile = try #require(MapTile(zoom: 8, x: 129, y: 88))
    let client = try TestServer().client
    for margin in [0.0, 100, 1000] {
      let answer = try await client.get("/v1/places/clusters?tile=8,129,88&detail=9&margin=\(margin)")
      let expected = try tree.clusters(.detail(9), in: Viewport(tile: tile, margin: margin))
      #expect(try answer.ids() == expected.map(\.id.rawValue))
    }
    let near = try await client.get("/v1/places/measures?tile=8,129,88&detail=9").json()
    let wide = try await client.get("/v1/places/measures?tile=8,129,88&detail=9&margin=1000").json()
    #expect(near["points_in_view"] as? Int == wide["points_in_view"] as? Int)
  }

  @Test func aPlainPlaneHasClustersAndNoTiles() async throws {
    let client = try TestServer(["plane": TestServer.plane]).client
    let clusters = try await client.get("/v1/plane/clusters?bbox=0,0,4,4&limit=9")
    #expect(try clusters.ids().count == 9)
    let spacing = try await client.get("/v1/plane/clusters?zoom=3&spacing=9")
    #expect(try spacing.faults() == ["spacing"])
    let off = try await client.get("/v1/plane/measures?bbox=20,20,30,30&zoom=2").json()
    #expect(off["cluster_count"] as? Int == 0)
    #expect(try await client.get("/v1/plane/clusters?tile=0,0,0").faults() == ["tile"])
    for path in ["tiles.json", "tiles/0/0/0.mvt"] {
      #expect(try await client.get("/v1/plane/\(path)").status == .notFound)
    }
    let facts = try await client.get("/v1/plane").json()
    #expect(facts["projection"] as? String == "plane" && facts["point_count"] as? Int == 100)
  }
}

import Foundation
import NIOCore
import Testing
import Treeline

@testable import TreelineServer

/// Answers against what the library says.
@Suite struct AnswerTests {
  @Test(arguments: [
    "limit=40", "bbox=2,48,3,49&limit=7&order=widest-first", "bbox=2,48,3,49&zoom=9&spacing=44",
    "center=2.3,48.8&zoom=9&width=800&height=600&detail=30", "bbox=2,48,3,49&width=800&height=600&spacing=20",
    "bbox=0,0,1,1", "bbox=0,40,8,50&limit=30&position=member&keep-visible=true&ellipses=true",
  ]) func clustersCoverWhatIsInView(_ query: String) async throws {
    let tree = TestServer.places
    try await TestServer().ask { client in
      let response = try await client.execute(uri: "/v1/places/clusters?\(query)", method: .get)
      #expect(response.status == .ok)
      let ids = try response.ids()
      // Any ids that make an answer are of the tree, and disjoint.
      let clusters = try tree.clusters(withIDs: ids.map(ClusterID.init(rawValue:)))
      #expect(clusters.indices.map { clusters.id(at: $0).rawValue } == ids)
      #expect(query == "bbox=0,0,1,1" || !ids.isEmpty)
    }
  }

  @Test func aLimitIsKeptAndUsed() async throws {
    try await TestServer().ask { client in
      for limit in [1, 2, 50, 100] {
        let response = try await client.execute(uri: "/v1/places/clusters?limit=\(limit)", method: .get)
        #expect(try response.ids().count == limit)
      }
      let response = try await client.execute(uri: "/v1/places/clusters", method: .get)
      #expect(try response.ids().count == 100)
    }
  }

  /// Foundation reads a number of 17 digits as one nearby, a third of the time.
  private static func isZoom(_ read: Any?, _ zoom: Double?) -> Bool {
    guard let zoom else { return read is NSNull }
    return (read as? Double).map { abs($0 - zoom) < 1e-12 } ?? false
  }

  @Test func aWayDownAndUpTheTree() async throws {
    let tree = TestServer.places
    let root = try #require(tree.root)
    try await TestServer().ask { client in
      let children = try await client.execute(
        uri: "/v1/places/clusters/\(root.id)/children?ellipses=true", method: .get)
      let expected = try tree.children(of: root.id).map(\.id.rawValue)
      #expect(try children.ids() == expected)
      let parent = try await client.execute(uri: "/v1/places/clusters/\(expected[1])/parent", method: .get)
      #expect(try clusterIDs(of: ["features": [parent.json()]]) == [root.id.rawValue])
      let none = try await client.execute(uri: "/v1/places/clusters/\(root.id)/parent", method: .get)
      #expect(none.status == .notFound)
      let zoom = try await client.execute(uri: "/v1/places/clusters/\(root.id)/expansion-zoom?spacing=44", method: .get)
      #expect(Self.isZoom(try zoom.json()["zoom"], try tree.expansionZoom(of: root.id, by: .spacing(44))))
      for (alone, expected) in [("alone-from-zoom=1.5", 1.5), ("min-points=5000", 0)] {
        let zoom = try await client.execute(
          uri: "/v1/places/clusters/\(root.id)/expansion-zoom?detail=9&\(alone)", method: .get)
        #expect(try zoom.json()["zoom"] as? Double == expected)
      }
    }
  }

  @Test func pagesOfMembersAreAllOfThem() async throws {
    let tree = TestServer.places
    let root = try #require(tree.root)
    try await TestServer().ask { client in
      var rows: [Int] = []
      for offset in stride(from: 0, through: 2000, by: 500) {
        let page = try await client.execute(
          uri: "/v1/places/clusters/\(root.id)/members?offset=\(offset)&limit=500", method: .get)
        let body = try page.json()
        #expect(body["total"] as? Int == 2000 && body["offset"] as? Int == offset)
        let features = try #require(body["features"] as? [[String: Any]])
        rows += features.compactMap { ($0["properties"] as? [String: Any])?["index"] as? Int }
      }
      #expect(rows == Array(tree.members(of: root)))
    }
  }

  @Test func whereARowIs() async throws {
    let tree = TestServer.places
    try await TestServer().ask { client in
      for row in [0, 700, 1999] {
        let place = try #require(tree.treeIndex(ofRow: row))
        let answer = try await client.execute(uri: "/v1/places/where-is?row=\(row)&spacing=44", method: .get).json()
        let path = try #require(answer["path"] as? [[String: Any]])
        let expected = try tree.clusters(containing: place)
        #expect(path.compactMap { ($0["cluster_id"] as? NSNumber)?.uint64Value } == expected.map(\.id.rawValue))
        #expect(answer["row"] as? Int == row)
        #expect(Self.isZoom(answer["zoom_alone"], try tree.unclusteredZoom(ofTreeIndex: place, by: .spacing(44))))
      }
      let none = try await client.execute(uri: "/v1/places/where-is?row=2000", method: .get)
      #expect(none.status == .notFound)
    }
  }

  /// From the ids of an answer as from its view.
  @Test func transitionsAreToldFromIDsAndViews() async throws {
    let server = try TestServer()
    let version = try #require(server.catalog["places"]).version
    try await server.ask { client in
      let (from, to) = ("bbox=1,47,4,50&limit=30", "bbox=2,48,3,49&limit=30")
      let shown = try await client.execute(uri: "/v1/places/clusters?\(from)", method: .get).ids()
      for extra in ["", "&continuing=true", "&ellipses=true"] {
        let byView = try await client.execute(
          uri: "/v1/places/transition?\(to)\(extra)&from-bbox=1,47,4,50", method: .get)
        let byIDs = try await client.execute(
          uri: "/v1/places/transition?\(to)\(extra)", method: .post, headers: [.contentType: "application/json"],
          body: ByteBuffer(string: "{\"version\":\"\(version)\",\"cluster_ids\":\(shown.shuffled())}"))
        #expect(byIDs.status == .ok)
        #expect(byIDs.body == byView.body)
        let answer = try byIDs.json()
        let parts = ["splits", "merges"].flatMap { answer[$0] as? [[String: Any]] ?? [] }
        for fork in parts {
          let whole = try #require((fork["whole"] as? [String: Any])?["point_count"] as? Int)
          let counts = (fork["parts"] as? [[String: Any]])?.compactMap { $0["point_count"] as? Int } ?? []
          #expect(whole == counts.reduce(0, +) + (fork["hidden_point_count"] as? Int ?? -1))
        }
        #expect(!parts.isEmpty)
      }
    }
  }

  /// A client that shows nothing yet has all enter.
  @Test func atFirstAllEnters() async throws {
    try await TestServer().ask { client in
      let answer = try await client.execute(
        uri: "/v1/places/transition?limit=20", method: .post, headers: [.contentType: "application/json"],
        body: ByteBuffer(string: "{\"cluster_ids\":[]}")
      ).json()
      #expect((answer["entered"] as? [Any])?.count == 20)
      #expect(try clusterIDs(of: #require(answer["clusters"] as? [String: Any])).count == 20)
    }
  }

  /// What the view before lacks is as in the view now.
  @Test func aTransitionsZoomHoldsForBothViews() async throws {
    try await TestServer().ask { client in
      let now = "center=2.3,48.8&zoom=6&width=400&height=300"
      let before = "from-center=2.3,48.8&from-width=200&from-height=200"
      let path = "/v1/places/transition?\(now)&\(before)"
      let (bare, told) = (
        try await client.execute(uri: path, method: .get),
        try await client.execute(uri: path + "&from-zoom=6", method: .get)
      )
      #expect(bare.status == .ok && bare.body == told.body)
    }
  }

  @Test func measuresAreThoseOfAnAnswer() async throws {
    try await TestServer().ask { client in
      let view = "center=2.3,48.8&zoom=9&width=800&height=600"
      for method in ["method=grid", "limit=50"] {
        let count = try await client.execute(uri: "/v1/places/clusters?\(view)&\(method)", method: .get).ids().count
        let measures = try await client.execute(uri: "/v1/places/measures?\(view)&\(method)", method: .get).json()
        #expect(measures["cluster_count"] as? Int == count)
        #expect(measures["sampled_points"] as? Int == measures["points_in_view"] as? Int)
        #expect(try #require(measures["distortion"] as? Double) > 0)
      }
    }
  }

  @Test func aPlainPlaneHasClustersAndNoTiles() async throws {
    try await TestServer(["plane": TestServer.plane]).ask { client in
      let clusters = try await client.execute(uri: "/v1/plane/clusters?bbox=0,0,4,4&limit=9", method: .get)
      #expect(try clusters.ids().count == 9)
      let spacing = try await client.execute(uri: "/v1/plane/clusters?zoom=3&spacing=9", method: .get)
      #expect(try spacing.faults() == ["spacing"])
      let off = try await client.execute(uri: "/v1/plane/measures?bbox=20,20,30,30&zoom=2", method: .get).json()
      #expect(off["cluster_count"] as? Int == 0)
      for path in ["tiles.json", "tiles/0/0/0.mvt"] {
        #expect(try await client.execute(uri: "/v1/plane/\(path)", method: .get).status == .notFound)
      }
      let facts = try await client.execute(uri: "/v1/plane", method: .get).json()
      #expect(facts["projection"] as? String == "plane" && facts["point_count"] as? Int == 100)
    }
  }
}

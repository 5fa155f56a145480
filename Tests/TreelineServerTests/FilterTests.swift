import Foundation
import NIOCore
import Synchronization
import Testing
@_spi(Server) import Treeline
import TreelineBuilder
@_spi(Server) import TreelineTiles

@testable import TreelineServer

/// Checks filters and aggregates in requests against the rows themselves.
@Suite struct FilterTests {
  private static let kinds = ["hotel", "hostel", "camp site", "inn"]

  private static func kind(_ row: Int) -> String { kinds[(row * row + row / 7) % 4] }
  private static func price(_ row: Int) -> Int? { row % 11 == 0 ? nil : row * 37 % 500 }

  private static let columns = [
    IndexColumn(name: "kind", kind: .category) { .string(kind($0)) },
    IndexColumn(name: "price", kind: .number) { price($0).map { .number("\($0)") } },
  ]
  private static let tree = try! TestServer.places.adding(columns: columns)

  private static func client() throws -> TestClient { try TestServer(columns: columns).client }

  private static func features(_ answer: TestAnswer) throws -> [[String: Any]] {
    #expect(answer.status == .ok, "\(String(buffer: answer.body))")
    let features = try #require(try answer.json()["features"] as? [[String: Any]])
    return try features.map { try #require($0["properties"] as? [String: Any]) }
  }

  private static func sum(_ features: [[String: Any]], _ name: String) -> Int {
    features.reduce(0) { $0 + ($1[name] as? Int ?? 0) }
  }

  @Test func aFilterCountsThePointsThatPass() async throws {
    let client = try Self.client()
    let rows = 0..<Self.tree.pointCount
    let hotels = rows.filter { Self.kind($0) == "hotel" }
    let cheap = hotels.filter { Self.price($0).map { $0 < 120 } ?? false }
    for (filter, expected) in [
      ("kind='hotel'", hotels), ("kind='hotel'+AND+price<120", cheap), ("price<0", []), ("", Array(rows)),
    ] {
      for cut in ["limit=40", "zoom=5&spacing=44", "zoom=9&detail=30"] {
        let features = try Self.features(try await client.get("/v1/places/clusters?\(cut)&filter=\(filter)"))
        #expect(Self.sum(features, "point_count") == expected.count, "\(filter) \(cut)")
        let singles = features.compactMap { $0["index"] as? Int }
        #expect(Set(singles).isSubset(of: expected))
      }
    }
    let all = try await client.get("/v1/places/clusters?limit=40&filter=price>=0+OR+price+IS+NULL")
    let none = try await client.get("/v1/places/clusters?limit=40")
    #expect(all.body == none.body)
  }

  @Test func aggregatesAreThoseOfTheRows() async throws {
    let client = try Self.client()
    let features = try Self.features(
      try await client.get(
        "/v1/places/clusters?limit=30&filter=price<400&aggregate=count,sum(price),counts(kind),top(kind,1)"))
    let rows = (0..<Self.tree.pointCount).filter { Self.price($0).map { $0 < 400 } ?? false }
    #expect(Self.sum(features, "sum_price") == rows.reduce(0) { $0 + Self.price($1)! })
    #expect(Self.sum(features, "count") == rows.count)
    for kind in Self.kinds {
      let counts = features.map { ($0["counts_kind"] as? [String: Int])?[kind] ?? 0 }
      #expect(counts.reduce(0, +) == rows.filter { Self.kind($0) == kind }.count)
    }
    for feature in features {
      // The counts of all parts of a donut add up to the number of points.
      let counts = try #require(feature["counts_kind"] as? [String: Int])
      #expect(counts.values.reduce(0, +) == feature["point_count"] as? Int)
      let top = try #require(feature["top_kind"] as? [String: Int])
      #expect(top.count == 1 && top.values.first == counts.values.max())
    }
  }

  /// Adds up the values in all tiles of a zoom. In tiles, nested names are flattened.
  @Test func membersAreSortedByAColumn() async throws {
    let client = try Self.client()
    let root = try #require(Self.tree.root)
    for (sort, isDescending) in [("price", false), ("-price", true)] {
      var prices: [Int?] = []
      for offset in stride(from: 0, to: Self.tree.pointCount, by: 1000) {
        let page = try await client.get(
          "/v1/places/clusters/\(root.id)/members?sort=\(sort)&limit=1000&offset=\(offset)")
        prices += try Self.features(page).map { $0["price"] as? Int }
      }
      #expect(prices.count == Self.tree.pointCount)
      let known = prices.prefix { $0 != nil }.compactMap { $0 }
      #expect(known.count > 1000 && known == known.sorted { isDescending ? $0 > $1 : $0 < $1 })
      #expect(prices.dropFirst(known.count).allSatisfy { $0 == nil })
    }
    #expect(try await client.get("/v1/places/clusters/\(root.id)/members?sort=none").status == .badRequest)
    // Of larger clusters, only the first points in the sorted order can be requested.
    let last = "/v1/places/clusters/\(root.id)/members?sort=price&limit=10&offset="
    #expect(try await client.get(last + "199990").status == .ok)
    #expect(try await client.get(last + "199991").status == .badRequest)
  }

  @Test(arguments: [0, 2, 5]) func sumsOfTilesAddUp(_ zoom: Int) async throws {
    let client = try Self.client()
    var (prices, hotels, points) = (0, 0, 0)
    for x in 0..<1 << zoom {
      for y in 0..<1 << zoom {
        let answer = try await client.get(
          "/v1/places/tiles/\(zoom)/\(x)/\(y).mvt?buffer=0&filter=price<>7&aggregate=sum(price),counts(kind)")
        for feature in try DecodedTile(Array(answer.body.readableBytesView)).features {
          prices += feature.integers["sum_price"] ?? 0
          hotels += Int(feature.counts["counts_kind.hotel"] ?? 0)
          points += Int(feature.counts["point_count"] ?? 0)
        }
      }
    }
    let rows = (0..<Self.tree.pointCount).filter { Self.price($0).map { $0 != 7 } ?? false }
    #expect(points == rows.count && prices == rows.reduce(0) { $0 + Self.price($1)! })
    #expect(hotels == rows.filter { Self.kind($0) == "hotel" }.count)
  }

  /// Checks that a count gets a suffix if its name is also the name of a column, of an aggregate or of another count,
  /// in whatever order they come.
  @Test func countsOfATileNeverShareAKey() throws {
    let points = (0..<4).map { Coordinate(longitude: Double($0), latitude: 0) }
    let kinds = ["inn_", "inn", "b.inn", "inn"]
    let columns = [
      IndexColumn(name: "kind", kind: .category) { .string(kinds[$0]) },
      IndexColumn(name: "kind.b", kind: .category) { .string(kinds[3 - $0]) },
      IndexColumn(name: "counts_kind.inn", kind: .number) { .number("\($0)") },
    ]
    let tree = try ClusterTree(points).adding(columns: columns)
    let names = ["counts_kind", "counts_kind.b"]
    let counts = [Aggregate.counts("kind"), .counts("kind.b")]
    var layer = TileLayer(of: tree, for: .limit(4), aggregates: names, tile: MapTile(zoom: 0, x: 0, y: 0)!)
    // First all points are in one cluster, and then each point is alone. No name may change from feature to feature.
    for limit in [1, 4] {
      let clusters = try tree.clusters(.limit(limit), in: .everything)
      for (cluster, values) in zip(clusters, try clusters.values(of: counts)) {
        try layer.append(cluster, values, at: (0, 0))
      }
    }
    // DecodedTile checks that no two keys of the layer are equal.
    let sums = try DecodedTile(layer.bytes).features.reduce(into: [String: Int]()) { sums, feature in
      for (name, count) in feature.counts where name.hasPrefix("counts_kind.") { sums[name, default: 0] += Int(count) }
    }
    // Each value of both columns counts twice: once in the cluster of all points, and once in the cluster of its point.
    let total = sums.values.reduce(0, +)
    #expect(total == 16, "\(sums)")
    // Two points are inns. But a column is named `counts_kind.inn`, so the count of inns gets a suffix.
    #expect(sums["counts_kind.inn_"] == 4 || sums["counts_kind.inn__"] == 4, "\(sums)")
    #expect(sums["counts_kind.inn"] == nil, "\(sums)")
  }

  /// Checks that the facts about an index list the groups that never mix, and the least limit at which each group has a
  /// cluster.
  @Test func groupsAreTold() async throws {
    let tree = try ClusterTree(
      (0..<90).map { Coordinate(longitude: Double($0 % 30), latitude: Double($0 / 30)) },
      groupedBy: PointGroups((0..<90).map { $0 % 30 == 0 ? .neverClustered : .named(["inn", ""][$0 % 2]) }))
    let client = try TestServer(["grouped": tree, "places": TestServer.places]).client
    let facts = try await client.get("/v1/grouped").json()
    let groups = try #require(facts["groups"] as? [[String: Any]])
    #expect(groups.map { $0["name"] as? String } == ["", "inn"])
    #expect(groups.map { $0["point_count"] as? Int } == [45, 42])
    #expect(facts["never_clustered_point_count"] as? Int == 3)
    let places = try await client.get("/v1/places").json()
    #expect(places["groups"] == nil && places["never_clustered_point_count"] == nil)
    let features = try Self.features(try await client.get("/v1/grouped/clusters?limit=5"))
    #expect(features.compactMap { $0["cluster_group"] as? String } == ["", "inn"] && features.count == 5)
    let refused = try await client.get("/v1/grouped/clusters?limit=4")
    #expect(refused.status == .badRequest)
    #expect(String(buffer: refused.body).contains("a limit of 5 or more clusters"))
    #expect(try refused.json()["invalid_params"] != nil)
  }

  /// Checks that the facts say whether clusters are shown at members. A map then knows which positions it may request.
  @Test func theAnchorIsTold() async throws {
    let places = (0..<40).map { (number: Int) in
      Coordinate(longitude: Double(number * 7 % 40), latitude: Double(number * 3 % 20))
    }
    let options = BuildOptions(supporting: .badges(), anchor: .member)
    let client = try TestServer(["members": try ClusterTree(places, options: options), "places": TestServer.places])
      .client
    #expect(try await client.get("/v1/members").json()["anchor"] as? String == "member")
    #expect(try await client.get("/v1/places").json()["anchor"] == nil)
  }

  @Test func tileJSONTellsAggregates() async throws {
    let json = try await Self.client().get("/v1/places/tiles.json?aggregate=sum(price),max(kind),top(kind,2)").json()
    let layers = try #require(json["vector_layers"] as? [[String: Any]])
    let fields = try #require(layers[0]["fields"] as? [String: String])
    #expect(fields["sum_price"] == "Number" && fields["max_kind"] == "String" && fields["top_kind"] == nil)
    let tiles = try #require(json["tiles"] as? [String])
    #expect(tiles[0].hasSuffix("?aggregate=sum(price),max(kind),top(kind,2)"))
  }

  @Test func transitionsBetweenFiltersAddUp() async throws {
    let client = try Self.client()
    for (first, second) in [("", "price<100"), ("price<100", "kind='inn'"), ("kind='inn'", ""), ("price<9", "price<9")]
    {
      let query = "zoom=6&spacing=44&from-filter=\(first)&filter=\(second)"
      let json = try await client.get("/v1/places/transition?\(query)").json()
      func list(_ name: String) throws -> [[String: Any]] { try #require(json[name] as? [[String: Any]]) }
      func count(_ cluster: Any?) -> Int { (cluster as? [String: Any])?["point_count"] as? Int ?? 0 }
      func number(_ change: [String: Any], _ name: String) -> Int { change[name] as? Int ?? 0 }
      var (before, after) = (0, 0)
      for kept in try list("kept") {
        let (now, then) = (count(kept), kept["from_point_count"] as? Int ?? count(kept))
        #expect(now == then - number(kept, "filtered_out_point_count") + number(kept, "filtered_in_point_count"))
        before += then
        after += now
      }
      for split in try list("splits") {
        let parts = try #require(split["parts"] as? [[String: Any]]).reduce(0) { $0 + count($1) }
        let (out, back) = (number(split, "filtered_out_point_count"), number(split, "filtered_in_point_count"))
        #expect(count(split["whole"]) == parts - back + out + number(split, "hidden_point_count"))
        before += count(split["whole"])
        after += parts
      }
      for merge in try list("merges") {
        let parts = try #require(merge["parts"] as? [[String: Any]]).reduce(0) { $0 + count($1) }
        let (out, back) = (number(merge, "filtered_out_point_count"), number(merge, "filtered_in_point_count"))
        #expect(count(merge["whole"]) == parts - out + back + number(merge, "hidden_point_count"))
        before += parts
        after += count(merge["whole"])
      }
      before += try list("left").reduce(0) { $0 + count($1) }
      after += try list("entered").reduce(0) { $0 + count($1) }
      for (filter, found) in [(first, before), (second, after)] {
        let answer = try await client.get("/v1/places/clusters?zoom=6&spacing=44&filter=\(filter)")
        #expect(Self.sum(try Self.features(answer), "point_count") == found, "\(first) to \(second)")
      }
      let ids = try await client.get("/v1/places/clusters?zoom=6&spacing=44&filter=\(first)").ids()
      let told = try await client.post("/v1/places/transition?\(query)", "{\"cluster_ids\": \(ids)}")
      #expect(try told.status == .ok && (told.json()["splits"] as? [Any])?.count == list("splits").count)
    }
  }

  @Test func otherRoutesTakeAFilter() async throws {
    let client = try Self.client()
    let rows = (0..<Self.tree.pointCount).filter { Self.kind($0) == "inn" }
    let root = try #require(Self.tree.root)
    let filter = "filter=kind='inn'"
    let cluster = try await client.get("/v1/places/clusters/\(root.id)?\(filter)&aggregate=count(kind)").json()
    let properties = try #require(cluster["properties"] as? [String: Any])
    #expect(properties["point_count"] as? Int == rows.count && properties["count_kind"] as? Int == rows.count)
    let page = try await client.get("/v1/places/clusters/\(root.id)/members?\(filter)&offset=5&limit=1000")
    #expect(try page.json()["total"] as? Int == rows.count)
    let members = try Self.features(page).map { try #require($0["index"] as? Int) }
    #expect(Set(members).isSubset(of: rows) && members.count == Swift.min(rows.count - 5, 1000))
    let other = (0..<Self.tree.pointCount).first { Self.kind($0) != "inn" }!
    #expect(try await client.get("/v1/places/where-is?\(filter)&row=\(rows[3])").status == .ok)
    #expect(try await client.get("/v1/places/where-is?\(filter)&row=\(other)").status == .notFound)
    let children = try Self.features(try await client.get("/v1/places/clusters/\(root.id)/children?\(filter)"))
    #expect(Self.sum(children, "point_count") == rows.count)
    let measures = try await client.get("/v1/places/measures?zoom=6&\(filter)&bbox=-6,41,9,52").json()
    for name in ["point_count", "points_in_view", "sampled_points"] {
      #expect(measures[name] as? Double == Double(rows.count), "\(name)")
    }
    for path in ["expansion-zoom?spacing=44&", "parent?"] {
      let answer = try await client.get("/v1/places/clusters/\(root.id)/\(path)\(filter)")
      #expect(answer.status == (path == "parent?" ? .notFound : .ok))
    }
  }

  @Test func faultsAreTold() async throws {
    let client = try Self.client()
    let deep = String(repeating: "(", count: 20) + "price<1" + String(repeating: ")", count: 20)
    let long = (0..<300).map { "price=\($0)" }.joined(separator: "+OR+")
    for (parameters, name) in [
      ("filter=price<", "filter"), ("filter=colour='red'", "filter"), ("filter=kind<3", "filter"),
      ("filter=\(deep)", "filter"), ("filter=\(long)", "filter"), ("aggregate=sum(", "aggregate"),
      ("aggregate=sum(colour)", "aggregate"), ("aggregate=sum(kind)", "aggregate"),
      ("aggregate=\([String](repeating: "count", count: 17).joined(separator: ","))", "aggregate"),
      ("filter=price<1&filter=price<2", "filter"), ("method=grid&filter=price<1", "filter"),
    ] {
      let answer = try await client.get("/v1/places/clusters?limit=9&\(parameters)")
      #expect(try answer.status == .badRequest && answer.faults().contains(name), "\(parameters)")
    }
    let answer = try await client.get("/v1/places/clusters?filter=price+!=+3")
    #expect(String(buffer: answer.body).contains("at character 7"))
  }

  @Test func fewFiltersAreKept() throws {
    let cache = FilterCache(of: Self.tree, mostBytes: 1 << 30)
    let filters = (0..<100).map { Filter.where("price", .isLess, .integer($0)) }
    for (number, filter) in filters.enumerated() {
      #expect(!cache.contains(filter))
      let tree = try cache.tree(selecting: filter)
      #expect(
        tree.filteredPointCount == (0..<Self.tree.pointCount).count { Self.price($0).map { $0 < number } ?? false })
      #expect(cache.contains(filter) && cache.size.count <= FilterCache.most)
      // After this, the first filter is the most recently used filter, and the new filter is the second.
      _ = try cache.tree(selecting: filters[0])
    }
    #expect(cache.contains(filters[0]) && !cache.contains(filters[1]) && cache.contains(filters[99]))
    let bytes = cache.size.bytes / cache.size.count
    let small = FilterCache(of: Self.tree, mostBytes: 3 * bytes)
    for filter in filters {
      _ = try small.tree(selecting: filter)
      #expect(small.size.bytes <= 3 * bytes && small.contains(filter))
    }
    #expect(small.size.count == 3)
    // The cache also counts the data that is prepared for columns.
    let hotels = try cache.tree(selecting: .where("kind", .equals, "hotel"))
    let before = hotels.selectionByteCount
    _ = try hotels.clusters(.limit(9), in: .everything).values(of: [.sum("price"), .counts("kind"), .min("price")])
    #expect(hotels.selectionByteCount > before)
    let least = FilterCache(of: Self.tree, mostBytes: 0)
    for filter in filters.prefix(3) { _ = try least.tree(selecting: filter) }
    #expect(least.size.count == 1 && least.contains(filters[2]))
    // A filter that fails is not cached, and does not evict another filter.
    for number in 0..<100 {
      #expect(throws: FilterError.self) { try least.tree(selecting: .where("colour \(number)", .equals, "red")) }
      #expect(throws: FilterError.self) { try small.tree(selecting: .where("kind", .equals, .integer(number))) }
    }
    #expect(least.size.count == 1 && least.contains(filters[2]) && small.size.count == 3)
  }

  @Test func aFilterIsPreparedOnceForAll() async throws {
    let cache = FilterCache(of: Self.tree, mostBytes: 1 << 30)
    let filter = Filter.where("kind", .equals, "hotel")
    let counts = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<16 { group.addTask { (try? cache.tree(selecting: filter).filteredPointCount) ?? -1 } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(counts) == [(0..<Self.tree.pointCount).count { Self.kind($0) == "hotel" }])
    #expect(cache.size.count == 1)
  }

  /// If a client leaves, the server also stops the work that prepares the sums for clusters.
  @Test func preparationOfSumsCanBeCancelled() throws {
    let filter = Filter.where("kind", .equals, "hotel")
    let (filtering, cached) = (Looks(), Looks())
    _ = try Cancellation.run(unless: { filtering.look() }) { try Self.tree.filtered(by: filter) }
    _ = try Cancellation.run(unless: { cached.look() }) {
      try FilterCache(of: Self.tree, mostBytes: 1).tree(selecting: filter)
    }
    #expect(cached.count > filtering.count)
    // The last look comes after the work.
    for stop in 0..<cached.count - 1 {
      let (cache, looks) = (FilterCache(of: Self.tree, mostBytes: 1), Looks(until: stop))
      #expect(throws: CancellationError.self, "look \(stop)") {
        try Cancellation.run(unless: { looks.look() }) { try cache.tree(selecting: filter) }
      }
      #expect(!cache.contains(filter), "look \(stop)")
    }
  }

  /// Counts how often work checks whether it is cancelled. The work is cancelled after a given number of checks.
  private final class Looks: Sendable {
    private let end: Int
    private let looks = Atomic<Int>(0)

    init(until end: Int = .max) { self.end = end }

    var count: Int { looks.load(ordering: .relaxed) }

    func look() -> Bool { looks.add(1, ordering: .relaxed).oldValue >= end }
  }
}

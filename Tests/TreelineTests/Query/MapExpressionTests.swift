import PointSets
import Testing
import Treeline
import TreelineBuilder

/// Checks that filters and aggregates by key paths equal filters and aggregates by column names.
@Suite struct MapExpressionTests {
  enum Stars: String { case one, two, three }

  struct Offer {
    var price: Float
  }

  struct Hotel {
    var coordinate: Coordinate
    var price: Double?
    var rooms: Int
    var kind: String
    var stars: Stars?
    var isOpen: Bool
    var opened: Instant
    var offer: Offer
  }

  static let hotels = PointSet.cities(600, clusters: 6, seed: 71).coordinates.enumerated().map { row, coordinate in
    Hotel(
      coordinate: coordinate, price: row % 7 == 0 ? nil : Double(row % 200) / 10, rooms: row % 41,
      kind: ["hotel", "hostel", "inn"][row % 3], stars: [.one, nil, .two, .three][row % 4], isOpen: row % 5 > 0,
      opened: Instant(seconds: Int64(row) * 86_400, nanoseconds: 0), offer: Offer(price: Float(row % 10) / 10))
  }

  static func map() throws -> ClusterMap<Hotel> {
    try ClusterMap(
      hotels, at: \.coordinate, columns: .number(\.price), .number(\.rooms), .category(\.kind), .category(\.stars),
      .boolean(\.isOpen), .time(\.opened, name: "since"), .number(\.offer.price, name: "offer"))
  }

  static func day(_ number: Int64) -> Instant { Instant(seconds: number * 86_400, nanoseconds: 0) }

  /// Filters, each with a closure that tests a single value. Both must pass the same values.
  static let filters: [(MapFilter<Hotel>, @Sendable (Hotel) -> Bool)] = [
    (.where(\.price, .isLess, 7.5), { $0.price.map { $0 < 7.5 } ?? false }),
    (.where(\.price, in: 2.5..<7.5), { $0.price.map { (2.5..<7.5).contains($0) } ?? false }),
    (.where(\.price, in: [0.5, 19.9]), { $0.price == 0.5 || $0.price == 19.9 }),
    (.whereMissing(\.price), { $0.price == nil }),
    (!.where(\.price, .isAtLeast, 7.5), { $0.price.map { $0 < 7.5 } ?? false }),
    (.where(\.rooms, in: 3...9), { (3...9).contains($0.rooms) }),
    (.where(\.rooms, in: 30...), { $0.rooms >= 30 }),
    (.where(\.rooms, in: ..<4), { $0.rooms < 4 }),
    (.where(\.rooms, in: ...4), { $0.rooms <= 4 }),
    (.where(\.rooms, .isNot, 4), { $0.rooms != 4 }),
    (.where(\.kind, in: ["hotel", "inn"]), { $0.kind != "hostel" }),
    (.where(\.kind, isLike: "ho%"), { $0.kind.hasPrefix("ho") }),
    (.where(\.stars, .equals, .two), { $0.stars == .two }),
    (.where(\.stars, in: [.one, .three]), { $0.stars == .one || $0.stars == .three }),
    (.where(\.isOpen, .equals, true), { $0.isOpen }),
    (.where(\.opened, in: day(100)..<day(200)), { day(100) <= $0.opened && $0.opened < day(200) }),
    (.where(\.offer.price, .equals, 0.1), { $0.offer.price == 0.1 }),
    (.where(\.kind, .equals, "inn") && .where(\.rooms, .isLess, 20), { $0.kind == "inn" && $0.rooms < 20 }),
    (.where(\.kind, .equals, "inn") || !.where(\.isOpen, .equals, true), { $0.kind == "inn" || !$0.isOpen }),
    (
      .init(.inside(BoundingBox(west: 0, south: -90, east: 180, north: 90))) && .where(\.kind, .isNot, "inn"),
      { $0.coordinate.longitude >= 0 && $0.kind != "inn" }
    ),
  ]

  @Test(arguments: filters.indices) func selectsTheValuesOfAFilter(at index: Int) throws {
    let (filter, passes) = Self.filters[index]
    let map = try Self.map().selecting(filter)
    let found = try map.clusters(.limit(1), in: .everything).flatMap { result in
      map.members(of: result.cluster).map(\.opened)
    }
    let expected = Self.hotels.filter(passes).map(\.opened)
    #expect(Set(found) == Set(expected) && found.count == expected.count && !expected.isEmpty)
  }

  @Test func tellsAggregatesOfProperties() throws {
    let map = try Self.map()
    let shown = try map.clusters(.limit(9), in: .everything)
    let told = try shown.values(of: [
      .count, .count(\.price), .sum(\.rooms), .mean(\.price), .mean(\.price, weight: \.rooms), .variance(\.rooms),
      .min(\.opened), .max(\.offer.price), .any(\.isOpen), .all(\.isOpen), .counts(\.stars), .top(2, of: \.kind),
      .mode(\.kind), .median(\.rooms), .percentile(90, of: \.price), .distinct(\.price),
    ])
    let named: [Aggregate] = [
      .count, .count("price"), .sum("rooms"), .mean("price"), .mean("price", weight: "rooms"), .variance("rooms"),
      .min("since"), .max("offer"), .any("isOpen"), .all("isOpen"), .counts("stars"), .top(2, of: "kind"),
      .mode("kind"), .median("rooms"), .percentile(90, of: "price"), .distinct("price"),
    ]
    #expect(try told == shown.clusters.values(of: named))
    for (result, values) in zip(shown, told) {
      #expect(values[2].double == Double(map.members(of: result.cluster).reduce(0) { $0 + $1.rooms }))
    }
  }

  /// Compares filters that reuse the previous window with new filters. Also checks that transitions keep the names of
  /// columns.
  @Test func reusesTheFilterBefore() throws {
    let map = try Self.map()
    var window: ClusterMap<Hotel>?
    var shown = map.noResults
    for start in stride(from: Int64(0), to: 500, by: 10) {
      let days = Self.day(start)..<Self.day(start + 100)
      window = try map.selecting(.where(\.opened, in: days), reusing: window)
      let next = try window!.clusters(.limit(20), in: .everything)
      let named = try map.selecting(.where("since", in: days)).clusters(.limit(20), in: .everything)
      #expect(next.map(\.cluster.id) == named.map(\.cluster.id))
      let kept = map.transition(from: shown, to: next).kept
      #expect(try kept.values(of: [.sum(\.rooms)]) == kept.clusters.values(of: [.sum("rooms")]))
      shown = next
    }
  }

  @Test func propertiesWithoutAColumnAreRefused() throws {
    let map = try Self.map()
    let names = ["price", "rooms", "kind", "stars", "isOpen", "since", "offer"]
    #expect(try map.columnName(of: \.opened) == "since" && map.columnName(of: \.offer.price) == "offer")
    let unknown = QueryError.unknownProperty(keyPath: "\(\Hotel.coordinate.latitude)", columns: names)
    #expect(throws: unknown) { try map.columnName(of: \.coordinate.latitude) }
    #expect(throws: unknown) {
      try map.selecting(.where(\.kind, .equals, "a") && !.where(\.coordinate.latitude, .isLess, 1))
    }
    #expect(throws: unknown) {
      try map.clusters(.limit(1), in: .everything).values(of: [.count, .mean(\.coordinate.latitude)])
    }
    #expect("\(unknown)".contains("latitude; the columns are \"price\""))
    let bare = try ClusterMap(Self.hotels, at: \.coordinate)
    #expect(throws: QueryError.self) { try bare.selecting(.where(\.kind, .equals, "inn")) }
  }

  /// A tree from an index has no key paths. Checks that its columns are found by the names of the properties.
  @Test func columnsOfAnotherTreeGoByName() throws {
    let map = try ClusterMap(Self.hotels, on: Self.map().tree)
    #expect(try map.columnName(of: \.kind) == "kind" && map.columnName(of: \.offer.price) == "price")
    #expect(throws: QueryError.self) { try map.columnName(of: \.opened) }
    #expect(
      try map.selecting(.where(\.kind, in: ["inn"])).tree.passingPointCount
        == Self.hotels.filter { $0.kind == "inn" }.count)
  }
}

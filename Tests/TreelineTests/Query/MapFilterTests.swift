import PointSets
import Testing
@_spi(Server) import Treeline
import TreelineBuilder

/// Checks that filters and aggregates by key paths equal filters and aggregates by column names.
@Suite struct MapFilterTests {
  enum Stars: String, ColumnValue { case one, two, three }

  enum Floor: Int, ColumnValue { case ground, upper, top }

  struct Offer {
    var price: Float
  }

  struct Hotel {
    var coordinate: Coordinate
    var price: Double?
    var rooms: Int
    var kind: String
    var stars: Stars?
    var floor: Floor
    var isOpen: Bool
    var opened: Instant
    var offer: Offer
  }

  static let hotels = PointSet.cities(600, clusters: 6, seed: 71).coordinates.enumerated().map { row, coordinate in
    Hotel(
      coordinate: coordinate, price: row % 7 == 0 ? nil : Double(row % 200) / 10, rooms: row % 41,
      kind: ["hotel", "hostel", "inn"][row % 3], stars: [.one, nil, .two, .three][row % 4],
      floor: [.ground, .upper, .top][row % 3], isOpen: row % 5 > 0,
      opened: Instant(seconds: Int64(row) * 86_400, nanoseconds: 0), offer: Offer(price: Float(row % 10) / 10))
  }

  static func map() throws -> ClusterMap<Hotel> {
    try ClusterMap(
      hotels, at: \.coordinate, columns: .number(\.price), .number(\.rooms), .category(\.kind), .category(\.stars),
      .number(\.floor), .boolean(\.isOpen), .time(\.opened, name: "since"), .number(\.offer.price, name: "offer"))
  }

  static func day(_ number: Int64) -> Instant { Instant(seconds: number * 86_400, nanoseconds: 0) }

  /// Filters, each with a closure that tests a single value. Both must pass the same values.
  static let filters: [(MapFilter<Hotel>, @Sendable (Hotel) -> Bool)] = [
    (\.price < 7.5, { $0.price.map { $0 < 7.5 } ?? false }),
    (.where(\.price, in: 2.5..<7.5), { $0.price.map { (2.5..<7.5).contains($0) } ?? false }),
    (.where(\.price, in: [0.5, 19.9]), { $0.price == 0.5 || $0.price == 19.9 }),
    (\.price == nil, { $0.price == nil }),
    (\.price != nil, { $0.price != nil }),
    (!(\.price >= 7.5), { $0.price.map { $0 < 7.5 } ?? false }),
    (.where(\.rooms, in: 3...9), { (3...9).contains($0.rooms) }),
    (.where(\.rooms, in: 30...), { $0.rooms >= 30 }),
    (.where(\.rooms, in: ..<4), { $0.rooms < 4 }),
    (.where(\.rooms, in: ...4), { $0.rooms <= 4 }),
    (\.rooms != 4, { $0.rooms != 4 }),
    (\.rooms > 4 && \.rooms <= 9, { (5...9).contains($0.rooms) }),
    (.where(\.kind, in: ["hotel", "inn"]), { $0.kind != "hostel" }),
    (.where(\.kind, isLike: "ho%"), { $0.kind.hasPrefix("ho") }),
    (\.stars == .two, { $0.stars == .two }),
    (.where(\.stars, in: [.one, .three]), { $0.stars == .one || $0.stars == .three }),
    (\.floor == .upper, { $0.floor == .upper }),
    (\.isOpen == true, { $0.isOpen }),
    (.where(\.opened, in: day(100)..<day(200)), { day(100) <= $0.opened && $0.opened < day(200) }),
    (\.offer.price == 0.1, { $0.offer.price == 0.1 }),
    (\.kind == "inn" && \.rooms < 20, { $0.kind == "inn" && $0.rooms < 20 }),
    (\.kind == "inn" || !(\.isOpen == true), { $0.kind == "inn" || !$0.isOpen }),
    (
      .init(.inside(BoundingBox(west: 0, south: -90, east: 180, north: 90))) && \.kind != "inn",
      { $0.coordinate.longitude >= 0 && $0.kind != "inn" }
    ),
  ]

  @Test(arguments: filters.indices) func selectsTheValuesOfAFilter(at index: Int) throws {
    let (filter, passes) = Self.filters[index]
    let map = try Self.map().filtered(by: filter)
    let found = try map.clusters(.limit(1), in: .everything).flatMap { result in
      result.members.map(\.opened)
    }
    let expected = Self.hotels.filter(passes).map(\.opened)
    #expect(Set(found) == Set(expected) && found.count == expected.count && !expected.isEmpty)
  }

  /// Checks aggregates against the values of each cluster, with their types.
  @Test func aggregatesHaveTheTypesOfProperties() throws {
    let map = try Self.map()
    let shown = try map.clusters(.limit(9), in: .everything)
    let members = shown.map(\.members)
    let means: [Double?] = try map.values(of: .mean(\.price), for: shown)
    for (mean, members) in zip(means, members) {
      let prices = members.compactMap(\.price)
      let (found, expected) = (try #require(mean), prices.reduce(0, +) / Double(prices.count))
      #expect(abs(found - expected) < 1e-9)
    }
    let pairs = zip(shown, try map.values(of: .mean(\.price), for: shown)).map { (id: $0.id, mean: $1 ?? 0) }
    #expect(pairs.map(\.mean) == means.map { $0 ?? 0 })
    for (mean, result) in zip(means, shown) { #expect(try map.value(of: .mean(\.price), for: result) == mean) }
    let lists = try map.values(of: [.mean(\.price), .median(\.rooms)], for: shown)
    #expect(lists.map { $0[0] } == means && lists.allSatisfy { $0.count == 2 })
    // An aggregate of one result follows the filter of the result, not of the map.
    let inns = try map.filtered(by: \.kind == "inn").clusters(.limit(5), in: .everything)
    for (count, result) in zip(try map.values(of: .count, for: inns), inns) {
      #expect(try map.value(of: .count, for: result) == count && count == result.count)
    }
    let sums: [Int] = try map.values(of: .sum(\.rooms), for: shown)
    #expect(sums == members.map { $0.reduce(0) { $0 + $1.rooms } })
    let open: [Int] = try map.values(of: .sum(\.isOpen), for: shown)
    #expect(open == members.map { $0.count(where: \.isOpen) })
    let several: [(Int, Int, Instant?, Stars?, Floor?, Float?)] = try map.values(
      of: .count, .count(\.price), .max(\.opened), .min(\.stars), .max(\.floor), .percentile(100, of: \.offer.price),
      for: shown)
    for (found, members) in zip(several, members) {
      #expect(found.0 == members.count && found.1 == members.count { $0.price != nil })
      #expect(found.2 == members.map(\.opened).max())
      #expect(found.3?.rawValue == members.compactMap { $0.stars?.rawValue }.min())
      #expect(found.4?.rawValue == members.map(\.floor.rawValue).max())
      #expect(found.5 == members.map(\.offer.price).max())
    }
    let counted: [([(value: String, count: Int)], [(value: Stars, count: Int)], String?, Bool?, Bool?, Int)] =
      try map.values(
        of: .top(1, of: \.kind), .counts(\.stars), .mode(\.kind), .any(\.isOpen), .all(\.isOpen), .distinct(\.rooms),
        for: shown)
    for (found, members) in zip(counted, members) {
      #expect(found.0.count == 1 && found.0[0].value == found.2)
      #expect(found.0[0].count == members.count { $0.kind == found.2 })
      #expect(found.1.allSatisfy { star in star.count == members.count { $0.stars == star.value } })
      #expect(found.3 == members.contains { $0.isOpen } && found.4 == members.allSatisfy(\.isOpen))
      #expect(found.5 == Set(members.map(\.rooms)).count)
    }
    let plain = try shown.clusters.values(of: [.median("rooms"), .variance("rooms"), .mean("price", weight: "rooms")])
    let typed = try map.values(of: .median(\.rooms), .variance(\.rooms), .mean(\.price, weight: \.rooms), for: shown)
    #expect(typed.map(\.0) == plain.map(\.[0].double) && typed.map(\.1) == plain.map(\.[1].double))
    #expect(typed.map(\.2) == plain.map(\.[2].double))
    let ends = try map.values(of: .first(\.kind, by: \.opened), .last(\.price, by: \.opened), for: shown)
    for (found, members) in zip(ends, members) {
      #expect(found.0 == members.max { $0.opened < $1.opened }?.kind)
      #expect(found.1 == members.filter { $0.price != nil }.min { $0.opened < $1.opened }?.price)
    }
  }

  @Test func resultsWithoutAValueOfTheirTypeAreRefused() throws {
    enum Other: String, ColumnValue { case hotel }
    struct Inn {
      var kind: Other
      var rooms: Int
      var coordinate: Coordinate
    }
    let tree = try Self.map().tree
    let inns = try ClusterMap(
      Self.hotels.map { Inn(kind: .hotel, rooms: 1, coordinate: $0.coordinate) }, at: \.coordinate, on: tree)
    let shown = try inns.clusters(.limit(1), in: .everything)
    #expect(throws: QueryError.unsuitedValue(keyPath: "\(\Inn.kind)", type: "Optional<Other>", found: "inn")) {
      try inns.values(of: .max(\.kind), for: shown)
    }
    let large = try ClusterMap(
      [Int.max, 1].map { Self.Room(at: Coordinate(longitude: 1, latitude: 2), number: $0) }, at: \.at,
      columns: .number(\.number))
    let all = try large.clusters(.limit(1), in: .everything)
    #expect(throws: QueryError.self) { try large.values(of: .sum(\.number), for: all) }
    let greatest: [Int?] = try large.values(of: .max(\.number), for: all)
    #expect(greatest == [Int.max])
  }

  /// A column stores whole numbers exactly if they differ by at most 2^64 - 2.
  @Test func wholeNumbersThatAreStoredAsDoublesAreRefused() throws {
    func map(_ numbers: [Int]) throws -> ClusterMap<Room> {
      try ClusterMap(
        numbers.map { Room(at: Coordinate(longitude: 1, latitude: 2), number: $0) }, at: \.at,
        columns: .number(\.number))
    }
    let exact = try map([.max, .max - 1, .min + 1])
    let ends = try exact.values(
      of: .max(\.number), .distinct(\.number), for: exact.clusters(.limit(1), in: .everything))
    #expect(ends[0].0 == .max && ends[0].1 == 3)
    #expect(try exact.filtered(by: \.number == .max).tree.filteredPointCount == 1)
    let rounded = try map([.max, .max - 1, .min])
    let shown = try rounded.clusters(.limit(1), in: .everything)
    let error = #expect(throws: QueryError.self) { try rounded.values(of: .max(\.number), for: shown) }
    let message = error?.description ?? ""
    #expect(message.contains("found 9.223372036854776e+18; the column stores doubles, because its whole numbers are"))
    #expect(message.contains("not all from -2^63 to 2^63 - 1, or differ by more than 2^64 - 2; make the property a"))
  }

  private struct Room {
    var at: Coordinate
    var number: Int
  }

  /// Compares filters that reuse the previous window with new filters. Also checks that transitions keep the names of
  /// columns.
  @Test func reusesTheFilterBefore() throws {
    let map = try Self.map()
    var window: ClusterMap<Hotel>?
    var shown = map.noResults
    for start in stride(from: Int64(0), to: 500, by: 10) {
      let days = Self.day(start)..<Self.day(start + 100)
      window = try map.filtered(by: .where(\.opened, in: days), reusing: window)
      let next = try window!.clusters(.limit(20), in: .everything)
      let named = try map.filtered(by: .where("since", in: days)).clusters(.limit(20), in: .everything)
      #expect(next.map(\.cluster.id) == named.map(\.cluster.id))
      let kept = map.transition(from: shown, to: next).kept
      #expect(
        try map.values(of: .sum(\.rooms), for: kept).map(Double.init)
          == kept.clusters.values(of: [.sum("rooms")]).map { $0[0].double })
      shown = next
    }
  }

  @Test func propertiesWithoutAColumnAreRefused() throws {
    let map = try Self.map()
    let names = ["price", "rooms", "kind", "stars", "floor", "isOpen", "since", "offer"]
    #expect(try map.columnName(of: \.opened) == "since" && map.columnName(of: \.offer.price) == "offer")
    let unknown = QueryError.unknownProperty(keyPath: "\(\Hotel.coordinate.latitude)", columns: names)
    #expect(throws: unknown) { try map.columnName(of: \.coordinate.latitude) }
    #expect(throws: unknown) {
      try map.filtered(by: \.kind == "a" && !(\.coordinate.latitude < 1))
    }
    #expect(throws: unknown) {
      try map.values(of: .count, .mean(\.coordinate.latitude), for: map.clusters(.limit(1), in: .everything))
    }
    #expect("\(unknown)".contains("latitude; the columns are \"price\""))
    let bare = try ClusterMap(Self.hotels, at: \.coordinate)
    #expect(throws: QueryError.self) { try bare.filtered(by: \.kind == "inn") }
  }

  /// A tree from an index has no key paths. Checks that its columns are found by the names of the properties.
  @Test func columnsOfAnotherTreeGoByName() throws {
    let map = try ClusterMap(Self.hotels, at: \.coordinate, on: Self.map().tree)
    #expect(try map.columnName(of: \.kind) == "kind" && map.columnName(of: \.offer.price) == "price")
    #expect(throws: QueryError.self) { try map.columnName(of: \.opened) }
    #expect(
      try map.filtered(by: .where(\.kind, in: ["inn"])).tree.filteredPointCount
        == Self.hotels.filter { $0.kind == "inn" }.count)
  }

  /// A value with properties that are stored in the value, and with properties that are not.
  private struct Place {
    final class Owner: Sendable {
      let age: Int
      init(age: Int) { self.age = age }
    }

    let coordinate: Coordinate
    let small: UInt8
    let name: String?
    var observed: Int16 { didSet {} }
    let pair: (Int8, Double)
    let owner: Owner
    let offer: Offer?

    var double: Int { 2 * Int(small) }
  }

  @Test func propertiesAreReadWhereverTheyAreStored() throws {
    let places = Self.hotels.indices.map { row in
      Place(
        coordinate: Self.hotels[row].coordinate, small: UInt8(row % 256), name: row % 3 == 0 ? nil : "place \(row)",
        observed: Int16(-row), pair: (Int8(row % 100), Double(row) + 0.5), owner: Place.Owner(age: 7 * row),
        offer: row % 2 == 0 ? nil : Offer(price: Float(row)))
    }
    let map = try ClusterMap(
      places, at: \.coordinate, columns: .number(\.small), .text(\.name), .number(\.observed, name: "seen"),
      .number(\.pair.1, name: "pair"), .number(\.owner.age, name: "age"), .number(\.offer?.price, name: "price"),
      .number(\.double, name: "double"))
    for index in places.indices {
      let place = places[map.tree.row(atTreeIndex: index)]
      let expected: [AttributeValue?] = [
        .number("\(place.small)"), place.name.map { .string($0) }, .number("\(place.observed)"),
        .number("\(place.pair.1)"), .number("\(place.owner.age)"),
        place.offer.map { .number("\(Int($0.price))") } ?? .null, .number("\(place.double)"),
      ]
      #expect(map.tree.columns.map { $0.value(atTreeIndex: index) } == expected, "\(place)")
    }
    let numbers = try ClusterMap(
      [3.5, 1, -2], at: { Coordinate(longitude: $0, latitude: 1) }, columns: .number(\.self, name: "itself"))
    #expect(try numbers.tree.clusters(.limit(1), in: .everything).values(of: [.sum("itself")])[0][0].double == 2.5)
  }
}

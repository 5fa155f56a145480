import PointSets
import Testing
@_spi(Server) @testable import Treeline
import TreelineBuilder

/// Calls all queries with extreme or invalid values. Either the answer is right or an error says what is wrong. A
/// crash would end this test.
@Suite struct HostileValueTests {
  fileprivate struct Place {
    var coordinate: Coordinate
    var price: Double?
    var rooms: Int
    var kind: String
    var opened: Instant
  }

  /// Chooses mostly among hostile values, and sometimes among usual values.
  fileprivate struct Chooser {
    var random: SplitMix64

    mutating func among<Element>(_ elements: [Element]) -> Element { elements[random.index(below: elements.count)] }

    private static let integers: [Int] = [
      0, -1, 1, 2, 7, 100, 1000, 0x7FFF_FFFF, 0x8000_0000, 0x1_0000_0000, 0x1_0000_0001, 0x20_0000_0000_0000,
      0x20_0000_0000_0001, Int.max, Int.min,
    ]
    private static let numbers: [Double] = [
      0, 1, 0.5, 12, 24, 32, 85.1, 90, 180, 181, 360, 1e9, 0x1p31, 0x1p32, 0x1p53, 0x1p63, 0x1p64, 1e300, 2000, 1e-9,
      Double.greatestFiniteMagnitude, Double.leastNonzeroMagnitude, Double.infinity, Double.nan,
    ]

    mutating func integer() -> Int { among(Self.integers) }

    mutating func number() -> Double {
      let number = among(Self.numbers)
      return random.index(below: 3) == 0 ? 0 - number : number
    }

    mutating func text() -> String {
      among([
        "", "price", "kind", "rooms", "opened", "none", "\u{0}", "é", "e\u{301}", "9999-12-31", "2024-01-01T00:00:00Z",
      ])
    }

    mutating func coordinate() -> Coordinate { Coordinate(longitude: number(), latitude: number()) }

    mutating func box() -> BoundingBox {
      BoundingBox(west: number(), south: number(), east: number(), north: number())
    }

    mutating func margin() -> Double { random.index(below: 2) == 0 ? 0 : number() }

    mutating func tileSize() -> Viewport.TileSize { among([.pixels256, .pixels512]) }

    mutating func viewport() -> Viewport {
      switch random.index(below: 6) {
      case 0: .everything(zoom: number(), tileSize: tileSize())
      case 1:
        Viewport(box(), zoom: random.index(below: 2) == 0 ? nil : number(), tileSize: tileSize(), margin: margin())
      case 2: Viewport(box(), width: number(), height: number(), margin: margin())
      case 3:
        Viewport(
          center: coordinate(), zoom: number(), width: number(), height: number(), tileSize: tileSize(),
          margin: margin())
      case 4:
        tile().map { Viewport(tile: $0, tileSize: tileSize(), margin: number()) } ?? .everything
      default: .everything
      }
    }

    mutating func tile() -> MapTile? {
      let (zoom, x, y) = (integer(), integer(), integer())
      return MapTile(zoom: among([0, 3, 24, zoom]), x: among([0, 7, x]), y: among([0, 7, y]))
    }

    mutating func cut() -> Cut {
      let cut: Cut =
        switch random.index(below: 4) {
        case 0:
          .limit(
            integer(), order: among(ExpansionOrder.allCases),
            continuity: random.index(below: 2) == 0 ? .continuing : .independent)
        case 1: .detail(number())
        case 2: .spacing(number())
        default: .badges(scale: number())
        }
      let unclustered =
        random.index(below: 3) == 0 ? UnclusteredPoints(leastMembers: integer(), fromZoom: number()) : .none
      let limited = random.index(below: 2) == 0 ? cut : cut.atMost(integer())
      return limited.unclustered(unclustered)
    }

    mutating func id(of tree: ClusterTree) -> ClusterID {
      switch random.index(below: 4) {
      case 0: return ClusterID(rawValue: UInt64(bitPattern: Int64(integer())))
      case 1: return ClusterID(rawValue: random.next())
      case 2: return ClusterID(rawValue: UInt64(random.index(below: 600)) << 10 | random.next() & 7)
      default: return tree.root?.id ?? ClusterID(rawValue: 0)
      }
    }

    mutating func value() -> FilterValue {
      switch random.index(below: 6) {
      case 0: .number(number())
      case 1: .integer(integer())
      case 2: .text(text())
      case 3: .boolean(random.index(below: 2) == 0)
      default: .instant(instant())
      }
    }

    mutating func instant() -> Instant {
      Instant(seconds: Int64(integer()), nanoseconds: UInt32(truncatingIfNeeded: integer()))
    }

    mutating func filter(depth: Int = 0) -> Filter {
      switch random.index(below: depth < 3 ? 11 : 8) {
      case 0: return .where(text(), among(Filter.Comparison.allCases), value())
      case 1: return .where(text(), in: (0..<random.index(below: 12)).map { _ in value() })
      case 2: return .where(text(), isFrom: value(), to: value())
      case 3:
        let (a, b) = (instant(), instant())
        return .where("opened", in: min(a, b)..<max(a, b))
      case 4: return .whereMissing(text())
      case 5: return .where(text(), isLike: among(["", "%", "_", "\\", "%%a_%\\", String(repeating: "%_", count: 99)]))
      case 6: return .inside(box())
      case 7:
        return .inside(polygon: (0..<random.index(below: 7)).map { _ in coordinate() }, holes: [[], [coordinate()]])
      case 8: return filter(depth: depth + 1) && filter(depth: depth + 1)
      case 9: return filter(depth: depth + 1) || filter(depth: depth + 1)
      default: return !filter(depth: depth + 1)
      }
    }

    mutating func aggregate() -> Aggregate {
      let (column, weight, count, percent) = (text(), text(), integer(), number())
      let aggregates: [Aggregate] = [
        Aggregate.count, Aggregate.count(column), Aggregate.sum(column), Aggregate.mean(column),
        Aggregate.mean(column, weight: weight), Aggregate.variance(column), Aggregate.min(column),
        Aggregate.max(column), Aggregate.any(column), Aggregate.all(column), Aggregate.counts(column),
        Aggregate.top(count, of: column), Aggregate.mode(column), Aggregate.median(column),
        Aggregate.percentile(percent, of: column), Aggregate.distinct(column),
      ]
      return among(aggregates)
    }
  }

  private static func map(_ count: Int, _ options: BuildOptions, _ projection: Plane.Projection) throws
    -> ClusterMap<Place>
  {
    var random = SplitMix64(seed: 388)
    let greatest = Double.greatestFiniteMagnitude
    let (prices, rooms): ([Double?], [Int]) = (
      [nil, greatest, 0 - greatest, 5e-324, 0, 1.5], [0, Int.max, Int.min, 1, 2]
    )
    let seconds: [Int64] = [0, 253_402_300_799, -62_135_596_800, 1]
    let places = (0..<count).map { row in
      Place(
        coordinate: Coordinate(
          longitude: row % 9 == 0 ? 8 : random.number(from: -180, to: 180),
          latitude: row % 9 == 0 ? 47 : random.number(from: -89, to: 89)),
        price: prices[row % 6], rooms: rooms[row % 5], kind: ["a", "", "é", "e\u{301}", "\u{0}"][row % 5],
        opened: Instant(seconds: seconds[row % 4]))
    }
    return try ClusterMap(
      places, at: \.coordinate, columns: .number(\.price), .number(\.rooms), .category(\.kind), .time(\.opened),
      as: projection, options: options)
  }

  private static let growths: [(Growth, Plane.Projection)] = [
    (.splitting(.mean), .webMercator), (.splitting(.mean), .planar), (.merging(by: .distance), .webMercator),
    (.merging(by: .badges), .webMercator), (.merging(by: .scatter), .planar),
  ]

  /// Runs calls, and counts the answers and the errors. Any error except the library's own errors for bad arguments is
  /// recorded as an issue.
  private struct Calls {
    var (answers, errors) = (0, 0)

    mutating func call(_ question: @autoclosure () -> String, _ work: () throws -> Void) {
      do {
        try work()
        answers += 1
      } catch is QueryError, is FilterError, is AggregateError, is FilterTextError {
        errors += 1
      } catch {
        Issue.record("\(question()): \(error)")
      }
    }
  }

  @Test(arguments: growths.indices) func noQuestionEndsTheProcess(growth: Int) throws {
    let (growth, projection) = Self.growths[growth]
    let options = BuildOptions(growth: growth, threads: 1)
    let maps = try [0, 1, 2, 300].map { try Self.map($0, options, projection) }
    var chooser = Chooser(random: SplitMix64(seed: 389))
    var calls = Calls()
    for round in 0..<1500 {
      var map = maps[[3, 3, 3, 0, 1, 2][round % 6]]
      if round % 3 == 0 {
        let filter = chooser.filter()
        calls.call("\(filter)") {
          let filtered = try map.filtered(by: filter, reusing: round % 2 == 0 ? map : nil)
          #expect((0..<map.tree.pointCount).filter(filtered.tree.passes).count == filtered.tree.filteredPointCount)
          map = filtered
        }
      }
      try ask(of: map, &chooser, &calls)
    }
    #expect(calls.answers > 3000 && calls.errors > 3000, "\(calls.answers) answers, \(calls.errors) errors, seed 389")
  }

  private func ask(of map: ClusterMap<Place>, _ chooser: inout Chooser, _ calls: inout Calls) throws {
    let tree = map.tree
    let (query, cut, id) = (Query(chooser.cut(), in: chooser.viewport()), chooser.cut(), chooser.id(of: tree))
    let (number, integer, coordinate) = (chooser.number(), chooser.integer(), chooser.coordinate())
    let usual = try tree.clusters(.limit(5), in: .everything)
    let aggregates = (0..<3).map { _ in chooser.aggregate() }
    calls.call("\(query)") {
      let shown = try tree.clusters(query, after: usual)
      #expect(shown.reduce(0) { $0 + $1.pointCount } <= tree.filteredPointCount)
      #expect(shown.allSatisfy { $0.pointCount > 0 })
      let transition = ClusterTransition(from: usual, to: shown)
      let most = max(integer, 0)
      let counts = transition.filteredPointCounts(in: min(integer, 0)..<most)
      #expect(counts.out == 0 && counts.in == 0)
      #expect(shown.firstIndex(containingTreeIndex: integer).map { shown[$0].range.contains(integer) } ?? true)
    }
    calls.call("centered \(query)") { _ = try tree.centeredClusters(query).map(\.coordinate) }
    calls.call("pointCount \(query)") { _ = try tree.pointCount(in: query.viewport) }
    calls.call("box \(query)") { _ = try query.viewport.box(on: tree.plane) }
    calls.call("aggregates \(aggregates)") { _ = try usual.values(of: aggregates) }
    for aggregate in aggregates {
      calls.call("aggregate \(aggregate)") { _ = try usual.values(of: [aggregate]).map { $0.map(\.double) } }
    }
    let (bins, column, viewport) = (chooser.integer(), chooser.text(), chooser.viewport())
    calls.call("histogram of \(column), \(bins) bins") {
      let histogram = try tree.histogram(of: column, bins: bins, in: viewport)
      #expect(histogram.counts.reduce(histogram.missingCount, +) <= tree.filteredPointCount)
      let (a, b) = (chooser.integer(), chooser.integer())
      _ = try tree.filtered(by: histogram.filter(ofBins: min(a, b)..<max(a, b)))
    }
    calls.call("cluster \(id)") {
      let cluster = try tree.cluster(id)
      let members = tree.members(of: cluster)
      #expect(members.dropFirst(max(integer, 0)).prefix(max(integer, 0)).count <= members.count)
      _ = try map.cluster(id)
      _ = (tree.convexHull(of: cluster), cluster.bounds, cluster.ellipse, tree.attributes(of: cluster))
      _ = MapTile(zoom: 3, x: 1, y: 1)?.position(x: number, y: number, on: tree.plane, extent: integer)
    }
    calls.call("family of \(id)") {
      _ = (try tree.children(of: id), try tree.parent(of: id), try tree.ancestors(of: id))
    }
    calls.call("ids \(id)") { _ = try tree.clusters(withIDs: [id, id]) }
    calls.call("separation zoom of \(id) by \(cut)") {
      let zoom = try tree.separationZoom(of: id, for: cut)
      #expect(zoom.map { !$0.isNaN } ?? true)
    }
    calls.call("unclustered zoom of \(integer) by \(cut)") {
      _ = try tree.unclusteredZoom(ofTreeIndex: integer, for: cut, tileSize: .pixels512)
    }
    calls.call("clusters around \(integer)") { _ = try tree.clusters(containing: TreeIndex(rawValue: integer)) }
    calls.call("row \(integer) at \(coordinate)") {
      _ = try tree.treeIndex(ofRow: integer, at: coordinate)
      _ = try map.clusters(containingRow: integer, at: coordinate)
      #expect(tree.treeIndex(ofRow: integer) == nil || 0..<tree.pointCount ~= integer)
      #expect(!tree.passes(integer) || 0..<tree.pointCount ~= integer)
    }
    let box = chooser.box()
    calls.call("shown position of \(id) in \(box)") {
      _ = try tree.shownPosition(of: tree.cluster(id), keptVisibleIn: box)
    }
    calls.call("JSON of \(query)") {
      let texts = query.parameters.map { (name: $0.name, value: "\($0.value)") }
      var parameters = QueryParameters(texts)
      _ = Query(&parameters)
    }
    let filter = chooser.mapFilter()
    calls.call("a filter by properties") { _ = try map.filtered(by: filter) }
    calls.call("aggregates of properties") {
      _ = try map.values(
        of: .top(integer, of: \.kind), .percentile(number, of: \.price), .percentile(number, of: \.rooms),
        .sum(\.rooms), for: map.results(for: usual))
    }
  }

  @Test func momentsBeyondAllSecondsAreTheLast() {
    #expect(Instant(seconds: 5, nanoseconds: 1_500_000_000) == Instant(seconds: 6, nanoseconds: 500_000_000))
    #expect(Instant(seconds: .max, nanoseconds: .max) == Instant(seconds: .max, nanoseconds: 999_999_999))
    #expect("\(Instant(seconds: .max))".hasSuffix("Z") && "\(Instant(seconds: .min))".hasPrefix("-"))
  }
}

extension HostileValueTests.Chooser {
  /// Returns a random filter that names columns by key paths.
  fileprivate mutating func mapFilter() -> MapFilter<HostileValueTests.Place> {
    let (value, i, j) = (number(), integer(), integer())
    // Swift cannot create a range that contains NaN.
    let (a, b) = (value.isNaN ? .infinity : value, 1.5)
    switch random.index(below: 9) {
    case 0: return .where(\.price, in: ..<a)
    case 1: return .where(\.price, in: a...)
    case 2: return a <= b ? .where(\.price, in: a...b) : .where(\.price, in: ...b)
    case 3: return random.index(below: 2) == 0 ? \.price == nil : \.price != value
    case 4: return .where(\.price, in: [value, b])
    case 5: return i <= j ? .where(\.rooms, in: i...j) : .where(\.rooms, in: i...)
    case 6: return random.index(below: 2) == 0 ? \.rooms == i : \.rooms > i
    case 7:
      let (moment, kind) = (instant(), text())
      return \.opened < moment || !(\.kind == kind)
    default: return .where(\.coordinate.latitude, in: ..<a) && .where(\.kind, isLike: text())
    }
  }
}

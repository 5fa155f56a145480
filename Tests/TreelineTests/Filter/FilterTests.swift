import PointSets
import TestSupport
import Testing
import TreelineBuilder

@_spi(Server) @testable import Treeline

/// Checks filters against SQL's three-valued logic, one value at a time.
@Suite struct FilterTests {
  private static let columns: [(name: String, kind: IndexColumn.Kind)] = [
    ("small", .number), ("price", .number), ("real", .number), ("kind", .category), ("open", .boolean), ("time", .time),
    ("day", .time), ("text", .text),
  ]

  private typealias Row = [String: AttributeValue]

  private static func row(_ random: inout SplitMix64) -> Row {
    func some(_ value: AttributeValue) -> AttributeValue { random.index(below: 6) == 0 ? .null : value }
    let time = Instant(
      seconds: Int64(random.index(below: 40)) - 20, nanoseconds: UInt32(random.index(below: 3)) * 250_000_000)
    let day = Instant(seconds: (Int64(random.index(below: 8)) - 4) * 86_400)
    let texts: [AttributeValue] = [
      .string("a"), .string(""), .string("ab%_"), .string("Älpli"), .string("7"), .string("1.50"), .string("true"),
      .json("[1]"),
    ]
    return [
      "small": some(.number("\(random.index(below: 12) - 4)")),
      "price": some(.number("\(DecimalNumber(significand: Int128(random.index(below: 900)) - 300, exponent: -2))")),
      "real": some(.number("\((random.fraction() - 0.5) * (random.index(below: 2) == 0 ? 1e-300 : 1e300))")),
      "kind": some(.string(["hotel", "hostel", "bar", "Bär", "x\u{10FFFF}", ""][random.index(below: 6)])),
      "open": some(.bool(random.index(below: 2) == 0)), "time": some(.string("\(time)")),
      "day": some(.string(day.dateText)), "text": some(texts[random.index(below: texts.count)]),
    ]
  }

  @Test(arguments: Trials.seeds(500)) func passesWhatIsTrue(_ seed: UInt64) throws {
    var random = SplitMix64(seed: 30_000 + seed)
    let bare = try ClusterTree.any(&random)
    let rows = (0..<bare.pointCount).map { _ in Self.row(&random) }
    let tree = try bare.adding(
      columns: Self.columns.map { name, kind in IndexColumn(name: name, kind: kind) { rows[$0][name] } })
    for _ in 0..<20 {
      let expression = Self.expression(&random, depth: 3, around: tree)
      let filtered = try tree.filtered(by: Filter(expression))
      let found = (0..<tree.pointCount).filter(filtered.passes)
      let expected = (0..<tree.pointCount).filter { index in
        Self.truth(of: expression, rows[tree.row(atTreeIndex: index)], tree, index) == true
      }
      #expect(found == expected, "seed \(seed), \(expression)")
      #expect(filtered.filteredPointCount == expected.count)
      let again = try filtered.filtered(by: .where("small", .isAtLeast, 0))
      let both = expected.filter { index in
        Self.truth(
          of: .comparison("small", .isAtLeast, .integer(0)), rows[tree.row(atTreeIndex: index)], tree, index) == true
      }
      #expect((0..<tree.pointCount).filter(again.passes) == both)
      #expect(again.unfiltered.filteredPointCount == tree.pointCount)
    }
  }

  // MARK: - Random filters

  private static func value(for column: String, _ random: inout SplitMix64) -> FilterValue {
    switch column {
    case "small":
      return random.index(below: 3) == 0
        ? .number(Double(random.index(below: 24)) / 2 - 6) : .integer(random.index(below: 14) - 5)
    case "price": return .number(Double(random.index(below: 9000) - 3000) / 1000)
    case "real":
      return [.number(0), .integer(1), .number(1e299), .number(-1e299), .number(1e-301)][random.index(below: 5)]
    case "kind": return .text(["hotel", "hostel", "bar", "c", "Bär", "", "zzz"][random.index(below: 7)])
    case "open": return .boolean(random.index(below: 2) == 0)
    case "time":
      return .instant(
        Instant(seconds: Int64(random.index(below: 44)) - 22, nanoseconds: UInt32(random.index(below: 5)) * 125_000_000)
      )
    case "day": return FilterValue(.date(Instant(seconds: (Int64(random.index(below: 10)) - 5) * 86_400)))
    default: return [.text("a"), .text("b"), .text("7"), .text("1.5"), .text("true")][random.index(below: 5)]
    }
  }

  static func expression(_ random: inout SplitMix64, depth: Int, around tree: ClusterTree) -> Filter.Expression {
    if depth > 0, random.index(below: 3) > 0 {
      var parts: [Filter.Expression] = []
      for _ in 0..<2 + random.index(below: 2) { parts.append(expression(&random, depth: depth - 1, around: tree)) }
      return switch random.index(below: 3) {
      case 0: .all(parts)
      case 1: .any(parts)
      default: .not(parts[0])
      }
    }
    let column = columns[random.index(below: columns.count)].name
    switch random.index(below: 9) {
    case 0: return .isMissing(column)
    case 1: return .between(column, value(for: column, &random), value(for: column, &random))
    case 2: return .isIn(column, (0..<1 + random.index(below: 4)).map { _ in value(for: column, &random) })
    case 3:
      let pattern = ["%", "h%l", "_ar", "%\\%\\_", "B_r", "", "%o%", "h_s%"][random.index(below: 8)]
      return .like(["kind", "text"][random.index(below: 2)], pattern)
    case 4:
      let relations = Filter.TemporalRelation.allCases
      func moment() -> Instant { Instant(seconds: Int64(random.index(below: 44)) - 22) }
      let interval: TimeInterval
      switch random.index(below: 4) {
      case 0: interval = { TimeInterval($0, $0) }(moment())
      case 1: interval = TimeInterval(ofDay: Instant(seconds: 0))
      case 2: interval = TimeInterval(moment(), nil)
      default:
        let ends = [moment(), moment()].sorted()
        interval = TimeInterval(ends[0], ends[1])
      }
      return .temporal(
        ["time", "day"][random.index(below: 2)], relations[random.index(below: relations.count)], interval)
    case 5:
      guard tree.pointCount > 0 else { return .isMissing(column) }
      func corner() -> Coordinate {
        let point = tree.position(atTreeIndex: random.index(below: tree.pointCount))
        return tree.plane.coordinate(at: point)
      }
      let (a, b) = (corner(), corner())
      return .intersects(
        .box(
          BoundingBox(
            west: min(a.x, b.x), south: min(a.y, b.y), east: max(a.x, b.x), north: max(a.y, b.y))))
    default:
      let comparisons = Filter.Comparison.allCases
      return .comparison(column, comparisons[random.index(below: 6)], value(for: column, &random))
    }
  }

  // MARK: - The definition

  /// Returns whether a row passes, or nil if SQL's logic says unknown.
  private static func truth(of expression: Filter.Expression, _ row: Row, _ tree: ClusterTree, _ index: Int) -> Bool? {
    switch expression {
    case .all(let parts):
      let truths = parts.map { truth(of: $0, row, tree, index) }
      return truths.contains(false) ? false : truths.contains(nil) ? nil : true
    case .any(let parts):
      let truths = parts.map { truth(of: $0, row, tree, index) }
      return truths.contains(true) ? true : truths.contains(nil) ? nil : false
    case .not(let part): return truth(of: part, row, tree, index).map { !$0 }
    case .isMissing(let name): return row[name] == .null
    case .comparison(let name, let comparison, let value): return truth(comparison, row[name]!, value)
    case .between(let name, let least, let greatest):
      guard let a = truth(.isAtLeast, row[name]!, least), let b = truth(.isAtMost, row[name]!, greatest) else {
        return nil
      }
      return a && b
    case .isIn(let name, let values):
      if row[name] == .null { return nil }
      return values.contains { truth(.equals, row[name]!, $0) == true }
    case .like(let name, let pattern):
      if row[name] == .null { return nil }
      guard case .string(let text) = row[name]! else { return false }
      return isLike(Array(text.unicodeScalars)[...], Array(pattern.unicodeScalars)[...])
    case .temporal(let name, let relation, let interval):
      guard case .string(let text) = row[name]! else { return nil }
      let moment = Instant(text)!
      let (start, end) = (interval.start, interval.end)
      let isAfterStart = start.map { $0 < moment } ?? true, isBeforeEnd = end.map { moment < $0 } ?? true
      let isIn = (isAfterStart || start == moment) && (isBeforeEnd || end == moment)
      return switch relation {
      case .isAfter: end.map { moment > $0 } ?? false
      case .isBefore: start.map { moment < $0 } ?? false
      case .isDuring: isAfterStart && isBeforeEnd
      case .startsIt: start == moment
      case .finishesIt: end == moment
      case .isIn: isIn
      case .isOutside: !isIn
      case .equals:
        isIn && (start == end && start != nil || interval == TimeInterval(ofDay: Instant(seconds: 0)))
      }
    case .intersects(.box(let box)):
      let window = try! tree.plane.window(showing: box)
      return window?.contains(tree.position(atTreeIndex: index)) ?? false
    case .intersects(.polygons): return nil
    }
  }

  private static func truth(_ comparison: Filter.Comparison, _ value: AttributeValue, _ other: FilterValue) -> Bool? {
    func compare<Value: Comparable>(_ a: Value, _ b: Value) -> Bool {
      switch comparison {
      case .equals: a == b
      case .isNot: a != b
      case .isLess: a < b
      case .isAtMost: a <= b
      case .isGreater: a > b
      case .isAtLeast: a >= b
      }
    }
    switch (value, other.content) {
    case (.null, _): return nil
    case (.number(let text), .number(let number)): return compare(Double(text)!, number.double)
    case (.bool(let a), .boolean(let b)): return compare(a ? 1 : 0, b ? 1 : 0)
    case (.string(let a), .text(let b)):
      let (a, b) = (Array(a.utf8), Array(b.utf8))
      return compare(a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1, 0)
    case (.string(let text), .instant(let instant)): return compare(Instant(text)!, instant)
    case (.string(let text), .date(let day)):
      // A date stands for all moments of its day.
      let interval = TimeInterval(ofDay: day)
      let moment = Instant(text)!
      return compare(moment < interval.start! ? -1 : moment > interval.end! ? 1 : 0, 0)
    // Values of different types are neither equal nor different.
    default: return false
    }
  }

  private static func isLike(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    if first == "%" {
      return (text.startIndex...text.endIndex).contains { isLike(text[$0...], pattern.dropFirst()) }
    }
    guard let character = text.first else { return false }
    if first == "_" { return isLike(text.dropFirst(), pattern.dropFirst()) }
    if first == "\\", let next = pattern.dropFirst().first {
      return character == next && isLike(text.dropFirst(), pattern.dropFirst(2))
    }
    return character == first && isLike(text.dropFirst(), pattern.dropFirst())
  }

  // MARK: - Areas

  @Test(arguments: Trials.seeds(100)) func polygonsHoldWhatIsInsideThem(_ seed: UInt64) throws {
    var random = SplitMix64(seed: 40_000 + seed)
    let tree = try ClusterTree.any(&random)
    guard tree.pointCount > 0, tree.plane.projection == .webMercator || tree.plane.side > 0 else { return }
    for _ in 0..<10 {
      func corner() -> Coordinate {
        let coordinate = tree.plane.coordinate(at: tree.position(atTreeIndex: random.index(below: tree.pointCount)))
        if random.index(below: 2) == 0 { return coordinate }
        func moved() -> Double { random.number(from: -1, to: 1) }
        if tree.plane.projection == .planar {
          return Coordinate(x: coordinate.x + moved() * tree.plane.side, y: coordinate.y + moved() * tree.plane.side)
        }
        return Coordinate(
          longitude: coordinate.longitude + 10 * moved(),
          latitude: max(min(coordinate.latitude + 10 * moved(), 85), -85))
      }
      let ring = (0..<3 + random.index(below: 5)).map { _ in corner() }
      if ring.first == ring.last { continue }
      let filtered = try tree.filtered(by: .inside(polygon: ring))
      let others = try tree.filtered(by: !.inside(polygon: ring))
      // Compares with the even-odd rule, except near edges: for a point exactly on an edge, either answer may be right.
      for index in (0..<tree.pointCount).prefix(60) {
        #expect(filtered.passes(index) != others.passes(index))
        let point = tree.position(atTreeIndex: index)
        let corners = ring.map { tree.plane.unwrapped($0) }
        for shift in [-0x1p32, 0, 0x1p32] where tree.plane.projection == .webMercator || shift == 0 {
          guard let isInside = Self.isInside(Double(point.x) + shift, Double(point.y), corners) else { continue }
          if isInside { #expect(filtered.passes(index), "seed \(seed), \(ring), point \(index)") }
        }
        let isOutside = [-0x1p32, 0, 0x1p32].allSatisfy {
          Self.isInside(Double(point.x) + $0, Double(point.y), corners) == false
        }
        if isOutside { #expect(!filtered.passes(index), "seed \(seed), \(ring), point \(index)") }
      }
    }
  }

  @Test(arguments: Trials.seeds(100)) func cornersOfAPolygonAreInside(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let side = Double(1 + random.index(below: 1000)) / 7
    let coordinates = (0..<200).map { _ in
      Coordinate(x: random.number(from: 0, to: side), y: random.number(from: 0, to: side))
    }
    let tree = try ClusterTree(coordinates, as: .planar)
    for first in stride(from: 0, to: 198, by: 3) {
      let filtered = try tree.filtered(by: .inside(polygon: Array(coordinates[first..<first + 3])))
      for row in first..<first + 3 {
        let index = try #require(try tree.index(ofRow: row, at: coordinates[row]))
        #expect(filtered.isIncluded(index), "seed \(seed), row \(row)")
      }
    }
  }

  /// Returns whether a point is inside a polygon, by the even-odd rule in doubles; nil near an edge.
  private static func isInside(_ x: Double, _ y: Double, _ corners: [(x: Double, y: Double)]) -> Bool? {
    var isInside = false
    for (a, b) in zip(corners, corners.dropFirst() + corners.prefix(1)) {
      let (low, high) = (min(a.y, b.y) - 4, max(a.y, b.y) + 4)
      guard y >= low && y <= high else { continue }
      if abs(a.y - y) < 4 || abs(b.y - y) < 4 { return nil }
      let crossing = a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y)
      if abs(crossing - x) < 4 { return nil }
      if (a.y > y) != (b.y > y) && crossing > x { isInside.toggle() }
    }
    return isInside
  }

  // MARK: - Errors

  @Test func namesWhatDoesNotSuit() throws {
    let tree = try PointSet.random(seed: 6).tree().adding(columns: [
      IndexColumn(name: "kind", kind: .category) { _ in .string("a") },
      IndexColumn(name: "price", kind: .number) { .number("\($0)") },
    ])
    #expect(throws: FilterError.unknownColumn(name: "size", known: ["kind", "price"])) {
      try tree.filtered(by: .where("size", .equals, 1))
    }
    let error = #expect(throws: FilterError.self) { try tree.filtered(by: .where("kind", .isLess, 7)) }
    #expect(
      error.map { "\($0)" }
        == "the column \"kind\" is of kind category: expected a text in single quotes, found the number 7")
    #expect(throws: FilterError.self) { try tree.filtered(by: .where("price", .equals, "cheap")) }
    #expect(throws: FilterError.self) { try tree.filtered(by: .where("price", isLike: "1%")) }
    #expect(throws: FilterError.self) { try tree.filtered(by: .inside(polygon: [Coordinate(x: 0, y: 0)])) }
    let box = #expect(throws: FilterError.self) {
      try tree.filtered(by: .inside(BoundingBox(west: 0, south: 2, east: 1, north: 1)))
    }
    #expect(box.map { "\($0)" }?.hasSuffix("found west 0, south 2, east 1, north 1") == true)
  }
}

extension Plane {
  /// Returns a position in units of the plane, relative to the seam or to the left edge. Does not wrap it around the
  /// world.
  fileprivate func unwrapped(_ coordinate: Coordinate) -> (x: Double, y: Double) {
    guard projection == .webMercator else {
      return ((coordinate.x - left) / side * 0x1p32, (top - coordinate.y) / side * 0x1p32)
    }
    return ((coordinate.longitude + 180) / 360 * 0x1p32 - Double(seam), Double(point(at: coordinate).y))
  }
}

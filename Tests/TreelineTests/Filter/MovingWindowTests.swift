import PointSets
import TestSupport
import Testing
import TreelineBuilder

@testable import Treeline

/// Checks that a filter gives the same result, bit for bit, whether or not it reuses another filter.
@Suite struct MovingWindowTests {
  private static let names = ["integer", "decimal", "wide", "real", "time"]

  private static func tree(_ random: inout SplitMix64) throws -> ClusterTree {
    // With fewer points, a window over a small part of the values could contain no point.
    let bare =
      random.index(below: 3) == 0
      ? try ClusterTree.any(&random)
      : try ClusterTree(
        (0..<500 + random.index(below: 3000)).map { _ in
          Coordinate(longitude: random.number(from: -180, to: 180), latitude: random.number(from: -80, to: 80))
        })
    let count = bare.pointCount
    let missing = [3, 30, 1000][random.index(below: 3)]
    let isAllMissing = random.index(below: 15) == 0
    let tick = random.index(below: 3) == 0 ? 0 : 3
    func column(_ name: String, _ kind: IndexColumn.Kind, _ make: (inout SplitMix64) -> AttributeValue) -> IndexColumn {
      let values = (0..<count).map { _ in
        isAllMissing || random.index(below: missing) == 0 ? AttributeValue.null : make(&random)
      }
      return IndexColumn(name: name, kind: kind) { values[$0] }
    }
    return try bare.adding(columns: [
      column("integer", .number) { .number("\($0.index(below: 1000) - 300)") },
      column("decimal", .number) {
        .number("\(DecimalNumber(significand: Int128($0.index(below: 100_000)), exponent: -2))")
      },
      column("wide", .number) { .number("\(Int64(truncatingIfNeeded: $0.next()) / 1_000_000_000)") },
      column("real", .number) { .number("\(($0.fraction() - 0.5) * 1e40)") },
      column("time", .time) {
        .string("\(Instant(seconds: Int64($0.index(below: 1000)), nanoseconds: UInt32(tick) * 250_000_000))")
      },
      column("kind", .category) { .string(["a", "b", "c"][$0.index(below: 3)]) },
    ])
  }

  /// Returns a filter for a range of a column's values, in one of several forms. `start` and `end` are fractions, from
  /// 0 to 1, of the extent of the values.
  private static func window(_ name: String, _ start: Double, _ end: Double, _ style: Int) -> Filter {
    func value(_ part: Double) -> FilterValue {
      switch name {
      case "integer": .integer(Int(part * 1000) - 300)
      case "decimal": .number((part * 1000 * 8).rounded() / 8)
      case "wide": .integer(Int((part - 0.5) * 18_446_744_073))
      case "real": .number((part - 0.5) * 1e40)
      default: .instant(Instant(seconds: Int64(part * 1000), nanoseconds: 500_000_000))
      }
    }
    return switch style {
    case 0: .where(name, .isAtLeast, value(start)) && .where(name, .isLess, value(end))
    case 1: .where(name, isFrom: value(start), to: value(end))
    case 2: .where(name, .isGreater, value(start))
    case 3: !.where(name, isFrom: value(start), to: value(end))
    case 4: .where(name, isFrom: value(start), to: value(end)) || .whereMissing(name)
    case 5: .where(name, in: [value(start), value(end)])
    default: .whereMissing(name)
    }
  }

  @Test(arguments: Trials.seeds(200)) func reusingChangesNothing(_ seed: UInt64) throws {
    var random = SplitMix64(seed: 60_000 + seed)
    let tree = try Self.tree(&random)
    let others: [Filter] = [
      .where("kind", in: ["a", "c"]), .where("integer", .isLess, 300), .where("decimal", .isAtLeast, 250.5),
      .inside(BoundingBox(west: -90, south: -60, east: 120, north: 40)), !.where("real", .isGreater, 1e38),
      .where("kind", .equals, "none"),
    ]
    let base = random.index(below: 3) == 0 ? try tree.filtered(by: others[random.index(below: 5)]) : tree
    var previous: ClusterTree? = random.index(below: 2) == 0 ? nil : base
    var name = Self.names[random.index(below: 5)]
    var rest = others.filter { _ in random.index(below: 5) == 0 }
    var (start, width) = (random.fraction(), [0.0, 0.01, 0.1, 0.5, 2][random.index(below: 5)])
    for _ in 0..<12 {
      switch random.index(below: 10) {
      case 0: start = random.fraction() * 1.5 - 0.25
      case 1: width = random.fraction()
      case 2: width = 0
      case 3: rest = others.filter { _ in random.index(below: 5) == 0 }
      case 4: name = Self.names[random.index(below: 5)]
      default: start += (random.fraction() - 0.3) * 0.05
      }
      let style = random.index(below: 3) == 0 ? random.index(below: 7) : random.index(below: 2)
      let window = Self.window(name, start, start + width, style)
      let filter = random.index(below: 12) == 0 ? rest.first ?? window : rest.reduce(window) { $0 && $1 }
      let found = try base.filtered(by: filter, reusing: previous)
      let expected = try base.filtered(by: filter)
      let (a, b) = (found.filterSelection!, expected.filterSelection!)
      let isSame = (0..<a.wordCount).allSatisfy {
        a.words[$0].bits == b.words[$0].bits && a.words[$0].before == b.words[$0].before
      }
      #expect(isSame && a.count == b.count, "seed \(seed), \(filter)")
      let view = PlaneWindow.random(over: tree, &random)
      let (answer, expectedAnswer) = (
        try found.clusters(.limit(30), in: view), try expected.clusters(.limit(30), in: view)
      )
      #expect(
        answer.elementsEqual(expectedAnswer) { $0 == $1 && $0.x == $1.x && $0.y == $1.y && $0.spread == $1.spread })
      // The transition from one window to the next accounts for all points.
      if let previous {
        let first = try previous.clusters(.limit(30), in: PlaneWindow.everything)
        let second = try found.clusters(.limit(30), in: PlaneWindow.everything)
        let transition = ClusterTransition(from: first, to: second)
        let (out, `in`) = transition.filteredPointCounts(in: 0..<tree.pointCount)
        #expect(second.reduce(0) { $0 + $1.pointCount } == first.reduce(0) { $0 + $1.pointCount } - out + `in`)
        let indices = 0..<tree.pointCount
        #expect(out == indices.count { previous.passes($0) && !found.passes($0) })
        #expect(`in` == indices.count { found.passes($0) && !previous.passes($0) })
      }
      previous = found
    }
  }

  /// Checks that, if a window moves only a little, only the points that enter or leave it are tested.
  @Test func aSmallStepIsFoundByTheOrderOfItsColumn() throws {
    var random = SplitMix64(seed: 1)
    let coordinates = (0..<2000).map { _ in Coordinate(longitude: random.fraction(), latitude: random.fraction()) }
    let tree = try ClusterTree(coordinates).adding(columns: [
      IndexColumn(name: "time", instant: { Instant(seconds: Int64($0)) }),
      IndexColumn(name: "kind", kind: .category) { .string("\($0 % 3)") },
    ])
    func filter(_ start: Int64, _ kind: FilterValue = "1") -> Filter {
      .where("kind", .isNot, kind)
        && .where("time", in: Instant(seconds: start)..<Instant(seconds: start + 500))
    }
    func moved(_ first: Filter, _ second: Filter) throws -> Selection? {
      let terms = try tree.filtered(by: second).filterSelection!.terms!
      return try MovedSelection.selection(from: try tree.filtered(by: first).filterSelection!, to: terms, of: tree)
    }
    #expect(try moved(filter(0), filter(20))?.count == (20..<520).count { $0 % 3 != 1 })
    #expect(try moved(filter(0), filter(0))?.count == (0..<500).count { $0 % 3 != 1 })
    // A filter is not reused if the step is too large, or if a condition on another column changes.
    #expect(try moved(filter(0), filter(1000)) == nil)
    #expect(try moved(filter(0), filter(20, "2")) == nil)
    let first = try tree.filtered(by: filter(0))
    #expect(try tree.filtered(by: filter(0), reusing: first).filterSelection === first.filterSelection)
  }

  /// Two texts that are equal in Swift, by Unicode's rules, may have different bytes. A filter treats them as
  /// different.
  @Test func equivalentTextsAreNotReused() throws {
    let texts = ["\u{e9}", "e\u{301}"]
    let tree = try ClusterTree((0..<400).map { Coordinate(longitude: Double($0) / 4, latitude: 10) })
      .adding(columns: [
        IndexColumn(name: "text", kind: .category) { .string(texts[$0 % 2]) },
        IndexColumn(name: "number", kind: .number) { .number("\($0)") },
      ])
    func filter(_ text: String, _ end: Int) -> Filter {
      .where("text", .equals, .text(text)) && .where("number", .isLess, .integer(end))
    }
    let first = try tree.filtered(by: filter(texts[0], 300))
    for text in texts {
      for end in [300, 301, 310] {
        let found = try tree.filtered(by: filter(text, end), reusing: first)
        #expect(found.filteredPointCount == (0..<end).count { texts[$0 % 2].utf8.elementsEqual(text.utf8) })
        let rows = Set(found.members(of: try #require(found.root)))
        #expect(rows.allSatisfy { texts[$0 % 2].utf8.elementsEqual(text.utf8) })
      }
    }
  }

  /// Checks the order of a column: sorted by value, equal values in tree order, missing values last.
  @Test(arguments: Trials.seeds(50)) func columnsAreSorted(_ seed: UInt64) throws {
    var random = SplitMix64(seed: 61_000 + seed)
    let tree = try Self.tree(&random)
    for column in tree.columns where column.name != "kind" {
      let order = try #require(try ValueOrder(of: column))
      func key(_ index: Int) -> (Int, Double, Int) {
        switch column.values {
        case .integers(let integers):
          let integer = integers.integer(at: index)
          return (integer == nil ? 1 : 0, Double(integer ?? 0), index)
        case .reals(let reals): return (reals[index].isFinite ? 0 : 1, reals[index].isFinite ? reals[index] : 0, index)
        case .entries: preconditionFailure()
        }
      }
      let found = (0..<tree.pointCount).map { Int(order.treeIndex(atPlace: $0)) }
      #expect(found == (0..<tree.pointCount).sorted { key($0) < key($1) }, "seed \(seed), \(column.name)")
    }
  }
}

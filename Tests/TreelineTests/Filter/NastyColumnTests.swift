import PointSets
import Testing
import TreelineBuilder

@testable import Treeline

/// Checks filters, aggregates and histograms of unusual columns against the values, one by one.
@Suite struct NastyColumnTests {
  struct Nasty: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let kind: IndexColumn.Kind
    var pointCount = 300
    let value: @Sendable (Int) -> AttributeValue

    /// Creates a column that repeats a list of values.
    init(_ name: String, _ kind: IndexColumn.Kind, _ values: [AttributeValue]) {
      self.init(name, kind) { values[$0 % values.count] }
    }

    init(_ name: String, _ kind: IndexColumn.Kind, value: @escaping @Sendable (Int) -> AttributeValue) {
      (testDescription, self.kind, self.value) = (name, kind, value)
    }

    func of(_ pointCount: Int) -> Nasty {
      var copy = self
      copy.pointCount = pointCount
      return copy
    }
  }

  private static func numbers(_ literals: String...) -> [AttributeValue] { literals.map { .number($0) } }
  private static func texts(_ texts: String...) -> [AttributeValue] { texts.map { .string($0) } }

  static let columns: [Nasty] = [
    Nasty("no number", .number, [.null]), Nasty("no category", .category, [.null]), Nasty("no time", .time, [.null]),
    Nasty("no boolean", .boolean, [.null]), Nasty("one number", .number, numbers("7.5")),
    Nasty("one category", .category, texts("a")), Nasty("one time", .time, texts("2000-01-01")),
    Nasty("one value among none", .number) { $0 == 17 ? .number("3") : .null },
    Nasty("2^63", .number, numbers("9223372036854775807", "9223372036854775808", "-9223372036854775808") + [.null]),
    Nasty("2^63 - 1", .number, numbers("9223372036854775807", "9223372036854775806", "0") + [.null]),
    Nasty("far apart", .number, numbers("1e300", "-1e300", "5e-324", "0", "-0.0", "1e-5") + [.null]),
    Nasty("empty text", .category, texts("", "a", " ", "\u{0}", "ä", "a\u{308}") + [.null]),
    Nasty(
      "before 1970", .time, texts("1969-12-31T23:59:59.999999Z", "0001-01-01", "1970-01-01", "9999-12-31") + [.null]),
    Nasty("leap seconds", .time, texts("1990-12-31T23:59:60Z", "1991-01-01T00:00:00Z", "1990-12-31T23:59:59.5Z")),
    Nasty("65,536 categories", .category) { .string("\($0 % 65_536)") }.of(70_000),
    Nasty("65,537 categories", .category) { $0 == 3 ? .null : .string("\($0 % 65_537)") }.of(70_000),
    Nasty("256 categories", .category) { .string("\($0 % 256)") }.of(2_000),
    Nasty("257 categories", .category) { $0 % 9 == 8 ? .null : .string("\($0 % 257)") }.of(2_000),
  ]

  /// A value in the form in which filters compare it. Texts are compared by their bytes, because Swift regards some
  /// strings with different bytes as equal.
  private enum Key: Comparable, Hashable {
    case number(DecimalNumber)
    case text([UInt8])
    case instant(Instant)

    init?(_ value: AttributeValue, _ kind: IndexColumn.Kind, in column: Column) {
      switch (value, kind) {
      case (.null, _): return nil
      case (.number(let text), _):
        // A double is compared by its shortest decimal form.
        if case .reals = column.values {
          self = .number(DecimalNumber(Double(text)!)!)
        } else {
          self = .number(DecimalNumber(text)!)
        }
      case (.string(let text), .time): self = .instant(Instant(text)!)
      case (.string(let text), _): self = .text(Array(text.utf8))
      default: return nil
      }
    }

    static func < (a: Key, b: Key) -> Bool {
      switch (a, b) {
      case (.number(let a), .number(let b)): (a.double, a.scaled(by: 0).floor) < (b.double, b.scaled(by: 0).floor)
      case (.text(let a), .text(let b)): a.lexicographicallyPrecedes(b)
      case (.instant(let a), .instant(let b)): a < b
      default: false
      }
    }

    var filterValue: FilterValue {
      switch self {
      case .number(let number): FilterValue(.number(number))
      case .text(let text): .text(String(decoding: text, as: UTF8.self))
      case .instant(let instant): .instant(instant)
      }
    }
  }

  private static func tree(_ nasty: Nasty, for preparations: Set<IndexColumn.Preparation>) throws -> ClusterTree {
    let set = PointSet.cities(nasty.pointCount, clusters: 9, seed: 3)
    let column = IndexColumn(name: "c", kind: nasty.kind) { nasty.value($0) }
    return try ClusterTree(set.coordinates, as: set.projection).adding(columns: [column.prepared(for: preparations)])
  }

  @Test(arguments: columns) func filtersPassWhatIsTrue(_ nasty: Nasty) throws {
    let tree = try Self.tree(nasty, for: [])
    let column = tree.columns[0]
    let keys = (0..<tree.pointCount).map { Key(nasty.value(tree.row(atTreeIndex: $0)), nasty.kind, in: column) }
    let isBoolean = nasty.kind == .boolean
    let values = Array(Set(keys.compactMap { $0 }).sorted().prefix(7))
    let none: FilterValue = isBoolean ? true : nasty.kind == .number ? 0 : "2000-01-01"
    let asked = values.isEmpty ? [(nil, none)] : values.map { (Optional($0), $0.filterValue) }
    func check(_ filter: Filter, _ passes: (Key) -> Bool) throws {
      let filtered = try tree.filtered(by: filter)
      let expected = keys.indices.filter { keys[$0].map(passes) ?? false }
      #expect(keys.indices.filter(filtered.passes) == expected, "\(filter)")
      #expect(filtered.filteredPointCount == expected.count)
    }
    for (key, value) in asked {
      func compares(_ isIn: @escaping (Key, Key) -> Bool) -> (Key) -> Bool {
        { other in key.map { isIn(other, $0) } ?? false }
      }
      try check(.where("c", .equals, value), compares(==))
      try check(.where("c", .isNot, value), compares(!=))
      try check(.where("c", .isLess, value), compares(<))
      try check(.where("c", .isAtMost, value), compares(<=))
      try check(.where("c", .isGreater, value), compares(>))
      try check(!.where("c", .isLess, value), compares(>=))
    }
    try check(.where("c", in: asked.map(\.1))) { values.contains($0) }
    let missing = try tree.filtered(by: .whereMissing("c"))
    #expect(keys.indices.filter(missing.passes) == keys.indices.filter { keys[$0] == nil })
  }

  @Test(arguments: columns, [Set<IndexColumn.Preparation>(), [.percentiles, .distinct]])
  func aggregatesAreThoseOfTheValues(_ nasty: Nasty, _ preparations: Set<IndexColumn.Preparation>) throws {
    let tree = try Self.tree(nasty, for: preparations)
    for tree in [tree, try tree.filtered(by: .whereMissing("c") || !.whereMissing("c"))] {
      let clusters = try tree.clusters(.limit(7), in: .everything)
      let told = try clusters.values(of: [.count("c"), .distinct("c"), .min("c"), .max("c"), .top(2, of: "c")])
      for (cluster, told) in zip(clusters, told) {
        let rows = Array(tree.members(of: cluster))
        let keys = rows.compactMap { Key(nasty.value($0), nasty.kind, in: tree.columns[0]) }
        #expect(told[0] == .integer(keys.count))
        #expect(told[1] == .integer(Set(keys).count))
        func key(_ value: AttributeValue) -> Key? { Key(value, nasty.kind, in: tree.columns[0]) }
        func key(_ value: AggregateValue) -> Key? { if case .value(let value) = value { key(value) } else { nil } }
        #expect(key(told[2]) == keys.min() && key(told[3]) == keys.max())
        let frequencies = Dictionary(grouping: keys) { $0 }.values.sorted {
          ($1.count, $0[0]) < ($0.count, $1[0])
        }
        guard case .counts(let counts) = told[4] else {
          Issue.record("Expected counts, found \(told[4])")
          continue
        }
        #expect(counts.map(\.count) == frequencies.prefix(2).map(\.count))
        #expect(counts.map { key($0.value) } == frequencies.prefix(2).map { $0[0] })
      }
    }
  }

  @Test(arguments: columns.filter { [.number, .time].contains($0.kind) }) func histogramsHoldAllValues(_ nasty: Nasty)
    throws
  {
    let tree = try Self.tree(nasty, for: [])
    let count = (0..<tree.pointCount).count { nasty.value($0) != .null }
    let histogram = try tree.histogram(of: "c", bins: 20, in: .everything)
    #expect(histogram.counts.reduce(0, +) == count && histogram.missingCount == tree.pointCount - count)
  }
}

import PointSets
import TestSupport
import Testing
import TreelineBuilder

@_spi(Server) @testable import Treeline

/// Checks histograms against the values, one by one.
@Suite struct HistogramTests {
  /// A kind of column, and a generator of its values.
  private struct Values {
    var kind: IndexColumn.Kind
    var make: (inout SplitMix64) -> AttributeValue
  }

  private static func values(_ random: inout SplitMix64) -> Values {
    let width = [1, 3, 100, 86_400, 40 * 365 * 86_400, 1 << 52][random.index(below: 6)]
    let origin = [0, -width / 2, 1_700_000_000, -(1 << 40)][random.index(below: 4)]
    switch random.index(below: 6) {
    case 0: return Values(kind: .number) { .number("\(origin + $0.index(below: width))") }
    case 1:
      return Values(kind: .number) {
        .number("\(DecimalNumber(significand: Int128(origin + $0.index(below: width)), exponent: -3))")
      }
    case 2:
      let scale = [1, 1e-300, 1e290, 1e-322, 1e9][random.index(below: 5)]
      return Values(kind: .number) { .number("\(($0.fraction() - 0.3) * scale)") }
    case 3: return Values(kind: .number) { .number($0.index(below: 2) == 0 ? "-1.7976931348623157e308" : "1.7e308") }
    case 4:
      return Values(kind: .time) {
        .string(Instant(seconds: Int64(origin + $0.index(below: width)) % (1 << 35)).dateText)
      }
    default:
      let digits = random.index(below: 4)
      return Values(kind: .time) {
        let fraction = digits == 0 ? 0 : UInt32($0.index(below: 1000)) * 1_000_000
        return .string("\(Instant(seconds: Int64(origin + $0.index(below: width)) % (1 << 35), nanoseconds: fraction))")
      }
    }
  }

  /// A number or a time. It compares like the values of a column.
  private enum Comparable: Swift.Comparable {
    case number(DecimalNumber)
    case instant(Instant)

    init?(_ value: AttributeValue?) {
      switch value {
      case .number(let text): self = .number(DecimalNumber(text)!)
      case .string(let text): self = .instant(Instant(text)!)
      default: return nil
      }
    }

    static func < (a: Self, b: Self) -> Bool {
      switch (a, b) {
      case (.number(let a), .number(let b)):
        let exponent = min(a.exponent, b.exponent)
        // Decimals whose exponents are far apart compare as doubles. So do decimals that were converted from doubles.
        if max(a.exponent, b.exponent) - exponent > 18 || exponent < -20 { return a.double < b.double }
        func scaled(_ number: DecimalNumber) -> Int128 { number.scaled(by: -exponent).floor }
        return scaled(a) < scaled(b)
      case (.instant(let a), .instant(let b)): return a < b
      default: preconditionFailure()
      }
    }
  }

  @Test(arguments: Trials.seeds(400)) func countsValuesInView(_ seed: UInt64) throws {
    var random = SplitMix64(seed: 50_000 + seed)
    let bare = try ClusterTree.any(&random)
    let values = Self.values(&random)
    let missing = random.index(below: 3) == 0 ? 2 : 20
    let isAllMissing = random.index(below: 20) == 0
    let rows = (0..<bare.pointCount).map { _ in
      isAllMissing || random.index(below: missing) == 0 ? AttributeValue.null : values.make(&random)
    }
    let tree = try bare.adding(columns: [IndexColumn(name: "v", kind: values.kind) { rows[$0] }])
    for _ in 0..<6 {
      let points = FilteredTree(tree, &random)
      let isFiltered = random.index(below: 2) == 0
      let window = random.index(below: 3) == 0 ? .everything : PlaneWindow.random(over: tree, &random)
      let bins = [2, 3, 10, 50, 1000][random.index(below: 5)]
      let scale = Histogram.Scale.allCases[random.index(below: 2)]
      let histogram = try (isFiltered ? points.filtered : tree).histogram(
        of: "v", bins: bins, scale: scale, in: window)
      let shown = (0..<tree.pointCount).filter {
        (!isFiltered || points.passes[$0]) && window.contains(tree.position(atTreeIndex: $0))
      }
      // Uses the values that the column returns, because a column may return a double with other digits.
      let column = tree.column("v")!
      let found = shown.map { Comparable(column.value(atTreeIndex: $0)) }
      #expect(histogram.missingCount == found.count { $0 == nil })
      #expect(histogram.counts.count <= bins || scale == .logarithmic && histogram.counts.count <= 82)
      #expect(histogram.edges.count == (histogram.counts.isEmpty ? 0 : histogram.counts.count + 1))
      let edges = histogram.edges.map { Comparable($0)! }
      #expect(zip(edges, edges.dropFirst()).allSatisfy { !($1 < $0) }, "seed \(seed), \(histogram.edges)")
      let expected = histogram.counts.indices.map { bin in
        found.count { $0.map { $0 >= edges[bin] && $0 < edges[bin + 1] } ?? false }
      }
      #expect(histogram.counts == expected, "seed \(seed), \(histogram.edges)")
      #expect(histogram.counts.reduce(0, +) + histogram.missingCount == shown.count, "seed \(seed)")
      #expect(try (isFiltered ? points.filtered : tree).pointCount(in: window) == shown.count)
      let shownIndices = Set(shown)
      let counted = isFiltered ? points.filtered : tree
      let clusters = try counted.clusters(.limit(1 + random.index(below: 50)), in: .everything)
      #expect(
        try counted.pointCounts(of: clusters, in: window)
          == clusters.map { cluster in counted.members(of: cluster).treeIndices.count { shownIndices.contains($0) } })
      // Checks that the filter of some bins passes exactly the points in these bins.
      if !histogram.counts.isEmpty {
        let first = random.index(below: histogram.counts.count)
        let brushed = first..<first + 1 + random.index(below: histogram.counts.count - first)
        let passing = try tree.filtered(by: histogram.filter(ofBins: brushed))
        let isIn = shown.count { passing.passes($0) }
        #expect(isIn == histogram.counts[brushed].reduce(0, +), "seed \(seed), \(histogram.edges), \(brushed)")
      }
    }
  }

  @Test func stepsAreRound() throws {
    func edges(_ kind: IndexColumn.Kind, _ values: [AttributeValue], bins: Int) throws -> [AttributeValue] {
      let points = values.indices.map { Coordinate(longitude: Double($0), latitude: 1) }
      let tree = try ClusterTree(points).adding(columns: [IndexColumn(name: "v", kind: kind) { values[$0] }])
      return try tree.histogram(of: "v", bins: bins).edges
    }
    func numbers(_ texts: String...) -> [AttributeValue] { texts.map { .number($0) } }
    func times(_ texts: String...) -> [AttributeValue] { texts.map { .string($0) } }
    #expect(try edges(.number, numbers("3", "17"), bins: 4) == numbers("0", "5", "10", "15", "20"))
    #expect(try edges(.number, numbers("-0.25", "0.3"), bins: 3) == numbers("-0.5", "0", "0.5"))
    #expect(try edges(.number, numbers("7", "7"), bins: 50) == numbers("7", "8"))
    #expect(try edges(.number, numbers("1e-50", "3e-50"), bins: 3) == numbers("1e-50", "2e-50", "3e-50", "4e-50"))
    #expect(
      try edges(.time, times("2023-11-05T10:00:00Z", "2024-02-01T00:00:00Z"), bins: 5)
        == times(
          "2023-11-01T00:00:00Z", "2023-12-01T00:00:00Z", "2024-01-01T00:00:00Z", "2024-02-01T00:00:00Z",
          "2024-03-01T00:00:00Z"))
    #expect(
      try edges(.time, times("2024-05-01", "2024-05-14"), bins: 3)
        == times("2024-04-29", "2024-05-06", "2024-05-13", "2024-05-20"))
    #expect(
      try edges(.time, times("1969-12-31T23:40:00Z", "1970-01-01T00:05:00Z"), bins: 2)
        == times("1969-12-31T23:30:00Z", "1970-01-01T00:00:00Z", "1970-01-01T00:30:00Z"))
    #expect(
      try edges(.time, times("1823-01-01", "2024-12-31"), bins: 3)
        == times("1800-01-01", "1900-01-01", "2000-01-01", "2100-01-01"))
  }

  @Test func logarithmicBinsGetWider() throws {
    func edges(_ values: [String], bins: Int) throws -> [AttributeValue] {
      let points = values.indices.map { Coordinate(longitude: Double($0), latitude: 1) }
      let tree = try ClusterTree(points).adding(
        columns: [IndexColumn(name: "v", kind: .number) { .number(values[$0]) }])
      return try tree.histogram(of: "v", bins: bins, scale: .logarithmic).edges
    }
    func numbers(_ texts: String...) -> [AttributeValue] { texts.map { .number($0) } }
    #expect(try edges(["7", "4000"], bins: 4) == numbers("1", "10", "100", "1000", "10000"))
    #expect(try edges(["7", "400"], bins: 6) == numbers("5", "10", "20", "50", "100", "200", "500"))
    #expect(try edges(["0", "30"], bins: 3) == numbers("0", "1", "10", "100"))
    #expect(try edges(["-30", "5"], bins: 4) == numbers("-100", "-10", "-1", "0", "1", "10"))
    #expect(try edges(["-30", "-5"], bins: 3) == numbers("-100", "-10", "-1", "0"))
    #expect(try edges(["0", "0"], bins: 3) == numbers("0", "1"))
    #expect(try edges(["0.5", "1.25e20"], bins: 12).count == 11)
  }

  @Test func refusesOtherColumns() throws {
    let tree = try ClusterTree([Coordinate(longitude: 1, latitude: 1)])
      .adding(columns: [IndexColumn(name: "kind", kind: .category) { _ in .string("a") }])
    #expect(throws: AggregateError.self) { try tree.histogram(of: "kind") }
    #expect(throws: AggregateError.self) { try tree.histogram(of: "none") }
  }
}

import Foundation
import PointSets
import TestSupport
import Testing
import TreelineBuilder

@_spi(Server) @testable import Treeline

/// Checks percentiles and distinct counts that are computed from ranks and links, over any range of points, against
/// the single values.
@Suite struct OrderSectionTests {
  /// A kind of column, and its values. `value(n)` returns the value at place `n` of the ascending order.
  private struct Kind {
    let kind: IndexColumn.Kind
    let value: @Sendable (Int) -> AttributeValue
  }

  private static let kinds = [
    Kind(kind: .number) { .number("\($0 - 50)") },
    // Numbers with two decimals, the last of which is not 0.
    Kind(kind: .number) { .number("\($0 * 100_000).25") },
    // Numbers that are kept as doubles.
    Kind(kind: .number) { .number($0 == 0 ? "-1e+300" : "\($0)e-200") },
    // Numbers that need more than 32 bits.
    Kind(kind: .number) { .number("\(Int64.max - 1_000_000 + Int64($0))") },
    Kind(kind: .category) { .string(padded($0)) },
    Kind(kind: .text) { .string(padded($0)) },
    Kind(kind: .boolean) { .bool($0 > 0) },
    Kind(kind: .time) { .string("\(1900 + $0 / 1000)-05-01T00:00:00.\(padded($0))1Z") },
  ]

  private static func padded(_ number: Int) -> String { String(String(number + 10_000_000).dropFirst()) }

  private func tree(_ count: Int, _ random: inout SplitMix64) throws -> ClusterTree {
    let coordinates = (0..<count).map { _ in
      Coordinate(longitude: random.number(from: -180, to: 180), latitude: random.number(from: -80, to: 80))
    }
    return try ClusterTree(coordinates, options: BuildOptions(growth: .splitting(.mean), threads: 1))
  }

  /// - Parameter places: The place of each row's value in the ascending order; nil if the value is missing.
  private func check(
    _ bare: ClusterTree, _ kind: Kind, _ places: [Int?], ranges: Int, _ random: inout SplitMix64, _ seed: UInt64
  ) throws {
    let column = IndexColumn(name: "a", kind: kind.kind) { places[$0].map(kind.value) ?? .null }
      .prepared(for: .percentiles, .distinct)
    let tree = try bare.adding(columns: [column])
    let found = try #require(tree.column("a"))
    let (ranks, links) = (try #require(found.ranks), try #require(found.links))
    let rows = CountedRows(of: tree)
    let inOrder = (0..<tree.pointCount).map { places[tree.row(atTreeIndex: $0)] }
    let indices = Dictionary(
      (0..<tree.pointCount).compactMap { index in inOrder[index].map { ($0, index) } }, uniquingKeysWith: { a, _ in a })
    func value(_ place: Int) -> AttributeValue { found.value(atTreeIndex: indices[place]!)! }
    for _ in 0..<ranges {
      let ends = [random.index(below: tree.pointCount + 1), random.index(below: tree.pointCount + 1)].sorted()
      let range = ends[0]..<ends[1]
      let sorted = inOrder[range].compactMap { $0 }.sorted()
      let distinct = Set(sorted).count
      #expect(links.distinctCount(in: range) == distinct, "seed \(seed), \(kind.kind), \(range)")
      #expect(ranks.presentCount(in: range) == sorted.count, "seed \(seed), \(kind.kind), \(range)")
      let percent = [0, 100, 50, random.number(from: 0, to: 100)][random.index(below: 4)]
      let statistic = AggregateEvaluator.orderStatistic(.percentile(percent), rows, found)
      #expect(!statistic.readsRows)
      let rank = Aggregate.rank(ofPercent: percent, among: sorted.count)
      let expected: AggregateValue = sorted.isEmpty ? .none : .value(value(sorted[rank - 1]))
      #expect(try statistic.value(range) == expected, "seed \(seed), \(kind.kind), \(percent) % of \(range)")
      // A median of two numbers must equal the median of a scan. Other tests check scans against the definition.
      var unprepared = found
      unprepared.sections.ranks = nil
      let scan = AggregateEvaluator.orderStatistic(.median, rows, unprepared)
      #expect(scan.readsRows)
      let median = AggregateEvaluator.orderStatistic(.median, rows, found)
      #expect(try median.value(range) == scan.value(range), "seed \(seed), \(kind.kind), median of \(range)")
    }
  }

  @Test func anyRangeOfRandomColumns() throws {
    for seed in Trials.seeds(400) {
      var random = SplitMix64(seed: 41_000 + seed)
      let count = [0, 1, 2, 223, 224, 225, 447, 448, 449, random.index(below: 1500)][random.index(below: 10)]
      let bare = try tree(count, &random)
      let kind = Self.kinds[random.index(below: Self.kinds.count)]
      let valueCount = [1, 2, 3, 10, 255, 256, 257, 100_000][random.index(below: 8)]
      let missing = [0, 0, 1, 5, 10][random.index(below: 5)]
      let places = (0..<count).map { _ in
        random.index(below: 10) < missing
          ? nil : kind.kind == .boolean ? random.index(below: 2) : random.index(below: valueCount)
      }
      try check(bare, kind, places, ranges: 20, &random, seed)
    }
  }

  /// Tests columns whose number of distinct values is near a limit at which codes get wider or links get another level.
  /// Every value occurs.
  @Test(arguments: [255, 256, 257, 65_535, 65_536, 65_537]) func manyCategories(_ valueCount: Int) throws {
    var random = SplitMix64(seed: UInt64(valueCount))
    let bare = try tree(70_000, &random)
    for kind in [Self.kinds[4], Self.kinds[0], Self.kinds[5]] {
      let places: [Int?] = random.shuffled((0..<70_000).map { $0 % 7 == 6 && $0 >= valueCount ? nil : $0 % valueCount })
      try check(bare, kind, places, ranges: 6, &random, UInt64(valueCount))
    }
  }

  private struct Reading: Sendable {
    var coordinate: Coordinate
    var value: Double
  }

  /// Checks that infinite values and NaN count as missing, and that -0 counts as 0.
  @Test func oddDoubles() throws {
    let values = [.nan, .infinity, -.infinity, -0.0, 0.0, 5e-324, -5e-324, .greatestFiniteMagnitude, 0x1p63, 1e17 + 16]
    let readings = values.enumerated().map { number, value in
      Reading(coordinate: Coordinate(longitude: Double(number), latitude: 0), value: value)
    }
    let map = try ClusterMap(
      readings, at: \.coordinate, columns: .number(\.value).prepared(for: .percentiles, .distinct))
    let all = try map.tree.clusters(.limit(1), in: PlaneWindow.everything)
    let found = try all.values(
      of: [
        .count("value"), .distinct("value"), .percentile(0, of: "value"), .median("value"),
        .percentile(100, of: "value"),
      ])
    #expect(
      found[0].map(\.double) == [7, 6, -5e-324, 5e-324, .greatestFiniteMagnitude])
  }

  @Test func integersAtTheEndsOf64Bits() throws {
    var random = SplitMix64(seed: 8)
    let bare = try tree(50, &random)
    for (least, greatest) in [
      ("9223372036854775806", "9223372036854775807"), ("-9223372036854775808", "9223372036854775807"),
      ("1", "9223372036854775808"), ("-9223372036854775808", "-9223372036854775807"),
    ] {
      let tree = try bare.adding(columns: [
        IndexColumn(name: "a", kind: .number) { .number($0 % 2 == 0 ? least : greatest) }.prepared(
          for: .percentiles, .distinct)
      ])
      let all = try tree.clusters(.limit(1), in: PlaneWindow.everything)
      let found = try all.values(of: [.percentile(100, of: "a"), .percentile(50, of: "a"), .distinct("a")])[0]
      #expect(found[0].double == Double(greatest))
      #expect(found[1].double == Double(least))
      #expect(found[2] == .integer(2))
    }
  }

  /// With a filter, aggregates read the passing rows instead of the sections. Checks that the result is the same as
  /// without sections.
  @Test func filtersAnswerAsWithoutSections() throws {
    var random = SplitMix64(seed: 77)
    for _ in 0..<Trials.count(40) {
      let bare = try tree(1 + random.index(below: 400), &random)
      let places = (0..<bare.pointCount).map { _ in random.index(below: 30) }
      func prepared(_ preparations: Set<IndexColumn.Preparation>) throws -> ClusterTree {
        try bare.adding(columns: [
          IndexColumn(name: "a", kind: .number) { .number("\(places[$0])") }.prepared(for: preparations)
        ])
      }
      let (with, without) = (try prepared([.percentiles, .distinct]), try prepared([]))
      for filter in [nil, Filter.where("a", .isLess, 12)] {
        let answers = try [with, without].map { tree in
          try (filter.map { try tree.filtered(by: $0) } ?? tree).clusters(.limit(9), in: PlaneWindow.everything)
            .values(of: [.median("a"), .percentile(30, of: "a"), .distinct("a"), .count("a")])
        }
        #expect(answers[0] == answers[1])
      }
    }
  }
}

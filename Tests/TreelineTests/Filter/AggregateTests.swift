import Foundation
import PointSets
import TestSupport
import Testing
import TreelineBuilder

@_spi(Server) @testable import Treeline

/// Checks aggregates against the values of all points, one by one.
@Suite struct AggregateTests {
  /// A table of random values. Some values are missing.
  private struct Table {
    var prices: [Int64?]
    let digits: Int
    var large: [Int64?]
    var reals: [Double?]
    var kinds: [String?]
    var flags: [Bool?]
    var times: [Instant?]
    /// The preparations of the columns that are prepared.
    let preparations: Set<IndexColumn.Preparation>

    init(rows: Int, _ random: inout SplitMix64) {
      var generator = random
      func values<Value>(_ value: (inout SplitMix64) -> Value) -> [Value?] {
        let missing = generator.index(below: 4)
        return (0..<rows).map { _ in
          missing == 3 || generator.index(below: 5) < missing ? nil : value(&generator)
        }
      }
      preparations = [[], [.percentiles], [.distinct], [.percentiles, .distinct]][generator.index(below: 4)]
      digits = generator.index(below: 4)
      let range = [3, 300, 70_000, 5_000_000_000][generator.index(below: 4)]
      let base = Int64(generator.index(below: 1000)) - 500
      prices = values { base + Int64($0.index(below: range)) }
      large = values { Int64(bitPattern: $0.next()) / 4 }
      reals = values { ($0.fraction() - 0.5) * pow(10, Double($0.index(below: 40)) - 20) }
      let kindCount = [1, 3, 12, 400][generator.index(below: 4)]
      kinds = values { "kind \($0.index(below: kindCount))" }
      flags = values { $0.index(below: 2) == 0 }
      times = values { Instant(seconds: Int64($0.index(below: 1 << 40)) - 1 << 39) }
      random = generator
    }

    /// Returns the same rows in another order.
    func inOrder(_ order: [Int]) -> Table {
      var copy = self
      (copy.prices, copy.large, copy.reals) = (
        order.map { prices[$0] }, order.map { large[$0] }, order.map { reals[$0] }
      )
      (copy.kinds, copy.flags, copy.times) = (order.map { kinds[$0] }, order.map { flags[$0] }, order.map { times[$0] })
      return copy
    }

    func price(_ row: Int) -> DecimalNumber? {
      prices[row].map { DecimalNumber(significand: Int128($0), exponent: -digits) }
    }

    var columns: [IndexColumn] {
      let copy = self
      return [
        IndexColumn(name: "price", kind: .number) { row in copy.price(row).map { .number("\($0)") } ?? .null }
          .prepared(for: preparations),
        IndexColumn(name: "large", kind: .number) { row in copy.large[row].map { .number("\($0)") } ?? .null },
        IndexColumn(name: "real", kind: .number) { row in copy.reals[row].map { .number("\($0)") } ?? .null }
          .prepared(for: preparations),
        IndexColumn(name: "kind", kind: .category) { row in copy.kinds[row].map { .string($0) } ?? .null },
        IndexColumn(name: "flag", kind: .boolean) { row in copy.flags[row].map { .bool($0) } ?? .null },
        IndexColumn(name: "time", instant: { copy.times[$0] }),
      ]
    }
  }

  @Test(arguments: Trials.seeds(300)) func areThoseOfTheValues(_ seed: UInt64) throws {
    var random = SplitMix64(seed: 20_000 + seed)
    let bare = try ClusterTree.any(&random)
    try check(bare, Table(rows: bare.pointCount, &random), &random, "seed \(seed)")
  }

  /// Checks 10,000 small tables. Each table has an unusual column.
  @Test func areThoseOfTheValuesOfManyTables() throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    print("areThoseOfTheValuesOfManyTables: seed \(seed)")
    for number in Trials.seeds(10_000) {
      var random = SplitMix64(seed: seed &+ number)
      let set = PointSet.random(seed: random.next(), upTo: 30)
      let bare = try ClusterTree(
        set.coordinates, as: set.projection,
        options: BuildOptions(splitRule: .mean, threads: 1))
      try check(bare, Table(rows: bare.pointCount, &random), &random, "seed \(seed), table \(number)")
    }
  }

  /// Checks that the order of the rows does not matter: all aggregates, even sums of doubles, are equal to the last
  /// bit.
  @Test func areTheSameForAnyOrderOfTheRows() throws {
    for seed in Trials.seeds(200) {
      var random = SplitMix64(seed: 22_000 + seed)
      let set = PointSet.random(seed: random.next(), upTo: 300)
      let table = Table(rows: set.coordinates.count, &random)
      let order = random.shuffled(Array(set.coordinates.indices))
      let limit = 1 + random.index(below: 30)
      let answers = try [Array(set.coordinates.indices), order].map { order in
        let bare = try ClusterTree(
          order.map { set.coordinates[$0] }, as: set.projection, options: BuildOptions(threads: 1))
        let tree = try bare.adding(columns: table.inOrder(order).columns)
        return try tree.clusters(.limit(limit), in: PlaneWindow.everything).values(of: Self.aggregates(percent: 30))
      }
      #expect(answers[0] == answers[1], "seed \(seed)")
    }
  }

  /// Checks that the parts of a donut add up: the counts of all values of a column sum to the number of points that
  /// have a value.
  @Test func partsOfADonutAddUp() throws {
    for seed in Trials.seeds(300) {
      var random = SplitMix64(seed: 23_000 + seed)
      let bare = try ClusterTree.any(&random)
      let tree = FilteredTree(try bare.adding(columns: Table(rows: bare.pointCount, &random).columns), &random)
      for tree in [tree.tree, tree.filtered] {
        let clusters = try tree.clusters(.limit(1 + random.index(below: 20)), in: PlaneWindow.everything)
        for name in ["kind", "flag", "price", "time"] {
          let all = try clusters.values(of: [
            .counts(name), .count(name), .top(2, of: name), .mode(name), .distinct(name),
          ])
          for (cluster, values) in zip(clusters, all) {
            guard case .counts(let counts) = values[0], case .counts(let top) = values[2] else {
              Issue.record("expected counts, found \(values)")
              continue
            }
            #expect(.integer(counts.reduce(0) { $0 + $1.count }) == values[1], "seed \(seed), \(name)")
            #expect(top == Array(counts.prefix(2)))
            #expect(counts.first.map { .value($0.value) } ?? .none == values[3])
            #expect(.integer(counts.count) == values[4])
            #expect(counts.allSatisfy { $0.count > 0 && $0.count <= cluster.pointCount })
            #expect(counts.map(\.count) == counts.map(\.count).sorted(by: >))
          }
        }
      }
    }
  }

  private static func aggregates(percent: Double) -> [Aggregate] {
    [
      .count, .count("price"), .sum("price"), .mean("price"), .min("price"), .max("price"), .variance("price"),
      .median("price"), .percentile(percent, of: "price"), .distinct("price"), .sum("large"), .mean("large"),
      .variance("large"), .sum("real"), .mean("real"), .variance("real"), .min("real"), .median("real"),
      .counts("kind"), .top(3, of: "kind"), .mode("kind"), .distinct("kind"), .count("kind"), .any("flag"),
      .all("flag"), .sum("flag"), .counts("flag"), .min("time"), .max("kind"), .mode("large"),
      .first("kind", by: "price"), .last("kind", by: "price"), .first("price", by: "kind"), .last("price", by: "time"),
    ]
  }

  private func check(_ bare: ClusterTree, _ table: Table, _ random: inout SplitMix64, _ label: String) throws {
    let tree = try bare.adding(columns: table.columns)
    let points = FilteredTree(tree, &random)
    for filtered in [tree, points.filtered] {
      let clusters = try filtered.clusters(.limit(1 + random.index(below: 40)), in: PlaneWindow.everything)
      let percent = random.number(from: 0, to: 100)
      let aggregates = Self.aggregates(percent: percent)
      let values = try clusters.values(of: aggregates)
      for (cluster, found) in zip(clusters, values) {
        let rows = Array(filtered.members(of: cluster))
        let expected = Self.expected(of: rows, table, percent: percent)
        for (number, aggregate) in aggregates.enumerated() where !Self.agree(found[number], expected[number]) {
          Issue.record(
            "\(label), \(aggregate) of \(rows.count) rows: \(found[number]), expected \(expected[number])")
        }
      }
    }
  }

  private static func agree(_ found: AggregateValue, _ expected: AggregateValue) -> Bool {
    if found == expected { return true }
    // This test computes some expected values in doubles, so they may differ by rounding.
    guard let a = found.double, let b = expected.double else { return false }
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))
  }

  private static func number(_ number: Double) -> AggregateValue { .number(number) }

  private static func expected(of rows: [Int], _ table: Table, percent: Double) -> [AggregateValue] {
    let prices = rows.compactMap { table.prices[$0] }.sorted()
    let unit = pow(10, Double(table.digits))
    func price(_ value: Int64) -> AggregateValue {
      .value(.number("\(DecimalNumber(significand: Int128(value), exponent: -table.digits))"))
    }
    func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
    func variance(_ values: [Double]) -> AggregateValue {
      let middle = mean(values)
      // If all values are equal, the variance is 0, but rounding would give a small remainder.
      if Set(values).count == 1 { return .integer(0) }
      return values.isEmpty ? .none : number(mean(values.map { ($0 - middle) * ($0 - middle) }))
    }
    let sum = prices.reduce(Int128(0)) { $0 + Int128($1) }
    let large = rows.compactMap { table.large[$0] }
    let largeSum = large.reduce(Int128(0)) { $0 + Int128($1) }
    let reals = rows.compactMap { table.reals[$0] }
    // The sum must not depend on the order of the values, and `Decimal` cannot hold the exact decimal digits of all
    // doubles. So an `ExactSum` of many words is used.
    let realSum = reals.reduce(into: ExactSum()) { $0.add($1) }.rounded()
    let middle = prices.count / 2
    let median: AggregateValue =
      prices.isEmpty
      ? .none
      : prices.count % 2 == 1
        ? price(prices[middle])
        : .value(
          .number(
            "\(DecimalNumber(significand: 5 * (Int128(prices[middle - 1]) + Int128(prices[middle])), exponent: -table.digits - 1))"
          ))
    let sortedReals = reals.sorted()
    let realMedian: AggregateValue =
      reals.isEmpty
      ? .none
      : number(
        reals.count % 2 == 1
          ? sortedReals[reals.count / 2] : sortedReals[reals.count / 2 - 1] / 2 + sortedReals[reals.count / 2] / 2)
    let kinds = rows.compactMap { table.kinds[$0] }
    let counts = Dictionary(grouping: kinds) { $0 }.mapValues(\.count).sorted {
      ($1.value, $0.key) < ($0.value, $1.key)
    }
    .map { AggregateValue.ValueCount(value: .string($0.key), count: $0.value) }
    let flags = rows.compactMap { table.flags[$0] }
    let flagCounts = [true, false].map { flag in (flag, flags.count { $0 == flag }) }.filter { $0.1 > 0 }
      .sorted { $0.1 == $1.1 ? !$0.0 : $0.1 > $1.1 }.map { AggregateValue.ValueCount(value: .bool($0.0), count: $0.1) }
    let times = rows.compactMap { table.times[$0] }
    let isDates = table.times.compactMap { $0 }.allSatisfy { $0.seconds % 86_400 == 0 }
    func areInOrder(_ a: String, _ b: String) -> Bool { Array(a.utf8).lexicographicallyPrecedes(Array(b.utf8)) }
    /// Returns the value of the row with the first key. If several rows have this key, returns the least of their
    /// values.
    func first<Value, Key>(
      of values: [Value?], by keys: [Key?], _ keysAreInOrder: (Key, Key) -> Bool, _ areInOrder: (Value, Value) -> Bool
    ) -> Value? {
      rows.compactMap { row in values[row].flatMap { value in keys[row].map { (value: value, key: $0) } } }
        .min { a, b in
          if keysAreInOrder(a.key, b.key) { return true }
          return !keysAreInOrder(b.key, a.key) && areInOrder(a.value, b.value)
        }?.value
    }
    let modes = Dictionary(grouping: large) { $0 }.mapValues(\.count)
    let most = modes.values.max() ?? 0
    let rank = max(Int((percent * Double(prices.count) / 100).rounded(.up)), 1)
    return [
      .integer(rows.count), .integer(prices.count),
      .decimal(sum, digits: table.digits),
      prices.isEmpty ? .none : number(Double(sum) / Double(prices.count) / unit), prices.first.map(price) ?? .none,
      prices.last.map(price) ?? .none, variance(prices.map { Double($0) / unit }), median,
      prices.isEmpty ? .none : price(prices[rank - 1]), .integer(Set(prices).count), .value(.number("\(largeSum)")),
      large.isEmpty ? .none : number(Double(largeSum) / Double(large.count)), variance(large.map { Double($0) }),
      reals.isEmpty ? .integer(0) : .number(realSum), reals.isEmpty ? .none : number(mean(reals)), variance(reals),
      reals.min().map(number) ?? .none, realMedian, .counts(counts), .counts(Array(counts.prefix(3))),
      counts.first.map { .value($0.value) } ?? .none, .integer(counts.count), .integer(kinds.count),
      flags.isEmpty ? .none : .value(.bool(flags.contains(true))),
      flags.isEmpty ? .none : .value(.bool(!flags.contains(false))), .integer(flags.count { $0 }),
      .counts(flagCounts), times.min().map { .value(.string(isDates ? $0.dateText : "\($0)")) } ?? .none,
      kinds.max { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }.map { .value(.string($0)) } ?? .none,
      modes.filter { $0.value == most }.keys.min().map { .value(.number("\($0)")) } ?? .none,
      first(of: table.kinds, by: table.prices, >, areInOrder).map { .value(.string($0)) } ?? .none,
      first(of: table.kinds, by: table.prices, <, areInOrder).map { .value(.string($0)) } ?? .none,
      first(of: table.prices, by: table.kinds, { areInOrder($1, $0) }, <).map(price) ?? .none,
      first(of: table.prices, by: table.times, <, <).map(price) ?? .none,
    ]
  }

  @Test func weightsAreThoseOfTheRow() throws {
    let set = PointSet.random(seed: 5)
    let tree = try set.tree().adding(columns: [
      IndexColumn(name: "price", kind: .number) { $0 % 7 == 0 ? .null : .number("\($0 % 13).5") },
      IndexColumn(name: "rooms", kind: .number) { $0 % 5 == 0 ? .null : .number("\($0 % 4)") },
    ])
    let clusters = try tree.clusters(.limit(9), in: PlaneWindow.everything)
    let found = try clusters.values(of: [.mean("price", weight: "rooms")])
    for (cluster, found) in zip(clusters, found) {
      let rows = tree.members(of: cluster).filter { $0 % 7 != 0 && $0 % 5 != 0 }
      let weight = rows.reduce(0) { $0 + $1 % 4 }
      let sum = rows.reduce(0.0) { $0 + (Double($1 % 13) + 0.5) * Double($1 % 4) }
      #expect(found[0].double == (weight == 0 ? nil : sum / Double(weight)))
    }
  }

  @Test func textsAreReadAsTheyAreWritten() throws {
    let texts = [
      "count", "count(price)", "sum(population)", "mean(price, weight: rooms)", "top(kind, 3)",
      "first(name)", "first(name, by: population)", "last(\"a b\", by: time)", "percentile(price, 90)",
      "percentile(price, 99.5)", "percentile(price, 1e-05)", "distinct(\"a \"\"b\"\"\")", "counts(kind)",
      "median(price)", "any(open)", "all(open)",
    ]
    for text in texts { #expect(try Aggregate.list(text).map(\.description) == [text]) }
    #expect(try Aggregate.list("percentile(a, 9.5E+1), top(b, 2e1)") == [.percentile(95, of: "a"), .top(20, of: "b")])
    #expect(try Aggregate.list(texts.joined(separator: ", ")).map(\.description) == texts)
    for (text, position) in [
      ("", 0), ("sum", 3), ("sum(", 4), ("sum(a", 5), ("sum(a) b", 7), ("total(a)", 0), ("top(a)", 5), ("top(a, 0)", 7),
      ("percentile(a, 101)", 14), ("percentile(a, 1e)", 14), ("percentile(a, 1e3)", 14), ("percentile(a, 1-5)", 15),
      ("percentile(a, -1)", 14), ("mean(a, by: b)", 8),
      ("first(a, b)", 9), ("last(a)", 6), ("sum(\"a)", 4), ("count,", 6),
    ] {
      let error = #expect(throws: AggregateError.self) { try Aggregate.list(text) }
      #expect(error?.position == position, "\(text): \(error.map { "\($0)" } ?? "")")
    }
  }

  @Test func firstWithoutAnOrderIsTheFirstValueInTreeOrder() throws {
    for seed in Trials.seeds(40) {
      let tree = try PointSet.random(seed: seed).tree().adding(columns: [
        IndexColumn(name: "name", kind: .text) { ($0 &* 7 &+ Int(seed)) % 5 == 0 ? .string("name \($0)") : .null }
      ])
      for tree in [tree, try tree.filtered(by: .where("name", isLike: "%1%"))] {
        let clusters = try tree.clusters(.limit(9), in: PlaneWindow.everything)
        for (cluster, values) in zip(clusters, try clusters.values(of: [.first("name")])) {
          let texts = tree.members(of: cluster).treeIndices.compactMap { index -> AttributeValue? in
            let value = tree.column("name")!.value(atTreeIndex: index)
            return value == .null ? nil : value
          }
          #expect(values == [.value(texts.first ?? .null)])
        }
      }
    }
  }

  @Test func refusesWhatAColumnHasNot() throws {
    let tree = try PointSet.random(seed: 6).tree().adding(columns: [
      IndexColumn(name: "kind", kind: .category) { _ in .string("a") },
      IndexColumn(name: "price", kind: .number) { .number("\($0)") },
    ])
    let clusters = try tree.clusters(.limit(3), in: PlaneWindow.everything)
    #expect(throws: AggregateError.unknownColumn(name: "size", known: ["kind", "price"])) {
      try clusters.values(of: [.sum("size")])
    }
    #expect(
      throws: AggregateError.unsuited(
        aggregate: "sum(kind)", column: "kind", kind: .category, expected: "a column of numbers")
    ) { try clusters.values(of: [.sum("kind")]) }
    #expect(throws: AggregateError.self) { try clusters.values(of: [.any("price")]) }
  }
}

extension AggregateError {
  fileprivate var position: Int? { if case .malformed(_, let position, _) = self { position } else { nil } }
}

import PointSets
import Testing
import TreelineBuilder

@testable import Treeline

/// Checks that percentiles use exact ranks, and that medians are rounded only once.
@Suite struct PercentileTests {
  /// Checks percentages from 0 to 100, in steps of a tenth, of 1 to 1,000 values. The rank is the least rank that
  /// reaches the percentage.
  @Test func ranksAreExact() {
    var wrong = 0
    for tenths in 0...1000 {
      let percent = Double(tenths) / 10
      for count in 1...1000 {
        let expected = max((tenths * count + 999) / 1000, 1)
        if Aggregate.rank(ofPercent: percent, among: count) != expected { wrong += 1 }
      }
    }
    #expect(wrong == 0)
  }

  @Test func ranksOfMoreDecimalsAreExact() {
    for (thousandths, count) in [(12_345, 100_000), (99_999, 100_000), (1, 100_000), (33_333, 1 << 32)] {
      let rank = Aggregate.rank(ofPercent: Double(thousandths) / 1000, among: count)
      #expect(rank == (thousandths * count + 99_999) / 100_000)
    }
    #expect(Aggregate.rank(ofPercent: .leastNonzeroMagnitude, among: 1 << 32) == 1)
    #expect(Aggregate.rank(ofPercent: 1e-30, among: 1 << 32) == 1)
    #expect(Aggregate.rank(ofPercent: 100.0.nextDown, among: 1 << 32) == 1 << 32)
    #expect(Aggregate.rank(ofPercent: 1e-7, among: 1 << 32) == 5)
  }

  /// Checks the numbers 1 to 100 in random order: with and without ranks in the tree, and with and without a filter.
  @Test(arguments: [Set<IndexColumn.Preparation>(), [.percentiles]])
  func aPercentileOfAHundredIsItself(preparations: Set<IndexColumn.Preparation>) throws {
    var random = SplitMix64(seed: 380)
    let values = random.shuffled(Array(1...100))
    func column(_ name: String, _ value: @escaping @Sendable (Int) -> String) -> IndexColumn {
      IndexColumn(name: name, kind: .number) { .number(value($0)) }.prepared(for: preparations)
    }
    let tree = try ClusterTree(values.map { Coordinate(longitude: Double($0), latitude: 0) }).adding(columns: [
      column("v") { "\(values[$0])" }, column("real") { "\(values[$0])e-20" },
    ])
    let filtered = try tree.filtered(by: .where("v", .isAtLeast, 0) && !.where("v", .equals, 1000))
    for tree in [tree, filtered] {
      let all = try tree.clusters(.limit(1), in: .everything)
      for percent in 1...100 {
        let found = try all.values(of: [
          .percentile(Double(percent), of: "v"), .percentile(Double(percent), of: "real"),
        ])[0]
        #expect(found[0].double == Double(percent))
        #expect(found[1].double == Double("\(percent)e-20"))
      }
      let parts = try all.values(of: [.percentile(12.5, of: "v"), .percentile(99.9, of: "v")])[0]
      #expect(parts.map(\.double) == [13, 100])
    }
  }

  private func median(_ a: Double, _ b: Double) throws -> Double? {
    let numbers = [a, b]
    let tree = try ClusterTree([0.0, 1].map { Coordinate(longitude: $0, latitude: 0) }).adding(columns: [
      IndexColumn(name: "a", kind: .number) { .number("\(numbers[$0])") }
    ])
    return try tree.clusters(.limit(1), in: .everything).values(of: [.median("a")])[0][0].double
  }

  @Test func mediansAreRoundedOnce() throws {
    let tiny = Double.leastNonzeroMagnitude
    // The mean of one unit and two units is one and a half units. It is rounded to two units, because ties go to even.
    #expect(try median(tiny, 2 * tiny) == 2 * tiny)
    #expect(try median(tiny, tiny) == tiny)
    #expect(try median(3 * tiny, 3 * tiny) == 3 * tiny)
    #expect(try median(tiny, 3 * tiny) == 2 * tiny)
    let greatest = Double.greatestFiniteMagnitude
    #expect(try median(greatest, greatest) == greatest)
    #expect(try median(-greatest, greatest) == 0)
    // The mean is halfway between the two numbers. The last bit of the lesser number is even.
    #expect(try median(greatest, greatest.nextDown) == greatest.nextDown)
  }

  /// Checks medians against half of the exact sum of both values. Only this half is rounded.
  @Test func mediansOfAnySizeAreRoundedOnce() throws {
    var random = SplitMix64(seed: 381)
    func number() -> Double {
      let exponent = [0, random.index(below: 3), 1 + random.index(below: 60), random.index(below: 2047), 2046]
      return Double(
        sign: random.index(below: 2) == 0 ? .plus : .minus,
        exponentBitPattern: UInt(exponent[random.index(below: exponent.count)]),
        significandBitPattern: random.next() & (1 << 52 - 1) >> UInt64(random.index(below: 53)))
    }
    for _ in 0..<300 {
      let (a, b) = (number(), number())
      var sum = ExactSum()
      sum.add(a)
      sum.add(b)
      let found = try median(a, b)
      #expect(found == sum.rounded(dividedBy: 2), "\(a) and \(b), seed 381")
    }
  }
}

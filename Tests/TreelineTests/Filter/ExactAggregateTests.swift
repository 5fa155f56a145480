import PointSets
import TestSupport
import Testing
@_spi(Server) import Treeline
import TreelineBuilder

/// Checks that weighted means and variances are exact to the last bit, however large the values are.
@Suite struct ExactAggregateTests {
  private func value(of aggregate: Aggregate, _ a: [String], _ b: [String] = []) throws -> Double? {
    func column(_ name: String, _ numbers: [String]) -> IndexColumn {
      IndexColumn(name: name, kind: .number) { $0 < numbers.count ? .number(numbers[$0]) : nil }
    }
    let tree = try ClusterTree(a.indices.map { Coordinate(longitude: Double($0), latitude: 0) })
      .adding(columns: [column("a", a), column("b", b)])
    return try tree.clusters(.limit(1), in: Viewport.everything).values(of: [aggregate])[0][0].double
  }

  @Test(
    arguments: [
      (["10000000000", "20000000000"], ["10000000000", "20000000000"], 5e20 / 3e10),
      (["1.000000000000001", "1.000000000000001"], ["2", "2"], 1.000000000000001),
      (["9223372036854775806", "5"], ["9223372036854775806", "1"], 9223372036854775806),
      (["1", "2"], ["8589934592", "1"], 8_589_934_594 / 8_589_934_593),
      (["-9223372036854775807", "9223372036854775807"], ["1", "1"], 0),
    ] as [([String], [String], Double)]) func largeValuesAreWeighed(a: [String], b: [String], mean: Double) throws
  {
    #expect(try value(of: .mean("a", weight: "b"), a, b) == mean)
  }

  @Test func sumsThatDoNotFitAreRefused() throws {
    let greatest = [String](repeating: "9223372036854775807", count: 3)
    #expect(throws: AggregateError.tooLarge(aggregate: "mean(a, weight: b)")) {
      try value(of: .mean("a", weight: "b"), greatest, greatest)
    }
  }

  @Test(arguments: Trials.seeds(200)) func variancesAreRoundedOnce(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let numbers = (0..<2 + Int(seed % 20)).map { _ in Int(random.next() % 1000) - 500 }
    let (count, sum) = (numbers.count, numbers.reduce(0, +))
    let numerator = count * numbers.reduce(0) { $0 + $1 * $1 } - sum * sum
    #expect(
      try value(of: .variance("a"), numbers.map(String.init)) == Double(numerator) / Double(count * count))
  }

  /// Checks variances whose intermediate results need more than 128 bits.
  @Test func variancesOfLargeValuesAreRoundedOnce() throws {
    let numbers = ["0.000000000000000001", "3.000000000000000001", "6.000000000000000001"]
    #expect(try value(of: .variance("a"), numbers) == 6)
    #expect(try value(of: .variance("a"), ["-9223372036854775807", "9223372036854775807"]) == 0x1p126)
  }

  /// The exact mean of two neighboring doubles lies between them, so it is rounded to one of them. Checks that the
  /// variance is corrected for this rounding.
  @Test func whatTheMeanOfDoublesIsRoundedByIsTakenOff() throws {
    let (a, b) = (1e30, 1e30.nextUp)
    let half = (b - a) / 2
    #expect(try value(of: .variance("a"), ["\(a)", "\(b)", "\(a)", "\(b)"]) == half * half)
    #expect(try value(of: .variance("a"), ["1e200", "-1e200", "1e-200"]) == nil)
  }
}

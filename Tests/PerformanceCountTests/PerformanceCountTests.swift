import Testing
import Treeline

@testable import Benchmarks

/// Speed as far as it can be tested: by counts that do not vary. `scripts/bench` measures time.
///
/// Upper bounds lie an eighth or so above what was counted when they were set, with Swift 6.3 on x86-64.
@Suite(.serialized, .enabled(if: Valgrind.executable != nil, "valgrind is not installed")) struct PerformanceCountTests
{
  #if arch(x86_64)
    static let hasBoundsOfInstructions = true
  #else
    static let hasBoundsOfInstructions = false
  #endif

  /// Counted: 1,687 and 4,221.
  @Test(.enabled(if: hasBoundsOfInstructions), arguments: [(SplitRule.mean, 1_900), (.leastScatter, 4_750)])
  func buildTakesFewInstructions(rule: SplitRule, most: Int) throws {
    let perPoint = Double(try Work.ofBuild(.callgrind, rule)) / Double(Work.pointCount)
    #expect(500...Double(most) ~= perPoint, "\(perPoint) instructions a point")
  }

  /// Arrays and not nodes are allocated, so that their number does not depend on that of the points; by least scatter,
  /// bins too, for groups of more than 128 points. Counted: 79 and 2,301.
  @Test(arguments: [(SplitRule.mean, 90), (.leastScatter, 2_600)])
  func buildAllocatesArraysOnly(rule: SplitRule, most: Int) throws {
    let allocations = try Work.ofBuild(.memcheck, rule)
    #expect(6...most ~= allocations, "\(allocations) allocations")
  }

  /// Counted: 14,636, of answers of 53 clusters on average.
  @Test(.enabled(if: hasBoundsOfInstructions)) func queryTakesFewInstructions() throws {
    let instructions = try Work.ofQuery(.callgrind)
    #expect(5_000...16_500 ~= instructions, "\(instructions) instructions")
  }

  /// The answer is one piece of memory, and what it is found with another.
  @Test(arguments: [100, 1000]) func queryAllocatesTwice(limit: Int) throws {
    #expect(try Work.ofQuery(.memcheck, limit: limit) == 2)
  }

  /// Each node's record is counted once a query. Points of a bucket have none, so an answer may have more clusters
  /// than nodes were looked at. Counted: 45.8, 86.5, 132.8 and 174.4, of answers of 7, 53, 263 and 76 clusters on
  /// average.
  @Test(arguments: [(20_000, 10, 51), (20_000, 100, 97), (20_000, 1000, 149), (400_000, 100, 196)])
  func queryTouchesFewNodes(pointCount: Int, limit: Int, most: Int) throws {
    let touched = try TouchedNodes(of: .clustered, count: pointCount, limit: limit)
    #expect(touched.clusters.max() == limit)
    #expect(touched.counts.allSatisfy { $0 > 0 } && touched.average <= Double(most), "\(touched)")
  }
}

import TestSupport
import Testing
import Treeline

@testable import Benchmarks

/// What is allocated and looked at. `InstructionCountTests` has instructions, and `scripts/bench` measures time.
///
/// Upper bounds lie an eighth or so above what was counted when they were set, with Swift 6.3 on x86-64.
@Suite(.serialized, .enabled(if: Valgrind.executable != nil, "valgrind is not installed")) struct PerformanceCountTests
{
  /// Arrays and not nodes are allocated, so that their number does not depend on that of the points; by least scatter,
  /// bins too, for groups of more than 128 points. Counted: 79 and 2,301.
  @Test(arguments: Trials.some(of: [(SplitRule.mean, 90), (.leastScatter, 2_600)]))
  func buildAllocatesArraysOnly(rule: SplitRule, most: Int) throws {
    let allocations = try Work.allocationsOfBuild(rule)
    #expect(6...most ~= allocations, "\(allocations) allocations")
  }

  /// The answer is one piece of memory, and what it is found with another.
  @Test(arguments: Trials.some(of: [100, 1000])) func queryAllocatesTwice(limit: Int) throws {
    #expect(try Work.allocationsOfQuery(limit: limit) == 2)
  }

  /// Each node's record is counted once a query. Points of a bucket have none, so an answer may have more clusters
  /// than nodes were looked at. Counted: 86.5, 45.8, 132.8 and 174.4, of answers of 53, 7, 263 and 76 clusters on
  /// average.
  @Test(
    arguments: Trials.some(
      of: [(20_000, 100, 97), (20_000, 10, 51), (20_000, 1000, 149), (400_000, 100, 196)]))
  func queryTouchesFewNodes(pointCount: Int, limit: Int, most: Int) throws {
    let touched = try TouchedNodes(of: .clustered, count: pointCount, limit: limit)
    #expect(touched.clusters.max() == limit)
    #expect(touched.counts.allSatisfy { $0 > 0 } && touched.average <= Double(most), "\(touched)")
  }
}

import TestSupport
import Testing
import Treeline

@testable import Benchmarks

/// Tests the number of allocations and the number of nodes that queries read. `InstructionCountTests` tests
/// instructions, and `scripts/bench` measures time.
///
/// The upper bounds are about an eighth above the numbers that were counted with Swift 6.3 on x86-64.
@Suite(.serialized, .enabled(if: Valgrind.executable != nil, "valgrind is not installed")) struct PerformanceCountTests
{
  /// A build allocates arrays, not nodes. So the number of allocations does not depend on the number of points. With
  /// the rule `leastScatter`, a build also allocates bins for groups of more than 128 points. Counted: 79 allocations
  /// with `mean`, and 2,301 with `leastScatter`.
  @Test(arguments: Trials.some(of: [(SplitRule.mean, 90), (.leastScatter, 2_600)]))
  func buildAllocatesArraysOnly(rule: SplitRule, most: Int) throws {
    let allocations = try Work.allocationsOfBuild(rule)
    #expect(6...most ~= allocations, "\(allocations) allocations")
  }

  /// The answer is one block of memory, and the state of the search is another block.
  @Test(arguments: Trials.some(of: [100, 1000])) func queryAllocatesTwice(limit: Int) throws {
    #expect(try Work.allocationsOfQuery(limit: limit) == 2)
  }

  /// A query counts each node's record only once. Points of a bucket have no record, so an answer may have more
  /// clusters than the number of nodes that the query read. Counted: 86.5 nodes for 53 clusters, 45.8 for 7, 132.8 for
  /// 263 and 174.4 for 76, all on average.
  @Test(
    arguments: Trials.some(
      of: [(20_000, 100, 97), (20_000, 10, 51), (20_000, 1000, 149), (400_000, 100, 196)]))
  func queryTouchesFewNodes(pointCount: Int, limit: Int, most: Int) throws {
    let touched = try TouchedNodes(of: .clustered, count: pointCount, limit: limit)
    #expect(touched.clusters.max() == limit)
    #expect(touched.counts.allSatisfy { $0 > 0 } && touched.average <= Double(most), "\(touched)")
  }
}

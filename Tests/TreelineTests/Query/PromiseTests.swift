import PointSets
import TestSupport
import Testing
@testable import Treeline
import TreelineBuilder

/// Checks promises about pairs of answers on random screens: 10,000 pairs for every way to cut a tree, in total over
/// all split rules. `scripts/measure/measures` checks as many pairs for each split rule and each set of real data.
@Suite struct PromiseTests {
  static let sets = [
    PointSet.cities(20_000, seed: 301), PointSet.cities(3_000, seed: 302), PointSet.random(seed: 303),
    PointSet.random(seed: 304), PointSet.random(seed: 305),
  ]

  /// Number of pairs for each combination of a set, a split rule and a way to cut.
  private static let pairsEach = Trials.count(10_000) / (sets.count * SplitRule.few.count) + 1

  @Test(arguments: sets, SplitRule.few) func zoomingRefinesPansKeepAndTransitionsAddUp(
    _ set: PointSet, _ rule: SplitRule
  ) throws {
    try check(tree(of: set, .splitting(rule)), "\(set), \(rule)")
  }

  @Test(arguments: sets, MergeMetric.allCases) func treesGrownByMergingKeepThemAsWell(
    _ set: PointSet, _ metric: MergeMetric
  ) throws {
    try check(tree(of: set, .merging(by: metric)), "\(set), merged by \(metric)")
  }

  /// Builds a tree. A small tree also answers queries with a spacing, as trees from old indexes do.
  private func tree(of set: PointSet, _ growth: Growth) throws -> ClusterTree {
    let options = BuildOptions(growth: growth, threads: 1)
    let tree = try ClusterTree(set.coordinates, as: set.projection, options: options)
    return set.coordinates.count <= 3000 ? try tree.withSeparations() : tree
  }

  private func check(_ tree: ClusterTree, _ set: String) throws {
    for kind in ScreenCut.Kind.all(of: tree) {
      let seed = UInt64(kind.description.count) &+ 7
      var screens = ScreenMaker(over: tree, seed: seed)
      var count = PromiseCount()
      for _ in 0..<Self.pairsEach { try count.add(kind, of: tree, &screens) }
      let name = "\(set), \(kind), seed \(seed)"
      #expect(count.nestednessViolations == 0, "\(name)")
      #expect(count.conservationViolations == 0, "\(name)")
      #expect(count.limitViolations == 0, "\(name)")
      #expect(count.continuingDistortion <= Cut.continuityFactor * (1 + 1e-9), "\(name)")
      if kind.isFixedOnPans {
        #expect(count.panPersistence == 1, "\(name)")
        #expect(count.eitherOnPan > 0, "nothing was seen: \(name)")
      }
    }
  }

  /// Checks that these counts can report violations: with a limit, clusters do get lost on a pan.
  @Test func aLimitDoesChangeOnAPan() throws {
    let tree = try ClusterTree(
      PointSet.cities(20_000, seed: 301).coordinates, options: BuildOptions(threads: 1))
    var screens = ScreenMaker(over: tree, seed: 306)
    var count = PromiseCount()
    for _ in 0..<200 { try count.add(.breadthFirst, of: tree, &screens) }
    #expect(count.panPersistence < 0.95)
    #expect(count.pairs == 200)
  }
}

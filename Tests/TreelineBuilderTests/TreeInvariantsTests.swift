import PointSets
import TestSupport
import Testing
import Treeline
@testable import TreelineBuilder

@Suite struct TreeInvariantsTests {
  @Test(arguments: PointSet.nasty, SplitRule.tested) func hold(of set: PointSet, _ rule: SplitRule) throws {
    let invariants = try TreeInvariants(TreeOutline(set.tree(rule)), of: set.coordinates)
    #expect(invariants.violations.prefix(5) == [])
  }

  @Test(arguments: Trials.seeds(150).map { PointSet.random(seed: $0) }, SplitRule.few) func holdOfRandomPoints(
    _ set: PointSet, _ rule: SplitRule
  ) throws {
    let invariants = try TreeInvariants(TreeOutline(set.tree(rule)), of: set.coordinates)
    #expect(invariants.violations.prefix(5) == [])
  }

  /// Tests so many points that every thread gets a share, and that sums exceed 64 bits.
  @Test(
    arguments: [
      PointSet.uniformWorld(30_000, seed: 21), .cities(30_000, seed: 22), .coarse(30_000, side: 90, seed: 23),
    ], SplitRule.few) func holdOfManyPointsOnSeveralThreads(_ set: PointSet, _ rule: SplitRule) throws
  {
    let invariants = try TreeInvariants(TreeOutline(set.tree(rule, threads: 3)), of: set.coordinates)
    #expect(invariants.violations.prefix(5) == [])
  }
}

/// Checks that `TreeInvariants` reports trees that break its conditions.
@Suite struct TreeInvariantsCheckerTests {
  let set = PointSet.cities(500, seed: 24)

  @Test func noticesRowsOfOtherCoordinates() throws {
    let outline = try TreeOutline(set.tree())
    var coordinates = set.coordinates
    coordinates.swapAt(0, 1)
    #expect(TreeInvariants(outline, of: coordinates).violations.contains { $0.contains("row 0 lies at") })
    #expect(
      TreeInvariants(outline, of: Array(coordinates.dropLast())).violations.contains { $0.contains("built from 499") })
  }

  @Test func noticesSplitsAcrossAnotherAxis() throws {
    let outline = try TreeOutline(set.tree(principalLevels: 2))
    let violations = TreeInvariants(outline, of: set.coordinates).violations
    #expect(violations.contains { $0.contains("belongs left") || $0.contains("belongs right") })
    #expect(!violations.contains { $0.contains("level 0") || $0.contains("level 1:") })
  }

  @Test func noticesSplitsByAnotherRule() throws {
    let tree = try set.tree()
    func faults(_ rule: SplitRule) throws -> [String] {
      let root = try #require(tree.root)
      let left = try tree.children(of: root.id)[0]
      return PrincipalSplit(of: tree.positions[...]).faults(left: left.range, by: rule)
    }
    #expect(try faults(.mean) == [])
    #expect(try faults(.leastScatter).contains { $0.contains("a split after") })
    #expect(try faults(.gamma(3)).contains { $0.contains("belongs") })
  }
}

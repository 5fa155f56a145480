import PointSets
import Testing
import Treeline
@testable import TreelineBuilder

/// Checks bounds of the depth. Below a certain level, nodes are halved along their longer side. This ends for any
/// data.
@Suite struct DepthTests {
  /// Number of levels below those split across principal axes: 32 halvings of each of the two sides, and the levels
  /// within buckets.
  static let levelsBelowPrincipal = 64 + 15

  @Test(arguments: PointSet.nasty, [0, 1, 5]) func isBoundedByHalving(_ set: PointSet, principalLevels: Int) throws {
    for rule in SplitRule.few {
      let outline = try TreeOutline(set.tree(rule, principalLevels: principalLevels))
      let invariants = TreeInvariants(outline, of: set.coordinates, principalLevels: principalLevels)
      #expect(invariants.violations.prefix(5) == [], "\(rule)")
      #expect(outline.depth <= principalLevels + Self.levelsBelowPrincipal, "\(rule)")
    }
  }

  @Test(arguments: [1, 2, 3]) func isBoundedByHalvingOnAnyNumberOfThreads(_ threads: Int) throws {
    let set = PointSet.cities(20_000, seed: 31)
    let outline = try TreeOutline(set.tree(threads: threads, principalLevels: 2))
    #expect(TreeInvariants(outline, of: set.coordinates, principalLevels: 2).violations.prefix(5) == [])
    #expect(try outline.tree.contentHash == set.tree(principalLevels: 2).contentHash)
  }

  @Test(
    arguments: [PointSet.Arms.alongX, .alongDiagonal, .spiral], [(1.0, 1), (1.15, 4000), (2, 10_000), (0.6, 60_000)])
  func isThatOfTheRangeForGeometricSpreads(_ arms: PointSet.Arms, _ growth: (Double, Int)) throws {
    let set = PointSet.geometricSpread(arms, growth: growth.0, largestStack: growth.1)
    for rule in SplitRule.few { try check(set, rule) }
  }

  private func check(_ set: PointSet, _ rule: SplitRule) throws {
    let outline = try TreeOutline(set.tree(rule))
    print(
      "\(set): \(rule), \(set.coordinates.count) points, \(outline.leaves.count) positions, \(outline.depth) levels")
    #expect(TreeInvariants(outline, of: set.coordinates).violations.prefix(5) == [])
    // In the worst case, the 31 positions are split off one by one.
    #expect(outline.leaves.count == 31 && (5...30).contains(outline.depth))
  }

  @Test func aHundredThousandPointsAtOnePositionAreOneStack() throws {
    let set = PointSet.coincident(100_000)
    for threads in [1, 4] {
      let tree = try set.tree(threads: threads)
      let root = try #require(tree.root)
      #expect(root.isStack && root.pointCount == 100_000)
      #expect(try tree.children(of: root.id).isEmpty)
      #expect(Array(tree.members(of: root)) == Array(0..<100_000))
      #expect(try Array(tree.clusters(.limit(10), in: Viewport(.world))) == [root])
    }
  }

  @Test func aHundredThousandPointsAtTwoPositionsAreTwoStacks() throws {
    let tree = try PointSet.twoStacks(60_000, 40_000).tree(threads: 2)
    let clusters = try tree.clusters(.limit(.max), in: Viewport(.world))
    #expect(clusters.map(\.pointCount) == [60_000, 40_000] && clusters.allSatisfy(\.isStack))
    #expect(clusters.allSatisfy { zip(tree.members(of: $0), tree.members(of: $0).dropFirst()).allSatisfy(<) })
  }
}

import PointSets
import TestSupport
import Testing
@testable import Treeline

/// Checks where clusters are shown: at their mean or at a member. A cluster is never shown outside a window that shows
/// one of its members.
@Suite struct ShownPositionTests {
  static let sets = PointSet.nasty + Trials.seeds(30, from: 1300).map { PointSet.random(seed: $0) }

  @Test(arguments: sets) func isThatOfTheRuleUnlessItIsHidden(_ set: PointSet) throws {
    let tree = try set.tree()
    var random = SplitMix64(seed: 511)
    for _ in 0..<Trials.count(20) {
      let window = PlaneWindow.random(over: tree, &random)
      for cluster in try tree.clusters(.limit(1 + random.index(below: 40)), in: window) {
        let mean = try tree.shownPosition(of: cluster)
        #expect(mean.x == cluster.meanX && mean.y == cluster.meanY && mean.treeIndex == nil)
        #expect(mean.coordinate == cluster.coordinate)
        let member = try tree.shownPosition(of: cluster, at: .member)
        #expect(try member.treeIndex == tree.nearestMember(of: cluster.id))
        for (rule, own) in [(ShownPosition.Rule.mean, mean), (.member, member)] {
          let kept = try tree.shownPosition(of: cluster, at: rule, keptVisibleInWindow: window)
          #expect(window.contains(x: kept.x, y: kept.y), "\(cluster) in \(window), seed 511")
          if window.contains(x: own.x, y: own.y) {
            #expect(kept == own)
          } else {
            #expect(try kept.treeIndex == tree.nearestMember(of: cluster.id, in: window))
          }
          guard let index = kept.treeIndex else { continue }
          let point = tree.position(atTreeIndex: index)
          #expect(cluster.range.contains(index) && window.contains(point))
          #expect(kept.x == Double(point.x) && kept.y == Double(point.y))
        }
      }
    }
  }

  /// A window that shows no member of a cluster does not move the cluster.
  @Test func whatIsNotSeenIsShownWhereTheRuleSays() throws {
    let tree = try PointSet("two", [Coordinate(x: 0, y: 0), Coordinate(x: 4, y: 0)], as: .planar).tree()
    let root = try #require(tree.root)
    for box in [BoundingBox(west: 1, south: 0, east: 1.5, north: 0), BoundingBox(west: 9, south: 9, east: 9, north: 9)]
    {
      let shown = try tree.shownPosition(of: root, keptVisibleIn: box)
      #expect(shown.treeIndex == nil && abs(shown.coordinate.x - 2) < 1e-8)
    }
    let east = BoundingBox(west: 3, south: 0, east: 4, north: 0)
    let shown = try tree.shownPosition(of: root, keptVisibleIn: east)
    #expect(try shown.coordinate.x == 4 && tree.row(atTreeIndex: #require(shown.treeIndex)) == 1)
  }

  /// Checks that a window contains fractions of a unit in the same way as whole units, also beyond the seam.
  @Test func windowsHoldWhatLiesBetweenUnits() {
    let across = PlaneWindow(x: .max - 4, width: 9, minY: 3, maxY: 5)
    for (x, isInside) in [(UInt32.max - 5, false), (.max - 4, true), (.max, true), (0, true), (4, true), (5, false)] {
      #expect(across.contains(x: Double(x), y: 3) == isInside)
      #expect(across.contains(PlanePoint(x: x, y: 3)) == isInside)
    }
    #expect(across.contains(x: 0x1p32 - 0.5, y: 4.5) && across.contains(x: 3.75, y: 5))
    #expect(!across.contains(x: 4.25, y: 4) && !across.contains(x: 1, y: 5.25))
    #expect(PlaneWindow.everything.contains(x: 0x1p32 - 1, y: 0x1p32 - 1))
  }
}

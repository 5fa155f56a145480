import PointSets
import TestSupport
import Testing
@testable import Treeline

/// Checks, for every cluster of a tree, which member is nearest to the mean. Compares with all members, one by one.
@Suite struct NearestMemberExhaustiveTests {
  @Test(arguments: PointSet.nasty, SplitRule.few) func isThatOfTheDefinition(_ set: PointSet, _ rule: SplitRule) throws
  { try check(set, rule, seed: 501) }

  @Test(arguments: Trials.seeds(60, from: 1200).map { PointSet.random(seed: $0) })
  func isThatOfTheDefinitionOverRandomPoints(
    _ set: PointSet
  ) throws { try check(set, .mean, seed: 502) }

  /// Checks that the first member is chosen if all members are equally near. All of them are in the queue.
  @Test func ofManyEquallyNearItIsTheFirst() throws {
    let corners = [(0, 0), (0, 2), (2, 0), (2, 2)].map { PlanePoint(x: 1 << 31 + $0.0, y: 1 << 31 + $0.1) }
    let tree = try PointSet("four corners", onPlane: corners + corners).tree()
    #expect(try tree.nearestMember(of: tree.root!.id) == 0)
  }

  private func check(_ set: PointSet, _ rule: SplitRule, seed: UInt64) throws {
    let outline = try set.outline(rule)
    let tree = outline.tree
    let positions = tree.positions
    var random = SplitMix64(seed: seed)
    for entry in outline.entries {
      let (id, range) = (entry.cluster.id, entry.cluster.range)
      let all = nearest(positions, range, .everything)
      #expect(try tree.nearestMember(of: id) == all, "\(range), seed \(seed)")
      let window = PlaneWindow.random(over: tree, &random)
      let expected = nearest(positions, range, window)
      #expect(try tree.nearestMember(of: id, in: window) == expected, "\(range), \(window), seed \(seed)")
    }
  }

  private func nearest(_ positions: [PlanePoint], _ range: Range<Int>, _ window: PlaneWindow) -> Int? {
    let count = Int128(range.count)
    let members = positions[range]
    let sumX = members.reduce(Int128(0)) { $0 + Int128($1.x) }
    let sumY = members.reduce(Int128(0)) { $0 + Int128($1.y) }
    return range.filter { window.contains(positions[$0]) }.min { a, b in
      func squared(_ index: Int) -> Int128 {
        let (x, y) = (count * Int128(positions[index].x) - sumX, count * Int128(positions[index].y) - sumY)
        return x * x + y * y
      }
      return (squared(a), a) < (squared(b), b)
    }
  }
}

import PointSets
import TestSupport
import Testing
@_spi(Server) @testable import Treeline
import TreelineBuilder

/// Checks transitions between any two answers of a tree against their definition.
@Suite struct TransitionTests {
  @Test(arguments: PointSet.nasty + (700..<780).map { PointSet.random(seed: UInt64($0)) }, SplitRule.few)
  func everyClusterOccursOnceAndCountsAddUp(_ set: PointSet, _ rule: SplitRule) throws {
    let tree = try set.tree(rule, hasSeparations: true)
    var random = SplitMix64(seed: 131)
    for _ in 0..<Trials.count(75) {
      let from = try Self.answer(of: tree, &random)
      let to = try Self.answer(of: tree, after: from, &random)
      check(ClusterTransition(from: from, to: to), from, to)
    }
  }

  /// Returns a random answer, of any kind and in any window.
  private static func answer(of tree: ClusterTree, after previous: Clusters? = nil, _ random: inout SplitMix64) throws
    -> Clusters
  {
    let window = random.index(below: 4) == 0 ? .everything : PlaneWindow.random(over: tree, &random)
    let (limit, zoom) = (1 + random.index(below: 40), random.number(from: -2, to: 24))
    let pixels = random.number(from: 0, to: 200)
    let cap = random.index(below: 2) == 0 ? limit : .max
    let alone = UnclusteredPoints(
      leastMembers: [2, 2, 9][random.index(below: 3)], fromZoom: [.infinity, 12][random.index(below: 2)])
    let order = ExpansionOrder.allCases[random.index(below: ExpansionOrder.allCases.count)]
    switch random.index(below: 4) {
    case 0: return try tree.clusters(.limit(limit, order: order), in: window)
    case 1: return try tree.clusters(.detail(pixels).atMost(cap).unclustered(alone), in: window, zoom: zoom)
    case 2: return try tree.clusters(.spacing(pixels).atMost(cap).unclustered(alone), in: window, zoom: zoom)
    default:
      return try tree.clusters(
        .limit(limit, order: order, continuity: .continuing), in: window, after: previous ?? tree.noClusters)
    }
  }

  private func check(_ transition: ClusterTransition, _ from: Clusters, _ to: Clusters) {
    let kept = Set(from.map(\.id)).intersection(to.map(\.id))
    #expect(transition.kept.map(\.id) == from.map(\.id).filter(kept.contains))
    #expect(transition.added.map(\.id) == to.map(\.id).filter { !kept.contains($0) })
    #expect(transition.removed.map(\.id) == from.map(\.id).filter { !kept.contains($0) })
    let old = transition.kept + transition.splits.map(\.whole) + transition.merges.flatMap(\.parts) + transition.exited
    let new = transition.kept + transition.merges.map(\.whole) + transition.splits.flatMap(\.parts) + transition.entered
    #expect(old.map(\.id).sorted() == from.map(\.id).sorted())
    #expect(new.map(\.id).sorted() == to.map(\.id).sorted())
    for replacement in transition.splits + transition.merges {
      #expect(replacement.parts.allSatisfy(replacement.whole.isAncestor) && !replacement.parts.isEmpty)
      #expect(
        replacement.parts.reduce(replacement.hiddenPointCount) { $0 + $1.pointCount } == replacement.whole.pointCount)
      #expect(replacement.hiddenPointCount >= 0)
    }
    for cluster in transition.exited { #expect(!to.contains { $0.range.overlaps(cluster.range) }) }
    for cluster in transition.entered { #expect(!from.contains { $0.range.overlaps(cluster.range) }) }
  }

  @Test func nothingChangesFromAnAnswerToItself() throws {
    let tree = try PointSet.cities(500, seed: 132).tree()
    let answer = try tree.clusters(.limit(40), in: PlaneWindow.everything)
    let transition = ClusterTransition(from: answer, to: answer)
    #expect(transition.kept == answer)
    #expect(transition.splits.isEmpty && transition.merges.isEmpty)
    #expect(transition.added.isEmpty && transition.removed.isEmpty)
  }

  @Test func backwardsIsTheSameTheOtherWayRound() throws {
    let tree = try PointSet.cities(3000, seed: 133).tree(supporting: .spacing)
    var random = SplitMix64(seed: 134)
    for _ in 0..<Trials.count(100) {
      let (from, to) = (try Self.answer(of: tree, &random), try Self.answer(of: tree, &random))
      let (forth, back) = (ClusterTransition(from: from, to: to), ClusterTransition(from: to, to: from))
      #expect(forth.splits.map(\.whole) == back.merges.map(\.whole))
      #expect(forth.entered == back.exited)
      #expect(forth.kept == back.kept)
    }
  }

  /// Checks that, in every answer that shows a point, the cluster that contains the point is found.
  @Test(arguments: PointSet.nasty) func theClusterThatHoldsAPointIsFound(_ set: PointSet) throws {
    let tree = try set.tree(supporting: .spacing)
    var random = SplitMix64(seed: 135)
    for _ in 0..<Trials.count(20) {
      let answer = try Self.answer(of: tree, &random)
      for index in 0..<tree.pointCount {
        #expect(answer.firstIndex(containingTreeIndex: index) == answer.firstIndex { $0.range.contains(index) })
      }
    }
  }
}

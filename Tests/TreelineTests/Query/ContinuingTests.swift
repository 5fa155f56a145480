import PointSets
import Testing
import TreelineBuilder

@testable import Treeline

/// Answers that continue a previous one: what holds of any answer, that they are as steady as they may be, and never much
/// wider than a fresh one.
@Suite struct ContinuingTests {
  static let sets = PointSet.nasty + (900..<930).map { PointSet.random(seed: UInt64($0)) }

  @Test(arguments: sets, SplitRule.few)
  func answersKeepWhatIsPromised(_ set: PointSet, _ rule: SplitRule) throws {
    let outline = try set.outline(rule)
    let tree = outline.tree
    var random = SplitMix64(seed: 161)
    var shown = tree.noClusters
    for step in 0..<30 {
      let window = PlaneWindow.random(over: tree, &random)
      let limit = 1 + random.index(below: 40)
      let order = ExpansionOrder.allCases[random.index(below: 3)]
      let fresh = try tree.clusters(in: window, limit: limit, order: order)
      let answer = try tree.clusters(in: window, limit: limit, continuing: shown, order: order)
      let name = "step \(step): \(window), limit \(limit), \(order)"
      let oracle = QueryOracle(outline, window)
      #expect(answer.count <= limit, "\(name)")
      #expect(answer.allSatisfy { oracle.isVisible($0.range) }, "\(name)")
      #expect(
        zip(answer, answer.dropFirst()).allSatisfy { $0.range.upperBound <= $1.range.lowerBound }, "\(name)")
      let covered = answer.reduce(0) { $0 + oracle.insideCount(of: $1.range) }
      #expect(covered == oracle.insideCount, "\(name)")
      for cluster in answer { #expect(try tree.cluster(cluster.id) == cluster, "\(name)") }
      let most = scatter(of: fresh) * ClusterTree.continuityFactor * ClusterTree.continuityFactor
      #expect(scatter(of: answer) <= most * (1 + 1e-9), "\(name)")
      shown = answer
    }
  }

  private func scatter(of clusters: Clusters) -> Double {
    clusters.reduce(0) { $0 + Double($1.pointCount) * $1.radius * $1.radius }
  }

  @Test(arguments: sets)
  func theSameViewChangesNothingAndNothingBeforeIsAFreshAnswer(_ set: PointSet) throws {
    let tree = try set.tree()
    var random = SplitMix64(seed: 162)
    for _ in 0..<20 {
      let window = PlaneWindow.random(over: tree, &random)
      let limit = 1 + random.index(below: 40)
      let fresh = try tree.clusters(in: window, limit: limit)
      #expect(try tree.clusters(in: window, limit: limit, continuing: tree.noClusters) == fresh)
      #expect(try tree.clusters(in: window, limit: limit, continuing: fresh) == fresh)
    }
  }

  /// What it is for: of the clusters that a pan by a tenth of the screen leaves in view, far more stay than of fresh answers.
  @Test func mostClustersSurviveAPan() throws {
    let tree = try PointSet.cities(20_000, seed: 301).tree()
    var (screens, fresh, continued) = (ScreenMaker(over: tree, seed: 163), PromiseCount(), PromiseCount())
    for _ in 0..<300 {
      let limit = 20 + screens.number(below: 200)
      let screen = screens.next()
      let beside = screens.beside(screen)
      let shown = try tree.clusters(in: screen.window, limit: limit)
      try fresh.addPan(
        shown, on: screen, try tree.clusters(in: beside.window, limit: limit), on: beside, of: tree)
      try continued.addPan(
        shown, on: screen, try tree.clusters(in: beside.window, limit: limit, continuing: shown), on: beside,
        of: tree)
    }
    let (kept, keptFresh) = (continued.panPersistence, fresh.panPersistence)
    #expect(kept > 0.8 && kept > keptFresh + 0.05, "\(kept), fresh \(keptFresh)")
  }

  @Test func aLimitBelowOneIsAnError() throws {
    let tree = try PointSet.random(seed: 900).tree()
    #expect(throws: QueryError.limitBelowOne(found: 0)) {
      try tree.clusters(in: PlaneWindow.everything, limit: 0, continuing: tree.noClusters)
    }
  }
}

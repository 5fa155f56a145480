import PointSets
import TestSupport
import Testing
import TreelineBuilder

@_spi(Server) @testable import Treeline

/// Checks answers that continue a previous answer. They keep the promises of every answer and change as little as
/// possible. Their clusters are never much wider than those of a fresh answer.
@Suite struct ContinuingTests {
  static let sets = PointSet.nasty + (900..<930).map { PointSet.random(seed: UInt64($0)) }

  @Test(arguments: sets, SplitRule.few) func answersKeepWhatIsPromised(_ set: PointSet, _ rule: SplitRule) throws {
    let outline = try set.outline(rule)
    let tree = outline.tree
    var random = SplitMix64(seed: 161)
    var shown = tree.noClusters
    for step in 0..<Trials.count(30) {
      let window = PlaneWindow.random(over: tree, &random)
      let limit = 1 + random.index(below: 40)
      let order = ExpansionOrder.allCases[random.index(below: 3)]
      let fresh = try tree.clusters(.limit(limit, order: order), in: window)
      let answer = try tree.clusters(.limit(limit, order: order, continuity: .continuing), in: window, after: shown)
      let name = "step \(step): \(window), limit \(limit), \(order)"
      let oracle = QueryOracle(outline, window)
      #expect(answer.count <= limit, "\(name)")
      #expect(answer.allSatisfy { oracle.isVisible($0.range) }, "\(name)")
      #expect(zip(answer, answer.dropFirst()).allSatisfy { $0.range.upperBound <= $1.range.lowerBound }, "\(name)")
      let covered = answer.reduce(0) { $0 + oracle.insideCount(of: $1.range) }
      #expect(covered == oracle.insideCount, "\(name)")
      for cluster in answer { #expect(try tree.cluster(cluster.id) == cluster, "\(name)") }
      let most = scatter(of: fresh) * Cut.continuityFactor * Cut.continuityFactor
      #expect(scatter(of: answer) <= most * (1 + 1e-9), "\(name)")
      shown = answer
    }
  }

  private func scatter(of clusters: Clusters) -> Double {
    clusters.reduce(0) { $0 + Double($1.pointCount) * $1.planeRadius * $1.planeRadius }
  }

  /// Checks answers of small trees against all cuts. An answer keeps as many clusters of the previous answer as the
  /// limit allows. Among all cuts that keep this number, the query returns the cut with the least scatter. If that cut
  /// scatters too much, the query returns a cut that keeps fewer clusters. Then hardly any cut that scatters little
  /// enough keeps more clusters than this cut.
  @Test(arguments: SplitRule.few) func asManyAreKeptAsCanBe(_ rule: SplitRule) throws {
    var (plain, tight, missed) = (0, 0, 0)
    let seeds = Trials.seeds(50, from: 910, atLeast: 50)
    for seed in seeds {
      let set = PointSet.cities(4 + Int(seed % 15), seed: seed)
      let outline = try set.outline(rule)
      let tree = outline.tree
      var random = SplitMix64(seed: 164)
      var shown = tree.noClusters
      for step in 0..<40 {
        let window = PlaneWindow.random(over: tree, &random)
        let limit = 1 + random.index(below: 9)
        let order = ExpansionOrder.allCases[random.index(below: 3)]
        let fresh = try tree.clusters(.limit(limit, order: order), in: window)
        let answer = try tree.clusters(.limit(limit, order: order, continuity: .continuing), in: window, after: shown)
        let name = "\(set), step \(step), limit \(limit), \(order), seed 164"
        let brute = AllCuts(of: outline, in: window, continuing: shown, or: fresh)
        let most = scatter(of: fresh) * Cut.continuityFactor * Cut.continuityFactor
        let found = brute.measured(Array(answer))
        let all = brute.cuts.filter { $0.count <= limit }
        let kept = try #require(all.map(\.kept).max() ?? (fresh.isEmpty ? 0 : nil))
        let least = all.filter { $0.kept == kept && $0.isOfBoth }.map(\.scatter).min() ?? 0
        if least <= most {
          #expect(found.kept == kept, "\(name)")
          #expect(abs(found.scatter - least) <= least * 1e-9, "\(name)")
          plain += 1
        } else {
          let kept = all.filter { $0.scatter <= most }.map(\.kept).max() ?? 0
          #expect(found.kept <= kept, "\(name)")
          missed += kept - found.kept
          tight += 1
        }
        shown = answer
      }
    }
    #expect(plain > 10 * seeds.count && tight > 2 * seeds.count, "\(plain) and \(tight)")
    #expect(missed * 20 < tight, "\(missed) clusters of \(tight) answers")
  }

  @Test(arguments: sets) func theSameViewChangesNothingAndNothingBeforeIsAFreshAnswer(_ set: PointSet) throws {
    let tree = try set.tree()
    var random = SplitMix64(seed: 162)
    for _ in 0..<Trials.count(20) {
      let window = PlaneWindow.random(over: tree, &random)
      let limit = 1 + random.index(below: 40)
      let fresh = try tree.clusters(.limit(limit), in: window)
      #expect(try tree.clusters(.limit(limit, continuity: .continuing), in: window, after: tree.noClusters) == fresh)
      #expect(try tree.clusters(.limit(limit, continuity: .continuing), in: window, after: fresh) == fresh)
    }
  }

  /// Checks the purpose of continued answers. Pans the map by a tenth of the screen, and compares the clusters that
  /// stay in view: a continued answer keeps far more of them than a fresh answer.
  @Test func mostClustersSurviveAPan() throws {
    let tree = try PointSet.cities(20_000, seed: 301).tree()
    var (screens, fresh, continued) = (ScreenMaker(over: tree, seed: 163), PromiseCount(), PromiseCount())
    for _ in 0..<Trials.count(300, atLeast: 300) {
      let limit = 20 + screens.number(below: 200)
      let screen = screens.next()
      let beside = screens.beside(screen)
      let shown = try tree.clusters(.limit(limit), in: screen.window)
      try fresh.addPan(shown, on: screen, try tree.clusters(.limit(limit), in: beside.window), on: beside, of: tree)
      try continued.addPan(
        shown, on: screen, try tree.clusters(.limit(limit, continuity: .continuing), in: beside.window, after: shown),
        on: beside, of: tree)
    }
    let (kept, keptFresh) = (continued.panPersistence, fresh.panPersistence)
    #expect(kept > 0.8 && kept > keptFresh + 0.05, "\(kept), fresh \(keptFresh)")
  }

  @Test func aLimitBelowOneIsAnError() throws {
    let tree = try PointSet.random(seed: 900).tree()
    #expect(throws: QueryError.limitBelowOne(found: 0)) {
      try tree.clusters(.limit(0, continuity: .continuing), in: PlaneWindow.everything, after: tree.noClusters)
    }
  }
}

/// All cuts of a tree, that is, all possible answers.
private struct AllCuts {
  struct Cut {
    var count: Int
    var kept: Int
    var scatter: Double
    /// Whether each cluster of the cut equals or contains one of the `finest` clusters.
    var isOfBoth: Bool
  }

  private(set) var cuts: [Cut] = []
  private let shown: Set<ClusterID>
  private let finest: [Range<Int>]

  init(of outline: TreeOutline, in window: PlaneWindow, continuing previous: Clusters, or fresh: Clusters) {
    let oracle = QueryOracle(outline, window)
    shown = Set(previous.map(\.id))
    let old = previous.map(\.range).filter(oracle.isVisible)
    func hasOld(_ range: Range<Int>) -> Bool { old.contains { $0.overlaps(range) } }
    // Adds the largest clusters that lie in a cluster of the fresh answer and share no point with the previous clusters
    // in view.
    var finest = old
    for entry in outline.entries where oracle.isVisible(entry.cluster.range) && !hasOld(entry.cluster.range) {
      let range = entry.cluster.range
      let isFresh = fresh.contains { $0.id == entry.cluster.id }
      let isPart = fresh.contains { $0.isAncestor(of: entry.cluster) }
      if isFresh || isPart && hasOld(outline.entries[entry.parent!].cluster.range) { finest.append(range) }
    }
    self.finest = finest
    func all(_ entry: Int) -> [[Cluster]] {
      let children = outline.entries[entry].children.filter { oracle.isVisible(outline.entries[$0].cluster.range) }
      guard var parts = children.first.map(all) else { return [[outline.entries[entry].cluster]] }
      if children.count == 2 {
        let others = all(children[1])
        parts = parts.flatMap { part in others.map { part + $0 } }
      }
      return [[outline.entries[entry].cluster]] + parts
    }
    if let root = outline.entries.first, oracle.isVisible(root.cluster.range) { cuts = all(0).map(measured) }
  }

  func measured(_ cut: [Cluster]) -> Cut {
    Cut(
      count: cut.count, kept: cut.count { shown.contains($0.id) },
      scatter: cut.reduce(0) { $0 + Double($1.pointCount) * $1.planeRadius * $1.planeRadius },
      isOfBoth: cut.allSatisfy { cluster in finest.contains { cluster.range.contains($0) } })
  }
}

extension Range<Int> {
  fileprivate func contains(_ other: Range) -> Bool { lowerBound <= other.lowerBound && other.upperBound <= upperBound }
}

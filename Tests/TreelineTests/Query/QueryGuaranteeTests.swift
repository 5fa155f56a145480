import PointSets
import TestSupport
import Testing
@testable import Treeline

/// Checks the promises of a query against the points, one by one. See `QueryOracle`.
@Suite struct QueryGuaranteeTests {
  static let limits = [1, 2, 3, 7, 20, 100, 1000, Int.max]

  @Test(arguments: PointSet.nasty, SplitRule.few) func holdInAnyBox(_ set: PointSet, _ rule: SplitRule) throws {
    try check(set, rule, seed: 101, boxes: Trials.count(rule == .mean ? 60 : 20))
  }

  @Test(arguments: Trials.seeds(100, from: 200).map { PointSet.random(seed: $0) }) func holdOverRandomPoints(
    _ set: PointSet
  )
    throws
  { try check(set, .mean, seed: 102, boxes: 20) }

  private func check(_ set: PointSet, _ rule: SplitRule, seed: UInt64, boxes count: Int) throws {
    let outline = try set.outline(rule)
    var boxes = BoxMaker(for: set, seed: seed)
    var random = SplitMix64(seed: seed)
    for _ in 0..<count {
      let box = boxes.next()
      let window = try outline.tree.plane.window(showing: box)
      let oracle = QueryOracle(outline, window)
      #expect(try outline.tree.pointCount(in: Viewport(box)) == oracle.insideCount, "\(box)")
      for limit in [Self.limits[random.index(below: Self.limits.count)], 1 + random.index(below: 50)] {
        let answer = try Array(outline.tree.clusters(.limit(limit), in: Viewport(box)))
        #expect(oracle.violations(of: answer, limit: limit).prefix(5) == [], "\(box), limit \(limit)")
        #expect(answer == oracle.breadthFirst(limit: limit), "\(box), limit \(limit)")
        if let window { #expect(try Array(outline.tree.clusters(.limit(limit), in: window)) == answer) }
      }
    }
  }

  /// Checks windows in units of the plane. Their edges pass through points, and their corners may be corners of the
  /// plane.
  @Test(arguments: PointSet.nasty) func holdInAnyWindow(_ set: PointSet) throws {
    let outline = try set.outline()
    var random = SplitMix64(seed: 103)
    for window in [.everything] + (0..<40).map({ _ in PlaneWindow.random(over: outline.tree, &random) }) {
      let oracle = QueryOracle(outline, window)
      let limit = 1 + random.index(below: 40)
      let answer = try Array(outline.tree.clusters(.limit(limit), in: window))
      #expect(oracle.violations(of: answer, limit: limit).prefix(5) == [], "\(window), limit \(limit)")
      #expect(answer == oracle.breadthFirst(limit: limit), "\(window), limit \(limit)")
    }
  }

  /// Checks that a query without a limit shows every position. A query uses up any limit: each step adds at most one
  /// cluster, so it reaches every number of clusters.
  @Test(arguments: PointSet.nasty) func noLimitGivesEveryPosition(_ set: PointSet) throws {
    let outline = try set.outline()
    let answer = try Array(outline.tree.clusters(.limit(.max), in: PlaneWindow.everything))
    #expect(answer == outline.leaves.map(\.cluster))
    #expect(answer.reduce(0) { $0 + $1.pointCount } == set.coordinates.count)
    #expect(answer.allSatisfy { $0.rect.isPoint })
  }
}

/// Checks that the oracle finds faults. Otherwise tests with the oracle would prove nothing.
@Suite struct QueryOracleTests {
  @Test func noticesBrokenAnswers() throws {
    let outline = try PointSet.cities(300, seed: 104).outline()
    let oracle = QueryOracle(outline, .everything)
    let answer = try Array(outline.tree.clusters(.limit(10), in: PlaneWindow.everything))
    #expect(oracle.violations(of: answer, limit: 10) == [])
    #expect(oracle.violations(of: answer, limit: 9).contains { $0.contains("exceed") })
    #expect(oracle.violations(of: answer, limit: 11).contains { $0.contains("could still be expanded") })
    #expect(oracle.violations(of: answer.reversed(), limit: 10).contains { $0.contains("out of tree order") })
    #expect(oracle.violations(of: Array(answer.dropLast()), limit: 10).contains { $0.contains("points inside") })
    let corner = PlaneWindow(x: 0, width: 0, minY: 0, maxY: 0)
    #expect(QueryOracle(outline, corner).violations(of: answer, limit: 10).contains { $0.contains("no point inside") })
    let other = try Array(PointSet.cities(300, seed: 105).tree().clusters(.limit(10), in: PlaneWindow.everything))
    #expect(oracle.violations(of: other, limit: 10).contains { $0.contains("does not belong") })
  }

  /// Checks answers with so many nodes that a query does not copy them at every level. Most nodes are finished early,
  /// while the tree goes on for hundreds of levels.
  @Test(arguments: [1_100, 1_500, 2_030, .max]) func largeAnswersOfDeepTreesComeInTreeOrder(_ limit: Int) throws {
    let deep = PointSet.lattice(columns: 50, rows: 40).coordinates + PointSet.geometricSpread(.spiral).coordinates
    for set in [PointSet("a lattice and a spiral", deep), .cities(4_000, seed: 104), .cities(1_800, seed: 105)] {
      let outline = try set.outline()
      let oracle = QueryOracle(outline, .everything)
      let answer = try Array(outline.tree.clusters(.limit(limit), in: PlaneWindow.everything))
      #expect(answer == oracle.breadthFirst(limit: limit), "\(set), limit \(limit)")
    }
  }
}

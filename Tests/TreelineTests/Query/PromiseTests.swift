import PointSets
import Testing
import Treeline
import TreelineBuilder

/// The promises of pairs of answers over thousands of random screens, for every rule by which a tree is split and every way
/// to cut it.
@Suite struct PromiseTests {
  /// Of each set, rule and way to cut, so that there are some 10,000 of all.
  private static let pairsEach = 200

  static let sets = [
    PointSet.cities(20_000, seed: 301), PointSet.cities(3_000, seed: 302), PointSet.random(seed: 303),
    PointSet.random(seed: 304), PointSet.random(seed: 305),
  ]

  @Test(arguments: sets, SplitRule.few)
  func zoomingRefinesPansKeepAndTransitionsAddUp(_ set: PointSet, _ rule: SplitRule) throws {
    let options = BuildOptions(splitRule: rule, threads: 1, findsSeparations: true)
    let tree = try ClusterTree(set.places, as: set.projection, options: options)
    for kind in ScreenCut.Kind.allCases {
      let seed = UInt64(kind.rawValue.count) &+ 7
      var screens = ScreenMaker(over: tree, seed: seed)
      var count = PromiseCount()
      for _ in 0..<Self.pairsEach { try count.add(kind, of: tree, &screens) }
      #expect(count.nestednessViolations == 0, "\(set), \(rule), \(kind), seed \(seed)")
      #expect(count.conservationViolations == 0, "\(set), \(rule), \(kind), seed \(seed)")
      if kind == .detail || kind == .spacing {
        #expect(count.panPersistence == 1, "\(set), \(rule), \(kind), seed \(seed)")
        #expect(count.eitherOnPan > 0, "nothing was seen: \(set), \(rule), \(kind), seed \(seed)")
      }
    }
  }

  /// A count that could not fail would prove nothing: a limit does lose clusters on a pan, and answers at other limits are
  /// not nested.
  @Test func aLimitDoesChangeOnAPan() throws {
    let tree = try PointSet.cities(20_000, seed: 301).tree()
    var screens = ScreenMaker(over: tree, seed: 306)
    var count = PromiseCount()
    for _ in 0..<200 { try count.add(.breadthFirst, of: tree, &screens) }
    #expect(count.panPersistence < 0.95)
    #expect(count.pairs == 200)
  }
}

import PointSets
import Testing
@testable import Treeline
import TreelineBuilder

/// Checks that an index keeps the split rule of its tree, and that verification checks the tree by this rule.
@Suite struct SplitRuleTests {
  @Test(arguments: SplitRule.tested) func ruleIsKept(_ rule: SplitRule) throws {
    for set in [PointSet.none, .one] + PointSet.nasty {
      let tree = try set.tree(rule)
      let index = IndexBytes(try tree.indexBytes())
      let opened = try index.open()
      #expect(opened.splitRule == rule && opened.contentHash == tree.contentHash, "\(set)")
      #expect(try index.problems() == [], "\(set)")
    }
  }

  /// Tests indexes that name another rule than the rule by which their tree was split. All checksums are correct.
  @Test(
    arguments: [
      (SplitRule.mean, 2, 0, "node of points 0..<500: expected a scatter of at least"),
      (.mean, 3, 24, "node of points 0..<500: expected a split along the principal axis at the weighted mean"),
      (.leastScatter, 1, 0, "node of points 0..<500: expected a split along the principal axis at the mean"),
      (.gamma(3), 3, 4, "node of points 0..<500: expected a split along the principal axis at the weighted mean"),
      (.gamma(3), 1, 0, "node of points 0..<500: expected a split along the principal axis at the mean"),
    ] as [(SplitRule, UInt32, UInt32, String)]) func aRuleThatIsNotTheTreesIsReported(
      _ rule: SplitRule, kind: UInt32, eighths: UInt32, problem: String
    ) throws
  {
    var editor = try IndexEditor(PointSet.cities(500, seed: 57).tree(rule).indexBytes())
    editor.store(kind, at: 80)
    editor.store(eighths, at: 84)
    let problems = try editor.forged().problems().map { "\($0)" }
    #expect(problems.contains { $0.hasPrefix(problem) }, "\(problems.prefix(3))")
  }

  /// Swaps two points that lie on opposite sides of the root's split.
  @Test(arguments: SplitRule.few) func orderThatIsNotCanonicalIsReported(_ rule: SplitRule) throws {
    var editor = try IndexEditor(PointSet.nullIsland(stack: 18, noise: 32, seed: 5).tree(rule).indexBytes())
    let (first, last) = (editor.offset(of: .points), editor.offset(of: .points) + 8 * 49)
    let (a, b) = (editor.number(at: first, as: UInt64.self), editor.number(at: last, as: UInt64.self))
    editor.store(b, at: first)
    editor.store(a, at: last)
    let problems = try editor.repaired().problems().map { "\($0)" }
    #expect(problems.contains { $0.hasPrefix("node of points 0..<50: expected ") }, "\(problems)")
  }

  /// Split rules and merge metrics are numbered in one sequence. Checks that no two of them have the same number.
  @Test func everyGrowthHasANumberOfItsOwn() {
    let growths = SplitRule.few.map(Growth.splitting) + MergeMetric.allCases.map(Growth.merging)
    #expect(Set(growths.map(\.rawKind)).count == growths.count)
  }
}

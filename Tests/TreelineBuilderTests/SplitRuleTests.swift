import PointSets
import Testing
@testable import Treeline
@testable import TreelineBuilder

/// Checks the split rules as values: their names, their range, and their effect in a builder.
@Suite struct SplitRuleTests {
  @Test func namesAreReadBack() {
    #expect(SplitRule.tested.map(\.description).prefix(4) == ["mean", "least-scatter", "gamma:0.0", "gamma:0.5"])
    for rule in SplitRule.tested { #expect(SplitRule(rule.description) == rule) }
    #expect(SplitRule("gamma:2") == .gamma(2) && SplitRule("gamma:1.125") == .gamma(1.125))
  }

  @Test(arguments: [
    "", "median", "Mean", "leastScatter", "gamma", "gamma:", "gamma:-0.125", "gamma:4.125", "gamma:1.1", "gamma:nan",
    "gamma:inf", "gamma:1e300", "gamma:1 ",
  ]) func otherNamesAreNoRules(_ name: String) { #expect(SplitRule(name) == nil) }

  @Test func otherPowersTrap() async {
    await #expect(processExitsWith: .failure) { _ = SplitRule.gamma(1.1) }
    await #expect(processExitsWith: .failure) { _ = SplitRule.gamma(-1) }
    await #expect(processExitsWith: .failure) { _ = SplitRule.gamma(4.125) }
    await #expect(processExitsWith: .failure) { _ = SplitRule.gamma(.nan) }
  }

  @Test(arguments: SplitRule.tested) func treeKnowsItsRule(_ rule: SplitRule) throws {
    #expect(try PointSet.cities(100, seed: 61).tree(rule).splitRule == rule)
  }

  @Test(arguments: PointSet.nasty) func aGammaOfOneIsTheMean(_ set: PointSet) throws {
    #expect(try set.tree(.gamma(1)).contentHash == set.tree().contentHash)
  }

  @Test func eachRuleMakesATreeOfItsOwn() throws {
    let set = PointSet.cities(2000, seed: 62)
    let hashes = try SplitRule.tested.map { try set.tree($0).contentHash }
    #expect(Set(hashes).count == SplitRule.tested.count - 1, "a gamma of 1 is the mean, all others differ")
  }
}

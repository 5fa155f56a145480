import ArgumentParser
import Treeline

/// Where nodes are split, for every subcommand that builds a tree.
struct SplitOptions: ParsableArguments {
  @Option(
    help: .init(
      "Where nodes are split: 'least-scatter', where the least scatter is left; 'mean', at the mean of their points, as the article does; 'gamma:g', at their mean weighted by distance to the power of g - 1, for a g from 0 to 4 in steps of 1/8. (default: \(SplitRule.standard))",
      valueName: "rule"), transform: SplitRule.init(argument:)) var split: SplitRule?
}

extension SplitRule {
  fileprivate init(argument: String) throws {
    guard let rule = SplitRule(argument) else {
      throw ValidationError("expected 'mean', 'least-scatter' or 'gamma:' and a number \(Self.gammaDomain)")
    }
    self = rule
  }
}

import ArgumentParser
import Treeline

/// How a tree grows, for every subcommand that builds one.
struct GrowthOptions: ParsableArguments {
  @Option(
    help: .init(
      "Where nodes are split: \(SplitRule.summaries). (default: \(SplitRule.standard))",
      valueName: "rule"), transform: SplitRule.init(argument:)) var split: SplitRule?

  @Option(
    help: .init(
      "How the tree grows: 'split', from all points down; 'merge', from the points up, the two clusters merged first that are closest, so that '--spacing' shows as many as have room. (default: split)",
      valueName: "way")) var grow: GrowthChoice?

  func validate() throws {
    if grow == .merge, split != nil {
      throw ValidationError("'--split' goes with '--grow split'; nothing is split where clusters are merged.")
    }
  }

  /// What was asked for, if anything.
  var growth: Growth? {
    switch grow {
    case .merge: .merging(by: .distance)
    case .split: .splitting(split ?? .standard)
    case nil: split.map { .splitting($0) }
    }
  }
}

/// Of `--grow`.
enum GrowthChoice: String, ExpressibleByArgument, CaseIterable {
  case split, merge
}

extension SplitRule {
  fileprivate init(argument: String) throws {
    guard let rule = SplitRule(argument) else {
      throw ValidationError("expected \(Self.expectation)")
    }
    self = rule
  }
}

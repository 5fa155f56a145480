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
      "How the tree grows: 'split', from all points down; 'merge', from the points up, the two clusters merged first that are closest, so that '--spacing' shows as many as have room; 'badges', those first whose drawn badges touch first, as '--badges' needs it; 'scatter', those first whose points are closest to a mean of all of them, which suits '--limit'. (default: split, or badges with '--badges')",
      valueName: "way")) var grow: GrowthChoice?

  @Option(
    help: .init(
      "How far badges of a tree that grows for them stay apart, up to 128 pixels. (default: 0)", valueName: "px"))
  var badgeGap: Double?

  func validate() throws {
    if let grow, grow != .split, split != nil {
      throw ValidationError("'--split' goes with '--grow split'; nothing is split where clusters are merged.")
    }
    if let badgeGap {
      if let grow, grow != .badges {
        throw ValidationError("'--badge-gap' goes with '--grow badges'; no other tree knows of badges.")
      }
      if !(0...BadgeCurve.greatestGapInPixels ~= badgeGap) {
        throw ValidationError("'--badge-gap' must be a number of pixels from 0 to 128, found \(badgeGap).")
      }
    }
  }

  /// What was asked for, if anything.
  var growth: Growth? {
    switch grow {
    case .merge: .merging(by: .distance)
    case .badges: .merging(by: .badges)
    case .scatter: .merging(by: .scatter)
    case .split: .splitting(split ?? .standard)
    case nil: badgeGap != nil ? .merging(by: .badges) : split.map { .splitting($0) }
    }
  }

  /// With what diameters badges are drawn, if the tree grows for them.
  var badgeCurve: BadgeCurve { .standard.gap(badgeGap ?? 0) }
}

/// Of `--grow`.
enum GrowthChoice: String, ExpressibleByArgument, CaseIterable {
  case split, merge, badges, scatter
}

extension SplitRule {
  fileprivate init(argument: String) throws {
    guard let rule = SplitRule(argument) else {
      throw ValidationError("expected \(Self.expectation)")
    }
    self = rule
  }
}

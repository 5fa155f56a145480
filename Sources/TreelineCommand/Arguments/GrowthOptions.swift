import ArgumentParser
import Treeline
import TreelineBuilder

/// How a tree grows, for every subcommand that builds one.
struct GrowthOptions: ParsableArguments {
  @Option(
    help: .init(
      "Where nodes are split: \(SplitRule.summaries). (default: \(SplitRule.standard))",
      valueName: "rule"), transform: SplitRule.init(argument:)) var split: SplitRule?

  @Option(
    help: .init(
      "How the tree grows: 'split', from all points down; 'merge', from the points up, the two clusters merged first that are closest, so that '--spacing' shows as many as have room; 'badges', those first whose drawn badges touch first, as '--badges' needs it; 'scatter', those first that spread least together, which suits '--limit'. (default: split, or badges with '--badges')",
      valueName: "way")) var grow: GrowthName?

  @Option(
    help: .init(
      "How far badges of a tree that grows for them stay apart, up to 128 pixels. (default: 0)", valueName: "px"))
  var badgeGap: Double?

  @Option(
    help: .init(
      "Where clusters stand that '--grow merge' and '--grow badges' keep apart: at the mean of their points, or at a member, so that none stands in the sea. (default: mean)",
      valueName: "where")) var stand: ClusterStand?

  func validate() throws {
    if let grow, grow != .split, split != nil {
      throw ValidationError("'--split' goes with '--grow split'; nothing is split where clusters are merged.")
    }
    if let grow, stand != nil, grow == .split || grow == .scatter {
      throw ValidationError(
        "'--stand' goes with '--grow merge' and '--grow badges'; other trees do not keep clusters apart.")
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

  /// How the tree is to grow, as far as that was asked for.
  var request: GrowthRequest {
    GrowthRequest(growth: growth, badgeCurve: .standard.gap(badgeGap ?? 0), stand: stand ?? .mean)
  }

  /// What was asked for, if anything.
  var growth: Growth? {
    if let grow { return grow.growth(splitBy: split) }
    return badgeGap != nil ? .merging(by: .badges) : split.map { .splitting($0) }
  }

}

/// How a tree is to grow, as far as that was asked for.
struct GrowthRequest {
  /// Nil for what cuts need.
  var growth: Growth?
  /// Of badges, if the tree grows for them.
  var badgeCurve = BadgeCurve.standard
  var stand = ClusterStand.mean

  /// A tree that supports some cuts.
  func options(for cuts: [Cut], threads: Int? = nil, computesSeparations: Bool? = nil) throws -> BuildOptions {
    let needsBadges = cuts.contains { $0.badgeScale != nil }
    let growth = growth ?? (needsBadges ? .merging(by: .badges) : .splitting(.standard))
    guard stand == .mean || growth.mergeMetric?.keepsApart ?? false else {
      throw Failure.usage("'--stand' goes with '--grow merge' and '--grow badges', found a tree \(growth.phrase)")
    }
    return BuildOptions(
      growth: growth, threads: threads,
      computesSeparations: computesSeparations ?? cuts.contains(where: \.needsSeparations), badgeCurve: badgeCurve,
      stand: stand)
  }
}

extension ClusterStand: ExpressibleByArgument {}

extension GrowthName: ExpressibleByArgument {}

extension SplitRule {
  fileprivate init(argument: String) throws {
    guard let rule = SplitRule(argument) else {
      throw ValidationError("expected \(Self.expectation)")
    }
    self = rule
  }
}

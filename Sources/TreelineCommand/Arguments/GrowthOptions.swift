import ArgumentParser
@_spi(Server) import Treeline
import TreelineBuilder

/// The options for the growth of a tree, which is the way in which the tree is built. Every subcommand that builds a
/// tree has these options.
struct GrowthOptions: ParsableArguments {
  @Option(
    help: .init(
      "Where nodes are split: \(SplitRule.summaries). (default: \(SplitRule.standard))",
      valueName: "rule"), transform: SplitRule.init(argument:)) var split: SplitRule?

  @Option(
    help: .init(
      "How the tree grows. 'split' divides all points into smaller and smaller clusters. 'merge' always merges the two closest clusters, which suits '--spacing'. 'badges' always merges the two clusters whose badges touch first when the map zooms out. '--badges' needs such a tree. 'scatter' always merges the two clusters whose union spreads least, which suits '--limit'. (default: split, or badges with '--badges')",
      valueName: "way")) var grow: GrowthName?

  @Option(
    help: .init(
      "The gap between badges of a tree grown for badges, up to 128 pixels. (default: 0)", valueName: "px"))
  var badgeGap: Double?

  @Option(
    help: .init(
      "The position of each cluster: 'mean' is the mean of its points, 'member' is one of its points, so that no cluster is in the sea. 'member' needs '--grow merge' or '--grow badges'. (default: mean)",
      valueName: "where")) var anchor: ClusterAnchor?

  func validate() throws {
    if let grow, grow != .split, split != nil {
      throw ValidationError("'--split' needs '--grow split'; other trees are merged, not split.")
    }
    if let grow, anchor != nil, grow == .split || grow == .scatter {
      throw ValidationError(
        "'--anchor' needs '--grow merge' or '--grow badges'; other trees do not keep clusters apart.")
    }
    if let badgeGap {
      if let grow, grow != .badges {
        throw ValidationError("'--badge-gap' needs '--grow badges'; other trees do not keep badges apart.")
      }
      if !(0...BadgeCurve.greatestGapInPixels ~= badgeGap) {
        throw ValidationError("'--badge-gap' must be a number of pixels from 0 to 128, found \(badgeGap).")
      }
    }
  }

  /// The requested growth of the tree. An option that is not given has its default.
  var request: GrowthRequest {
    GrowthRequest(growth: growth, badgeCurve: .standard.gap(badgeGap ?? 0), anchor: anchor ?? .mean)
  }

  /// The requested growth; nil if no option requests a growth.
  var growth: Growth? {
    if let grow { return grow.growth(splitBy: split) }
    return badgeGap != nil ? .merging(by: .badges) : split.map { .splitting($0) }
  }

}

/// A requested growth of a tree, with its options.
struct GrowthRequest {
  /// The growth; nil to choose the growth that the cuts need, for example for badges.
  var growth: Growth?
  /// Sizes of badges, for a tree that is grown for badges.
  var badgeCurve = BadgeCurve.standard
  var anchor = ClusterAnchor.mean

  /// Returns options for building a tree that supports the cuts.
  func options(for cuts: [Cut], threads: Int? = nil, computesSeparations: Bool? = nil) throws -> BuildOptions {
    let needsBadges = cuts.contains { $0.badgeScale != nil }
    let growth = growth ?? (needsBadges ? .merging(by: .badges) : .splitting(.standard))
    guard anchor == .mean || growth.mergeMetric?.keepsApart ?? false else {
      throw Failure.usage("'--anchor' needs '--grow merge' or '--grow badges', found a tree \(growth.phrase)")
    }
    return BuildOptions(
      growth: growth, threads: threads,
      computesSeparations: computesSeparations ?? cuts.contains(where: \.needsSeparations), badgeCurve: badgeCurve,
      anchor: anchor)
  }
}

extension ClusterAnchor: ExpressibleByArgument {}

extension GrowthName: ExpressibleByArgument {}

extension SplitRule {
  fileprivate init(argument: String) throws {
    guard let rule = SplitRule(argument) else {
      throw ValidationError("expected \(Self.expectation)")
    }
    self = rule
  }
}

import ArgumentParser
@_spi(Server) import Treeline

/// The options for the positions at which clusters are shown.
struct PositionOptions: ParsableArguments {
  @Option(
    help: .init(
      "Where a cluster is shown: at the mean of its points, or at the member nearest to the mean. Clusters are kept apart only at their default positions. (default: at the mean, or at one of the points if the index was built with --anchor member)",
      valueName: "where")) var position: ShownPosition.Rule?

  @Flag(
    inversion: .prefixedNo,
    help:
      "If a cluster's position is outside the box, show the cluster at the member inside the box that is nearest to the mean. (default: on for a box or a screen with only --limit or with --\(keepingOptions), otherwise off)"
  )
  var keepVisible: Bool?

  /// Returns the reason why the clusters of the cuts cannot be shown at the requested positions; nil if there is no
  /// such reason.
  ///
  /// - Parameter tree: The tree; nil if the tree is not built yet.
  func refusal(of cuts: [Cut], in tree: ClusterTree?) -> String? {
    guard cuts.contains(where: { $0.badgeScale != nil }), let option = style.moving(in: tree) else { return nil }
    return "'--\(option)' and '--badges' exclude each other: badges stay apart only at their default positions."
  }

  var style: PositionStyle { PositionStyle(position, keepsVisible: keepVisible) }
}

extension ShownPosition.Rule: ExpressibleByArgument {}

/// Names of options, such as `detail`, for a help text. With these options, clusters are kept visible by default.
private let keepingOptions = PixelCriterion.allCases.filter { !$0.keepsApart }.map(\.rawValue).joined(separator: ", --")

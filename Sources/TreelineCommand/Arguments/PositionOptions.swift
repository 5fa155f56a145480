import ArgumentParser
@_spi(Server) import Treeline

/// The options for the positions at which clusters are shown.
struct PositionOptions: ParsableArguments {
  @Option(
    help: .init(
      "Where a cluster is shown: 'mean' is the mean of its points; 'member' is the point nearest to the mean. At other positions than the default, clusters may lie closer than --spacing allows. (default: the mean, or one of the points if the index was built with --anchor member)",
      valueName: "where")) var position: ShownPosition.Rule?

  @Flag(
    inversion: .prefixedNo,
    help:
      "If a cluster's position is outside the box, show the cluster at one of its points inside the box, the point nearest to the mean. (default: on for a box or a screen, unless \(separatingOptions) is given; off for a tile)"
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

/// The options that keep clusters apart, as help texts list them: `--spacing or --badges`.
private let separatingOptions = PixelCriterion.allCases.filter(\.keepsApart).map { "--\($0.rawValue)" }.listed("or")

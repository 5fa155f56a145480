import ArgumentParser
@_spi(Server) import Treeline

/// Where clusters are shown.
struct PositionOptions: ParsableArguments {
  @Option(
    help: .init(
      "Where a cluster is shown: at the mean of its points, or at the member nearest to it. Clusters are kept apart where they stand. (default: where it stands, which is its mean unless the index was built with --stand member)",
      valueName: "where")) var position: ShownPosition.Rule?

  @Flag(
    inversion: .prefixedNo,
    help:
      "Show a cluster that would lie outside of the box at the member in it that is nearest to the mean. (default: with --limit alone\(keepingOptions), but not for a tile)"
  )
  var keepVisible: Bool?

  /// Why some answers cannot be shown so, if they cannot.
  ///
  /// - Parameter tree: Nil where it is not known yet.
  func refusal(of cuts: [Cut], in tree: ClusterTree?) -> String? {
    guard cuts.contains(where: { $0.badgeScale != nil }), let option = style.moving(in: tree) else { return nil }
    return "'--\(option)' and '--badges' exclude each other: badges stay apart only where they stand."
  }

  var style: PositionStyle { PositionStyle(position, keepsVisible: keepVisible) }
}

extension ShownPosition.Rule: ExpressibleByArgument {}

/// The options of cuts by pixels that keep clusters visible, for texts: ` and with --detail`.
private let keepingOptions = PixelCriterion.allCases.filter { !$0.keepsApart }.map {
  " and with --\($0.rawValue)"
}
.joined()

import ArgumentParser
import Treeline

/// Where clusters are shown.
struct PositionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where a cluster is shown: at the mean of its points, or at the member nearest to it. A spacing is kept between means. (default: mean)",
      valueName: "where"))
  var position: ShownPosition.Rule?

  @Flag(
    help:
      "Show a cluster that would lie outside of the box at the member in it that is nearest to the mean.")
  var keepVisible = false

  var areGiven: Bool { position != nil || keepVisible }

  /// Where each cluster of an answer is shown; nil for their means.
  func positions(of clusters: Clusters, of tree: ClusterTree, in window: PlaneWindow) throws
    -> [ShownPosition]?
  {
    guard areGiven else { return nil }
    let window = keepVisible ? window : nil
    return try clusters.indices.map {
      try tree.shownPosition(of: clusters.id(at: $0), at: position ?? .mean, keptVisibleIn: window)
    }
  }
}

extension ShownPosition.Rule: ExpressibleByArgument {}

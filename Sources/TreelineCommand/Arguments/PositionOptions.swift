import ArgumentParser
import Treeline

/// Where clusters are shown.
struct PositionOptions: ParsableArguments {
  @Option(
    help: .init(
      "Where a cluster is shown: at the mean of its points, or at the member nearest to it. A spacing is kept between means. (default: mean)",
      valueName: "where")) var position: ShownPosition.Rule?

  @Flag(
    inversion: .prefixedNo,
    help:
      "Show a cluster that would lie outside of the box at the member in it that is nearest to the mean. (default: with --detail and with --limit alone, but not for a tile)"
  )
  var keepVisible: Bool?

  var areGiven: Bool { position != nil || keepVisible != nil }

  /// Where each cluster of an answer is shown; nil for their means.
  func positions(of clusters: Clusters, of tree: ClusterTree, for query: Query, in window: PlaneWindow) throws
    -> [ShownPosition]?
  {
    guard position != nil || keepsVisible(query) else { return nil }
    return try clusters.map { try shownPosition(of: $0, of: tree, for: query, in: window) }
  }

  /// Where one cluster is shown.
  func coordinate(of cluster: Cluster, of tree: ClusterTree, for query: Query, in window: PlaneWindow?) throws
    -> Coordinate
  { try shownPosition(of: cluster, of: tree, for: query, in: window).coordinate }

  private func shownPosition(of cluster: Cluster, of tree: ClusterTree, for query: Query, in window: PlaneWindow?)
    throws
    -> ShownPosition
  { try tree.shownPosition(of: cluster, at: position ?? .mean, keptVisibleIn: keepsVisible(query) ? window : nil) }

  private func keepsVisible(_ query: Query) -> Bool { keepVisible ?? query.keepsClustersVisible }
}

extension ShownPosition.Rule: ExpressibleByArgument {}

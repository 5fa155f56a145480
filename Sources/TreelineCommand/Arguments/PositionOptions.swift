import ArgumentParser
import Treeline

/// Where clusters are shown.
struct PositionOptions: ParsableArguments {
  @Option(
    help: .init(
      "Where a cluster is shown: at the mean of its points, or at the member nearest to it. A spacing is kept between means. (default: mean)",
      valueName: "where")) var position: ShownPosition.Rule?

  @Flag(help: "Show a cluster that would lie outside of the box at the member in it that is nearest to the mean.")
  var keepVisible = false

  var areGiven: Bool { position != nil || keepVisible }

  /// Where each cluster of an answer is shown; nil for their means.
  func positions(of clusters: Clusters, of tree: ClusterTree, in window: PlaneWindow) throws -> [ShownPosition]? {
    guard areGiven else { return nil }
    return try clusters.indices.map { try shownPosition(of: clusters.id(at: $0), of: tree, in: window) }
  }

  /// Where one cluster is shown.
  func coordinate(of cluster: Cluster, of tree: ClusterTree, in window: PlaneWindow?) throws -> Coordinate {
    areGiven ? try shownPosition(of: cluster.id, of: tree, in: window).coordinate : cluster.coordinate
  }

  private func shownPosition(of id: ClusterID, of tree: ClusterTree, in window: PlaneWindow?) throws -> ShownPosition {
    try tree.shownPosition(of: id, at: position ?? .mean, keptVisibleIn: keepVisible ? window : nil)
  }
}

extension ShownPosition.Rule: ExpressibleByArgument {}

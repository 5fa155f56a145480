import Treeline

extension ClusteringMethod {
  /// The tree's breadth-first answer, shown at the mean of each cluster.
  public static func breadthFirst(_ tree: ClusterTree) -> ClusteringMethod {
    ClusteringMethod(
      name: "breadth-first", title: "Treeline",
      summary: "one badge per group that the points themselves form",
      extentMeaning: "ellipses show how far and which way each group spreads"
    ) { view, limit in
      try tree.clusters(in: view.window, limit: limit).map { ShownCluster($0, of: tree, in: view) }
    }
  }
}

extension ShownCluster {
  /// A cluster of a tree, shown at its mean.
  public init(_ cluster: Cluster, of tree: ClusterTree, in view: ComparisonView) {
    self.init(
      at: view.pixel(x: cluster.meanX, y: cluster.meanY), pointCount: cluster.pointCount,
      extent: Extent(cluster, in: view), places: { Array(cluster.range) })
  }
}

extension ShownCluster.Extent {
  /// - Returns: nil where all points have one position.
  fileprivate init?(_ cluster: Cluster, in view: ComparisonView) {
    guard cluster.pointCount > 1, !cluster.rect.isPoint else { return nil }
    let ellipse = cluster.ellipse
    self = .ellipse(
      semiMajor: ellipse.semiMajor / view.unitsPerPixel, semiMinor: ellipse.semiMinor / view.unitsPerPixel,
      angle: degrees(x: ellipse.axisX, y: ellipse.axisY))
  }
}

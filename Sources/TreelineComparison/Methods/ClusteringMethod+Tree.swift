import Treeline

extension ClusteringMethod {
  /// A cut through a tree, shown at the mean of each cluster.
  ///
  /// - Parameter name: That of the choice; the cut's own by default.
  package static func tree(_ compared: ComparedTree, cut: TreeCut, name: String? = nil, title: String? = nil)
    -> ClusteringMethod
  {
    let name = name ?? cut.name
    let title = title ?? cut.title
    @Sendable func answer(_ view: ComparisonView, _ limit: Int, after previous: Answer?) throws -> Answer {
      let nodes = try cut.clusters(of: compared.tree, in: view, limit: limit, after: previous?.nodes)
      return Answer(nodes.map { ShownCluster($0, of: compared, in: view) }, nodes: nodes)
    }
    return ClusteringMethod(
      name: name, title: title, summary: cut.summary,
      extentMeaning: "ellipses show how far and which way each group spreads",
      settling: { views, limit in
        tree(compared, cut: try cut.settled(for: views, of: compared.tree, limit: limit), name: name, title: title)
      }, continuing: { try answer($0, $1, after: $2) }
    ) { try answer($0, $1, after: nil) }
  }

  /// The tree's breadth-first answer.
  package static func breadthFirst(_ tree: ClusterTree) -> ClusteringMethod {
    .tree(ComparedTree(tree), cut: .breadthFirst)
  }
}

extension ShownCluster {
  /// A cluster of a tree, shown at its mean.
  init(_ cluster: Cluster, of compared: ComparedTree, in view: ComparisonView) {
    self.init(
      at: view.pixel(x: cluster.meanX, y: cluster.meanY), pointCount: cluster.pointCount,
      extent: Extent(cluster, in: view), treeIndices: { compared.treeIndices(of: cluster.range) })
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

import Treeline

extension ClusteringMethod {
  /// A cut through a tree, shown at the mean of each cluster.
  ///
  /// - Parameter name: That of the choice; the cut's own by default.
  package static func tree(_ compared: ComparedTree, cut: TreeCut, name: String? = nil, title: String? = nil)
    -> ClusteringMethod
  {
    ClusteringMethod(
      name: name ?? cut.name, title: title ?? cut.title, summary: cut.summary,
      extentMeaning: "ellipses show how far and which way each group spreads",
      settling: { views, limit in
        tree(compared, cut: try cut.settled(for: views, of: compared.tree, limit: limit), name: name, title: title)
      }
    ) { view, limit, previous in
      let nodes = try cut.clusters(of: compared.tree, in: view, limit: limit, after: previous?.nodes)
      return Answer(clusters: nodes.map { ShownCluster($0, of: compared, in: view) }, nodes: nodes)
    }
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
      position: view.pixel(x: cluster.meanX, y: cluster.meanY), pointCount: cluster.pointCount,
      treeIndices: { compared.treeIndices(of: cluster.range) })
    guard cluster.pointCount > 1, !cluster.rect.isPoint else { return }
    let ellipse = cluster.ellipse
    extent = .ellipse(
      semiMajor: ellipse.semiMajor / view.unitsPerPixel, semiMinor: ellipse.semiMinor / view.unitsPerPixel,
      angle: degrees(x: ellipse.axisX, y: ellipse.axisY))
  }
}

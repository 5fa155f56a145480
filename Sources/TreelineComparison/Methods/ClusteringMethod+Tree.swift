import Treeline

extension ClusteringMethod {
  /// A cut through a tree, shown at the mean of each cluster.
  ///
  /// - Parameter name: That of the choice; the cut's own by default.
  package static func tree(
    _ compared: ComparedTree, cut: TreeCut, name: String? = nil, title: String? = nil
  ) -> ClusteringMethod {
    let name = name ?? cut.name
    let title = title ?? cut.title
    return ClusteringMethod(
      name: name, title: title, summary: cut.summary,
      extentMeaning: "ellipses show how far and which way each group spreads",
      settling: { views, limit in
        tree(
          compared, cut: try cut.settled(for: views, of: compared.tree, limit: limit), name: name,
          title: title)
      },
      continuing: cut == .continuing ? compared.continued : nil
    ) { view, limit in
      Answer(try cut.clusters(of: compared.tree, in: view, limit: limit), of: compared, in: view)
    }
  }

  /// The tree's breadth-first answer.
  package static func breadthFirst(_ tree: ClusterTree) -> ClusteringMethod {
    .tree(ComparedTree(tree), cut: .limit(.breadthFirst))
  }
}

extension ComparedTree {
  /// What changes least from a previous answer.
  fileprivate func continued(
    in view: ComparisonView, limit: Int, after previous: ClusteringMethod.Answer
  ) throws -> ClusteringMethod.Answer {
    let nodes = try tree.clusters(
      in: view.window, limit: limit, continuing: previous.nodes!, order: .widestFirst)
    return ClusteringMethod.Answer(nodes, of: self, in: view)
  }
}

extension ClusteringMethod.Answer {
  fileprivate init(_ nodes: Clusters, of compared: ComparedTree, in view: ComparisonView) {
    self.init(nodes.map { ShownCluster($0, of: compared, in: view) }, nodes: nodes)
  }
}

extension TreeCut {
  var title: String {
    switch self {
    case .limit(.breadthFirst): "Breadth-first"
    case .limit(.widestFirst): "Widest-first"
    case .limit(.steepestFirst): "Steepest-first"
    case .continuing: "Continuing"
    case .detail: "Detail"
    case .spacing: "Spacing"
    }
  }

  fileprivate var summary: String {
    switch self {
    case .limit(.breadthFirst): "one badge per group that the points themselves form, split level by level"
    case .limit(.widestFirst): "groups of the points themselves, the widest of them split first"
    case .limit(.steepestFirst):
      "groups of the points themselves, those split first that bring points closest to their badges"
    case .continuing:
      "groups of the points themselves, the widest split first, but on a journey those shown before as far as the limit allows"
    case .detail(nil): "groups of the points themselves, none wider than a detail that keeps within the limit"
    case .detail(let pixels?):
      "groups of the points themselves, none wider than a detail of \(fixed(pixels, 1)) px"
    case .spacing(let pixels): "groups of the points themselves, shown at least \(shortest(pixels)) px apart"
    }
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

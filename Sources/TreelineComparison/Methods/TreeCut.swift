@_spi(Server) import Treeline

/// One of the cuts that are compared, with its texts. A cut selects which clusters of a tree are shown.
package struct TreeCut: Hashable, Sendable {
  /// Name in JSON and in the terminal.
  let name: String
  let title: String
  /// A description of what the cut shows, in half a sentence.
  let summary: String

  /// The cut. If it has a limit, the comparison sets the limit.
  let cut: Cut

  /// Whether the comparison chooses the smallest number of pixels at which the number of clusters is within the limit.
  private(set) var isFitted = false

  static let breadthFirst = limit(.breadthFirst)

  static let widestFirst = limit(.widestFirst)

  private static func limit(_ order: ExpansionOrder) -> TreeCut {
    let name = order.rawValue
    return TreeCut(
      name: name, title: name.prefix(1).uppercased() + name.dropFirst(),
      summary: "clusters of the tree, split \(order.phrase)", cut: .limit(1, order: order))
  }

  /// A cut that has a limit and continues the previous answer. During a journey, as few clusters as possible change
  /// between views. In a single view, which has no previous answer, this cut equals a cut without continuation.
  static let continuing = TreeCut(
    name: "continuing", title: "Continuing",
    summary:
      "clusters of the tree, kept from the previous view of a journey if the limit allows, "
      + "and otherwise split from the widest to the narrowest",
    cut: .limit(1, order: .widestFirst, continuity: .continuing))

  /// Returns a cut by pixels, without a limit.
  ///
  /// - Parameter pixels: The number of pixels, or the scale of badges; nil for the default value. If every tree
  ///   supports the criterion, nil means the smallest number at which the number of clusters is within the limit.
  static func by(_ criterion: PixelCriterion, _ pixels: Double? = nil) -> TreeCut {
    let name = criterion.rawValue
    let isFitted = pixels == nil && !criterion.needsSeparations
    let (count, text) =
      pixels.map { ($0, fixed($0, 1)) } ?? (criterion.standard, shortest(criterion.standard))
    return TreeCut(
      name: name, title: name.prefix(1).uppercased() + name.dropFirst(),
      summary: isFitted
        ? "clusters of the tree, split down to the finest \(name) within the limit" : criterion.phrase(text),
      cut: Cut(criterion, pixels: isFitted ? 0 : count), isFitted: isFitted)
  }

  /// The cuts for points and for a split tree, in the order of a report.
  static let all = all(of: .splitting(.mean))

  /// Returns the cuts for a tree that is built with a given growth. Split trees of older indexes may have separations,
  /// so a spacing is one of their cuts.
  static func all(of growth: Growth) -> [TreeCut] {
    let isForBadges = growth.mergeMetric == .badges
    return ExpansionOrder.allCases.map(limit) + [continuing]
      + PixelCriterion.allCases.filter { $0.metric == nil || ($0.metric == .badges) == isForBadges }.map { by($0) }
  }

  /// Names and descriptions of the cuts, for help texts.
  package static let summaries = all.map { "'\($0.name)', \($0.summary)" }.joined(separator: "; ")

  func clusters(of tree: ClusterTree, in view: ComparisonView, limit: Int, after previous: Clusters?) throws -> Clusters
  {
    let settled = try settled(for: [view], of: tree, limit: limit).cut
    let cut = settled.isByPixels ? settled : settled.atMost(limit)
    return try tree.clusters(cut, in: view.window, zoom: view.zoom, after: previous)
  }

  /// Returns this cut if `isFitted` is false. If `isFitted` is true, returns a cut with the smallest number of pixels
  /// at which the mean number of clusters in the given views is within the limit.
  func settled(for views: [ComparisonView], of tree: ClusterTree, limit: Int) throws -> TreeCut {
    guard isFitted, let criterion = cut.pixels?.criterion else { return self }
    return .by(criterion, try Self.leastPixels(by: criterion, of: tree, in: views, limit: limit))
  }

  /// Returns the smallest number of pixels, in steps of a sixteenth, at which the mean number of clusters in some views
  /// is at most `limit`. More pixels never give more clusters, so bisection finds the smallest number.
  static func leastPixels(
    by criterion: PixelCriterion, of tree: ClusterTree, in views: [ComparisonView], limit: Int
  ) throws -> Double {
    func isWithin(_ pixels: Double) throws -> Bool {
      let cut = Cut(criterion, pixels: pixels)
      let counts = try views.map { try tree.clusters(cut, in: $0.window, zoom: $0.zoom).count }
      return counts.reduce(0, +) <= limit * views.count
    }
    guard limit < .max / max(views.count, 1) else { return 0 }
    var (low, high) = (0, 64 * 16)
    while try !isWithin(Double(high) / 16) { (low, high) = (high, 2 * high) }
    return try Double(firstIndex(in: low + 1..<high) { try isWithin(Double($0) / 16) }) / 16
  }
}

extension ClusteringMethod {
  /// Returns a method that cuts a tree and shows each cluster at its default position.
  ///
  /// - Parameter name: Name of the method; nil for the name of the cut.
  static func tree(_ compared: ComparedTree, cut: TreeCut, name: String? = nil, title: String? = nil)
    -> ClusteringMethod
  {
    ClusteringMethod(
      name: name ?? cut.name, title: title ?? cut.title, summary: cut.summary,
      extentMeaning: "ellipses show how far each cluster spreads, and in which direction",
      settling: { views, limit in
        tree(compared, cut: try cut.settled(for: views, of: compared.tree, limit: limit), name: name, title: title)
      }
    ) { view, limit, previous in
      let nodes = try cut.clusters(of: compared.tree, in: view, limit: limit, after: previous?.nodes)
      return Answer(clusters: nodes.map { ShownCluster($0, of: compared, cut: cut.cut, in: view) }, nodes: nodes)
    }
  }

  /// Returns a method that cuts a tree breadth-first.
  static func breadthFirst(_ tree: ClusterTree) -> ClusteringMethod {
    .tree(ComparedTree(tree), cut: .breadthFirst)
  }
}

extension ShownCluster {
  /// Creates a cluster of a tree, shown at its default position.
  init(_ cluster: Cluster, of compared: ComparedTree, cut: Cut, in view: ComparisonView) {
    self.init(
      position: view.pixel(x: cluster.x, y: cluster.y), pointCount: cluster.pointCount,
      treeIndices: { compared.treeIndices(of: cluster.range) })
    badgeDiameter = compared.tree.badgeDiameter(of: cluster, for: cut)
    guard cluster.pointCount > 1, !cluster.rect.isPoint else { return }
    let ellipse = cluster.ellipse
    extent = .ellipse(
      semiMajor: ellipse.semiMajor / view.unitsPerPixel, semiMinor: ellipse.semiMinor / view.unitsPerPixel,
      angle: degrees(x: ellipse.axisX, y: ellipse.axisY))
  }
}

import Treeline

/// A way to cut a tree that takes part in a comparison: a cut, and words for the reader.
///
/// To add one is to add a line to `all`.
package struct TreeCut: Hashable, Sendable {
  /// As in JSON and on the terminal.
  let name: String
  let title: String
  /// Half a sentence: what it shows.
  let summary: String

  /// Limits are those of the comparison, where the cut goes by one.
  package let cut: Cut

  /// Whether its detail is the least that keeps within the limit of the comparison.
  private(set) var isFitted = false

  package static let breadthFirst = TreeCut(
    name: "breadth-first", title: "Breadth-first",
    summary: "one badge per group that the points themselves form, split level by level", cut: .limit(1))

  package static let widestFirst = TreeCut(
    name: "widest-first", title: "Widest-first",
    summary: "groups of the points themselves, the widest of them split first", cut: .limit(1, .widestFirst))

  package static let steepestFirst = TreeCut(
    name: "steepest-first", title: "Steepest-first",
    summary: "groups of the points themselves, those split first that bring points closest to their badges",
    cut: .limit(1, .steepestFirst))

  /// In a single view what continues is what is fresh; on a journey it is the least change from what was shown before.
  package static let continuing = TreeCut(
    name: "continuing", title: "Continuing",
    summary:
      "groups of the points themselves, the widest split first, but on a journey those shown before as far as the limit allows",
    cut: .limit(1, .widestFirst, isContinuing: true))

  /// Clusters as wide as so many pixels; nil is the least that keeps within the limit.
  package static func detail(_ pixels: Double? = nil) -> TreeCut {
    TreeCut(
      name: "detail", title: "Detail",
      summary: "groups of the points themselves, none wider than a detail "
        + (pixels.map { "of \(fixed($0, 1)) px" } ?? "that keeps within the limit"), cut: .detail(pixels ?? 0),
      isFitted: pixels == nil)
  }

  /// No two clusters nearer to each other than so many pixels, whatever the limit.
  package static func spacing(_ pixels: Double = PixelCriterion.spacing.standard) -> TreeCut {
    TreeCut(
      name: "spacing", title: "Spacing",
      summary: "groups of the points themselves, shown at least \(shortest(pixels)) px apart", cut: .spacing(pixels))
  }

  /// As many badges as have room as they are drawn, of a tree that was grown for them, whatever the limit.
  package static let badges = TreeCut(
    name: "badges", title: "Badges", summary: "as many badges and dots as have room, none of which touch",
    cut: .badges())

  /// In the order of a report.
  package static let all = [breadthFirst, widestFirst, steepestFirst, continuing, detail(), spacing()]

  /// Those of a tree that grew in some way.
  static func all(of growth: Growth) -> [TreeCut] {
    growth == .merging(by: .badges) ? all.dropLast() + [badges] : all
  }

  /// For help texts: each with what it shows.
  package static let summaries = all.map { "'\($0.name)', \($0.summary)" }.joined(separator: "; ")

  func clusters(of tree: ClusterTree, in view: ComparisonView, limit: Int, after previous: Clusters?) throws -> Clusters
  {
    let settled = try settled(for: [view], of: tree, limit: limit).cut
    let cut = settled.isByPixels ? settled : settled.atMost(limit)
    return try tree.clusters(cut, in: view.window, zoom: view.zoom, after: previous)
  }

  /// The same cut for all of some views.
  func settled(for views: [ComparisonView], of tree: ClusterTree, limit: Int) throws -> TreeCut {
    isFitted ? .detail(try Self.leastDetail(of: tree, in: views, limit: limit)) : self
  }

  /// The least detail, to a sixteenth of a pixel, at which views show at most `limit` clusters in the mean. The number
  /// of clusters never grows with the detail, so halving finds it.
  static func leastDetail(of tree: ClusterTree, in views: [ComparisonView], limit: Int) throws -> Double {
    func isWithin(_ detail: Double) throws -> Bool {
      let counts = try views.map { try tree.clusters(.detail(detail), in: $0.window, zoom: $0.zoom).count }
      return counts.reduce(0, +) <= limit * views.count
    }
    guard limit < .max / max(views.count, 1) else { return 0 }
    var (low, high) = (0, 64 * 16)
    while try !isWithin(Double(high) / 16) { (low, high) = (high, 2 * high) }
    return try Double(firstIndex(in: low + 1..<high) { try isWithin(Double($0) / 16) }) / 16
  }
}

extension ClusteringMethod {
  /// A cut through a tree, each cluster shown where it stands.
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
      return Answer(clusters: nodes.map { ShownCluster($0, of: compared, cut: cut.cut, in: view) }, nodes: nodes)
    }
  }

  /// The tree's breadth-first answer.
  package static func breadthFirst(_ tree: ClusterTree) -> ClusteringMethod {
    .tree(ComparedTree(tree), cut: .breadthFirst)
  }
}

extension ShownCluster {
  /// A cluster of a tree, shown where it stands.
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

import Treeline
@_spi(Server) import TreelineFormats

/// How a request has the clusters of the tree presented.
struct ClusterStyle {
  private let rule: ShownPosition.Rule?
  private let isKeptVisible: Bool
  private let hasEllipses: Bool

  init(_ parameters: inout QueryParameters) {
    rule = parameters.choice("position", of: ShownPosition.Rule.self)
    isKeptVisible = parameters.flag("keep-visible")
    hasEllipses = parameters.flag("ellipses")
  }

  /// Writes an answer as a FeatureCollection.
  func write(_ clusters: Clusters, of index: ServedIndex, in view: PlaneViewport?, to bytes: inout OutputBytes) throws {
    // Taken once: to hold on to a tree takes as long as to write a number.
    let (writer, tree) = (index.features, index.tree)
    let (isMoved, window) = (rule != nil || isKeptVisible, isKeptVisible ? view?.window : nil)
    writer.open(&bytes)
    try writer.append(clusters, to: &bytes) { cluster in
      let position = isMoved ? try tree.shownPosition(of: cluster.id, at: rule ?? .mean, keptVisibleIn: window) : nil
      return ClusterFeature(cluster, of: tree, at: position, hasEllipse: hasEllipses)
    }
  }
}

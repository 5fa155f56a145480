@_spi(Server) import Treeline

/// A cluster, and where and how large it is drawn. An object, made off the main thread, so that badges are small.
final class ShownCluster: Sendable {
  let cluster: Cluster
  let place: MapMotion.Place
  /// In pixels.
  let diameter: Double

  init(_ cluster: Cluster, at place: MapMotion.Place, diameter: Double) {
    (self.cluster, self.place, self.diameter) = (cluster, place, diameter)
  }
}

/// An answer with all that is drawn of it, read where it was asked for and not on the main thread.
public struct MapAnswer: Sendable {
  /// What was asked.
  public let query: Query

  /// The answer itself, in tree order.
  public let clusters: Clusters

  /// In the same order.
  let shown: [ShownCluster]

  /// The tree that answered.
  public var tree: ClusterTree { clusters.tree }

  /// - Parameters:
  ///   - clusters: The answer.
  ///   - query: What was asked.
  ///   - diameter: With what diameter a cluster is drawn, in pixels; nil for that of `standardDiameter(of:in:for:)`.
  /// - Throws: `QueryError` where the query's viewport makes no sense; `IndexError` where a file is damaged.
  /// - Complexity: O(k); more where clusters are kept visible, as `ClusterTree.shownPosition(of:at:keptVisibleIn:)` is.
  public init(_ clusters: Clusters, of query: Query, diameter: (@Sendable (Cluster) -> Double)? = nil) throws {
    (self.query, self.clusters) = (query, clusters)
    let tree = clusters.tree
    // A cluster that stands out of view, though one of its points is in view, is shown there: none is lost.
    let window = query.keepsClustersVisible ? try query.viewport.located(on: tree.plane)?.window : nil
    shown = try clusters.map { cluster in
      var place = MapMotion.Place(x: cluster.x, y: cluster.y)
      if let window, !window.contains(x: cluster.x, y: cluster.y) {
        let position = try tree.shownPosition(of: cluster, keptVisibleIn: window)
        (place.x, place.y) = (position.x, position.y)
      }
      let diameter = diameter?(cluster) ?? Self.standardDiameter(of: cluster, in: tree, for: query.cut)
      return ShownCluster(cluster, at: place, diameter: diameter)
    }
  }

  /// How wide the dot of a single point is, in pixels.
  public static let dotDiameter = 11.0

  /// The diameter of a cluster's badge where nobody says another, in pixels: by badges that with which none touch, and
  /// otherwise a dot for a single point and `BadgeSize.diameter(pointCount:)` for more.
  public static func standardDiameter(of cluster: Cluster, in tree: ClusterTree, for cut: Cut) -> Double {
    if let diameter = tree.badgeDiameter(of: cluster, for: cut) { return diameter }
    return cluster.pointCount == 1 ? dotDiameter : BadgeSize.diameter(pointCount: cluster.pointCount)
  }
}

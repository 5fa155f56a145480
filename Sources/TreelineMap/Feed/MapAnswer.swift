@_spi(Server) import Treeline

/// A cluster with its position and size on the map. It is created off the main thread. The type is a class, so that a
/// badge stores only a reference and stays small.
final class ShownCluster: Sendable {
  let cluster: Cluster
  let place: MapMotion.Place
  /// Diameter of the badge in pixels.
  let diameter: Double
  /// Value of each aggregate in the options of the feed, in the order of these aggregates.
  let values: [AggregateValue]

  init(_ cluster: Cluster, at place: MapMotion.Place, diameter: Double, values: [AggregateValue]) {
    (self.cluster, self.place, self.diameter, self.values) = (cluster, place, diameter, values)
  }
}

/// An answer, with all data that is needed to draw it. The data is collected off the main thread.
public struct MapAnswer: Sendable {
  /// The query.
  public let query: Query

  /// The clusters of the answer, in tree order.
  public let clusters: Clusters

  /// The clusters of `clusters`, in the same order, each with its position and size.
  let shown: [ShownCluster]

  /// The tree that answered the query.
  public var tree: ClusterTree { clusters.tree }

  /// Prepares an answer for drawing.
  ///
  /// - Parameters:
  ///   - clusters: The clusters of the answer.
  ///   - query: The query.
  ///   - diameter: Returns the diameter of a cluster's badge in pixels; nil to use `standardDiameter(of:in:for:)`.
  ///   - aggregates: Aggregates of each cluster's values. Badges and their titles can show the results.
  /// - Throws: `QueryError` if the viewport of the query is invalid. `AggregateError` if an aggregate has no result.
  ///   `IndexError` if the index of the tree is damaged.
  /// - Complexity: O(k) for k clusters. If clusters are kept visible, the time of
  ///   `ClusterTree.shownPosition(of:at:keptVisibleIn:)` is added for each cluster.
  public init(
    _ clusters: Clusters, of query: Query, diameter: (@Sendable (Cluster) -> Double)? = nil,
    aggregates: [Aggregate] = []
  ) throws {
    (self.query, self.clusters) = (query, clusters)
    let tree = clusters.tree
    // A cluster may have points in view although its own position is out of view. Such a cluster is shown at one of its
    // points in view, so that the map shows every cluster of the answer.
    let window = query.keepsClustersVisible ? try query.viewport.located(on: tree.plane)?.window : nil
    let values = aggregates.isEmpty ? nil : try clusters.values(of: aggregates)
    shown = try clusters.enumerated().map { number, cluster in
      var place = MapMotion.Place(x: cluster.x, y: cluster.y)
      if let window, !window.contains(x: cluster.x, y: cluster.y) {
        let position = try tree.shownPosition(of: cluster, keptVisibleInWindow: window)
        (place.x, place.y) = (position.x, position.y)
      }
      let diameter = diameter?(cluster) ?? Self.standardDiameter(of: cluster, in: tree, for: query.cut)
      return ShownCluster(cluster, at: place, diameter: diameter, values: values?[number] ?? [])
    }
  }

  /// Diameter of the dot of a single point, in pixels.
  public static let dotDiameter = 11.0

  /// Returns the default diameter of a cluster's badge, in pixels. For a cut with badges, this is the diameter at
  /// which no two badges touch. For other cuts, there are two cases. A cluster of one point has the diameter
  /// `dotDiameter`. The diameter of a larger cluster grows with its number of points, from 24 to 44.
  public static func standardDiameter(of cluster: Cluster, in tree: ClusterTree, for cut: Cut) -> Double {
    if let diameter = tree.badgeDiameter(of: cluster, for: cut) { return diameter }
    return cluster.pointCount == 1 ? dotDiameter : BadgeSize.diameter(pointCount: cluster.pointCount)
  }
}

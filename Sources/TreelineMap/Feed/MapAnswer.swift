@_spi(Server) import Treeline

/// A cluster with its position and size on the map. It is a class, so that badges stay small. It is created off the
/// main thread.
final class ShownCluster: Sendable {
  let cluster: Cluster
  let place: MapMotion.Place
  /// Diameter in pixels.
  let diameter: Double
  /// Values of the aggregates, in the order of the feed's options.
  let values: [AggregateValue]

  init(_ cluster: Cluster, at place: MapMotion.Place, diameter: Double, values: [AggregateValue]) {
    (self.cluster, self.place, self.diameter, self.values) = (cluster, place, diameter, values)
  }
}

/// An answer with all data that is drawn for it. The task that made the query reads the data off the main thread.
public struct MapAnswer: Sendable {
  /// The query that was asked.
  public let query: Query

  /// The answer itself, in tree order.
  public let clusters: Clusters

  /// These clusters in this order, with positions and sizes.
  let shown: [ShownCluster]

  /// The tree that answered.
  public var tree: ClusterTree { clusters.tree }

  /// - Parameters:
  ///   - clusters: The answer.
  ///   - query: The query that was asked.
  ///   - diameter: Returns the diameter of a cluster in pixels; nil for `standardDiameter(of:in:for:)`.
  ///   - aggregates: Aggregates of the clusters' values, which badges and their titles can show.
  /// - Throws: `QueryError` if the query's viewport is invalid; `AggregateError` if an aggregate has no result;
  ///   `IndexError` if a file is damaged.
  /// - Complexity: O(k); more if clusters are kept visible, like `ClusterTree.shownPosition(of:at:keptVisibleIn:)`.
  public init(
    _ clusters: Clusters, of query: Query, diameter: (@Sendable (Cluster) -> Double)? = nil,
    aggregates: [Aggregate] = []
  ) throws {
    (self.query, self.clusters) = (query, clusters)
    let tree = clusters.tree
    // A cluster may have a point in view although its center is out of view. It is shown at that point, so that the map
    // shows every cluster of the answer.
    let window = query.keepsClustersVisible ? try query.viewport.located(on: tree.plane)?.window : nil
    let values = aggregates.isEmpty ? nil : try clusters.values(of: aggregates)
    shown = try clusters.enumerated().map { number, cluster in
      var place = MapMotion.Place(x: cluster.x, y: cluster.y)
      if let window, !window.contains(x: cluster.x, y: cluster.y) {
        let position = try tree.shownPosition(of: cluster, keptVisibleIn: window)
        (place.x, place.y) = (position.x, position.y)
      }
      let diameter = diameter?(cluster) ?? Self.standardDiameter(of: cluster, in: tree, for: query.cut)
      return ShownCluster(cluster, at: place, diameter: diameter, values: values?[number] ?? [])
    }
  }

  /// Diameter of the dot for a single point, in pixels.
  public static let dotDiameter = 11.0

  /// Returns the default diameter of a cluster's badge, in pixels. For a cut with badges it is the diameter at which no
  /// two badges touch. For other cuts it is `dotDiameter` for a single point, and `BadgeSize.diameter(pointCount:)` for
  /// several points.
  public static func standardDiameter(of cluster: Cluster, in tree: ClusterTree, for cut: Cut) -> Double {
    if let diameter = tree.badgeDiameter(of: cluster, for: cut) { return diameter }
    return cluster.pointCount == 1 ? dotDiameter : BadgeSize.diameter(pointCount: cluster.pointCount)
  }
}

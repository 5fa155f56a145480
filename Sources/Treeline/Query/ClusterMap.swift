/// Your own values on a map: a `ClusterTree` that answers with them.
///
/// ```swift
/// let hotels = try ClusterMap(allHotels, at: \.coordinate)
/// for result in try hotels.clusters(in: visibleBox, limit: 50) { ... }
/// ```
public struct ClusterMap<Value: Sendable>: Sendable {
  public let tree: ClusterTree

  /// The values in the order in which they were given; row numbers of the tree count them.
  public let values: [Value]

  package init(tree: ClusterTree, values: [Value]) {
    self.tree = tree
    self.values = values
  }

  /// What is shown at one place of the map.
  public enum Result: Sendable {
    /// One value.
    case single(Value, Cluster)
    /// Several, shown as one.
    case cluster(Cluster, members: Members)

    /// Where it is and what it looks like, whichever of the two it is.
    public var cluster: Cluster {
      switch self {
      case .single(_, let cluster), .cluster(let cluster, _): cluster
      }
    }
  }

  /// The values of one cluster in tree order; a slice is a page and costs O(1).
  public struct Members: RandomAccessCollection, Sendable {
    let rows: RowNumbers
    let values: [Value]

    public var startIndex: Int { 0 }
    public var endIndex: Int { rows.count }
    public subscript(position: Int) -> Value { values[rows[position]] }
  }

  /// The values in a box, at most `limit` results; see `ClusterTree.clusters(in:limit:order:)` for what holds of them.
  public func clusters(
    in box: BoundingBox, limit: Int, order: ExpansionOrder = .breadthFirst
  ) throws -> [Result] {
    try tree.clusters(in: box, limit: limit, order: order).map(result(for:))
  }

  /// The values in a box, each cluster spread over no more than so many pixels; see
  /// `ClusterTree.clusters(in:zoom:detail:limit:alone:)`.
  public func clusters(
    in box: BoundingBox, zoom: Double, detail: Double, limit: Int = .max, alone: PointsAlone = .never
  ) throws -> [Result] {
    try tree.clusters(in: box, zoom: zoom, detail: detail, limit: limit, alone: alone).map(result(for:))
  }

  /// The values in a box, any two results at least so many pixels apart; see
  /// `ClusterTree.clusters(in:zoom:spacing:limit:alone:)`. It needs a map built with
  /// `BuildOptions(computesSeparations: true)`.
  public func clusters(
    in box: BoundingBox, zoom: Double, spacing: Double, limit: Int = .max, alone: PointsAlone = .never
  ) throws -> [Result] {
    try tree.clusters(in: box, zoom: zoom, spacing: spacing, limit: limit, alone: alone).map(result(for:))
  }

  /// The values of any cluster of the tree.
  public func members(of cluster: Cluster) -> Members {
    Members(rows: tree.members(of: cluster), values: values)
  }

  /// A cluster of the tree with its values.
  public func result(for cluster: Cluster) -> Result {
    if let index = cluster.index { return .single(values[index], cluster) }
    return .cluster(cluster, members: members(of: cluster))
  }
}

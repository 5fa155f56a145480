/// Where on the map a cluster is shown.
public struct ShownPosition: Hashable, Sendable {
  /// Which position stands for a cluster.
  public enum Rule: String, Sendable, Hashable, CaseIterable {
    /// The mean of its points, where none of them need be: a town around a bay is shown in the water.
    case mean
    /// The point nearest to the mean.
    case member
  }

  /// In units of the plane, eastwards from its seam.
  public let x: Double
  /// In units of the plane, southwards.
  public let y: Double

  /// The tree index of the member there; nil for the mean.
  public let treeIndex: Int?

  /// The plane it lies on.
  public let plane: Plane

  /// The same as a coordinate.
  public var coordinate: Coordinate { plane.coordinate(x: x, y: y) }
}

extension ClusterTree {
  /// Where a cluster is shown.
  ///
  /// Kept visible in a window, it is inside as long as a point of the cluster is: if the rule's own position is not,
  /// the visible member nearest to the mean takes its place, and so changes with the window.
  ///
  /// ```swift
  /// for cluster in try tree.clusters(.detail(20), in: view) {
  ///   let shown = try tree.shownPosition(of: cluster.id, at: .mean, keptVisibleIn: window)
  ///   draw(cluster, at: shown.coordinate)
  /// }
  /// ```
  ///
  /// A spacing is between means: clusters shown elsewhere may be closer.
  ///
  /// - Throws: `QueryError.unknownCluster` where the tree has no such cluster; `IndexError` where a file is damaged.
  /// - Complexity: O(level) for the mean, otherwise that of `nearestMember(of:)`.
  public func shownPosition(
    of id: ClusterID, at rule: ShownPosition.Rule = .mean, keptVisibleIn window: PlaneWindow? = nil
  ) throws -> ShownPosition {
    let position =
      switch rule {
      case .mean: mean(of: try cluster(id))
      case .member: member(try nearestMember(of: id))
      }
    guard let window, !window.contains(x: position.x, y: position.y) else { return position }
    return try nearestMember(of: id, in: window).map(member) ?? position
  }

  /// The same for a box, which may reach beyond the plane.
  public func shownPosition(of id: ClusterID, at rule: ShownPosition.Rule = .mean, keptVisibleIn box: BoundingBox)
    throws -> ShownPosition
  { try shownPosition(of: id, at: rule, keptVisibleIn: plane.window(showing: box)) }

  /// The tree index of the member of a cluster nearest to its mean, the first of several. Distances are exact.
  ///
  /// - Throws: `QueryError.unknownCluster` where the tree has no such cluster; `IndexError` where a file is damaged.
  /// - Complexity: O(log pointCount) for most clusters; O(n) where most members are equally far from the mean.
  public func nearestMember(of id: ClusterID) throws -> Int {
    // Every node has a point, and the whole plane has all, whatever boxes a damaged file has.
    try nearestMember(of: id, in: .everything)!
  }

  /// The same among the members in a window; nil if none is.
  public func nearestMember(of id: ClusterID, in window: PlaneWindow) throws -> Int? {
    try withStorage { try $0.nearestMember(of: node(id), in: window) }
  }

  private func mean(of cluster: Cluster) -> ShownPosition {
    ShownPosition(x: cluster.meanX, y: cluster.meanY, treeIndex: nil, plane: plane)
  }

  private func member(_ treeIndex: Int) -> ShownPosition {
    let point = position(atTreeIndex: treeIndex)
    return ShownPosition(x: Double(point.x), y: Double(point.y), treeIndex: treeIndex, plane: plane)
  }
}

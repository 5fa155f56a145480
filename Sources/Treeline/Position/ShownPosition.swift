/// Where on the map a cluster is shown.
public struct ShownPosition: Hashable, Sendable {
  /// Which of the positions that could stand for a cluster does.
  public enum Rule: String, Sendable, Hashable, CaseIterable {
    /// The mean of its points, where none of them need be: the middle of a bay, for a town around it.
    case mean
    /// The point nearest to the mean.
    case member
  }

  /// In units of the plane.
  public let x: Double
  public let y: Double

  /// The tree index of the member that is there; nil for the mean.
  public let treeIndex: Int?

  /// The plane it lies on.
  public let plane: Plane

  public var coordinate: Coordinate { plane.coordinate(x: x, y: y) }
}

extension ClusterTree {
  /// Where a cluster is shown.
  ///
  /// Kept visible in a window it never lies outside while a point of the cluster is inside: if the rule's own position
  /// does, it is that of the visible member nearest to the mean, and so moves with the window.
  ///
  /// ```swift
  /// for cluster in try tree.clusters(in: window, zoom: 7, detail: 20) {
  ///   let shown = try tree.shownPosition(of: cluster.id, at: .mean, keptVisibleIn: window)
  ///   draw(cluster, at: shown.coordinate)
  /// }
  /// ```
  ///
  /// A spacing is between means: clusters shown elsewhere may stand closer.
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

  /// The same for a box, which need not lie on the plane.
  public func shownPosition(of id: ClusterID, at rule: ShownPosition.Rule = .mean, keptVisibleIn box: BoundingBox)
    throws -> ShownPosition
  { try shownPosition(of: id, at: rule, keptVisibleIn: plane.window(showing: box)) }

  /// The tree index of the member of a cluster that lies nearest to the mean of them all; of several equally near the
  /// first. Distances are compared exactly.
  ///
  /// - Throws: `QueryError.unknownCluster` where the tree has no such cluster; `IndexError` where a file is damaged.
  /// - Complexity: O(log pointCount) for most clusters; at worst, where most members are equally far from the mean,
  ///   O(n).
  public func nearestMember(of id: ClusterID) throws -> Int {
    // Every node has a point, and the whole plane all of them, whatever a damaged file says of their boxes.
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

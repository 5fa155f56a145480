/// The position on the map where a cluster is shown.
public struct ShownPosition: Hashable, Sendable {
  /// A rule that chooses the position of a cluster.
  public enum Rule: String, Sendable, Hashable, CaseIterable {
    /// The mean of the cluster's points. There may be no point at the mean. For example, a town around a bay is shown
    /// in the water. Under a filter, this is the mean of the points that pass. Clusters may then be closer to each
    /// other than the cut allows.
    case mean
    /// The point nearest to the mean.
    case member
  }

  /// The x coordinate in units of the plane. It grows eastwards from the seam. The seam is the meridian at which the
  /// plane begins.
  package let x: Double
  /// The y coordinate in units of the plane. It grows southwards.
  package let y: Double

  /// Tree index of the cluster's point at this position; nil for the mean.
  package let treeIndex: Int?

  /// The plane of the position.
  package let plane: Plane

  /// The position as a coordinate.
  public var coordinate: Coordinate { plane.coordinate(x: x, y: y) }
}

/// The part of a request that chooses the positions at which the clusters of an answer are shown.
@_spi(Server) public struct PositionStyle: Hashable, Sendable {
  private let rule: ShownPosition.Rule?
  private let keepsVisible: Bool?

  /// - Parameters:
  ///   - rule: The rule for positions; nil to show clusters at their own positions (`Cluster.coordinate`).
  ///   - keepsVisible: Whether a cluster with a point in view is always shown inside the view; nil to let the query
  ///     decide.
  public init(_ rule: ShownPosition.Rule?, keepsVisible: Bool?) {
    (self.rule, self.keepsVisible) = (rule, keepsVisible)
  }

  /// Whether the request contains a rule, or a choice about keeping clusters in view.
  public var isGiven: Bool { rule != nil || keepsVisible != nil }

  /// Returns the name of a request parameter that may move clusters away from their own positions; nil if the request
  /// has no such parameter.
  ///
  /// - Parameter tree: The tree of the clusters; nil if the tree is not known yet.
  public func moving(in tree: ClusterTree?) -> String? {
    if rule == .member || rule == .mean && tree?.anchor == .member { return "position" }
    return keepsVisible == true ? "keep-visible" : nil
  }

  /// Returns the view in which the clusters of a query are kept visible; nil if clusters are not kept visible, or if
  /// nothing is in view.
  ///
  /// - Parameters:
  ///   - query: The query for the clusters.
  ///   - view: The query's viewport on the plane.
  public func view(for query: Query, in view: PlaneViewport?) -> PlaneViewport? {
    keepsVisible ?? query.keepsClustersVisible ? view : nil
  }

  /// Returns the position at which a cluster is shown; nil if the cluster is shown at its own position.
  ///
  /// - Parameters:
  ///   - cluster: The cluster.
  ///   - tree: The tree of the cluster.
  ///   - view: The view in which the cluster is kept visible; nil if it is not kept visible.
  public func position(of cluster: Cluster, of tree: ClusterTree, keptVisibleIn view: PlaneViewport?) throws
    -> ShownPosition?
  {
    // Under a filter, a cluster's own position may be the mean of all its points, including points that fail (see
    // `Cluster.coordinate`). The rule `mean` always leaves out the points that fail.
    let isAtAnchor = rule == nil || rule == .mean && !tree.isFiltered
    if view == nil && isAtAnchor && tree.anchor == .mean { return nil }
    return try tree.shownPosition(of: cluster, at: rule, keptVisibleInWindow: view?.window)
  }
}

extension ClusterTree {
  /// Returns the position at which a cluster is shown.
  ///
  /// If the given box contains a point of the cluster, the cluster is shown inside the box. If the rule gives a
  /// position outside this box, the cluster is shown at one of its points in the box. Of these points, the point
  /// nearest to the cluster's mean is chosen. So the position may change with the box.
  ///
  /// ```swift
  /// for cluster in try tree.clusters(.detail(20), in: view) {
  ///   let shown = try tree.shownPosition(of: cluster, keptVisibleIn: box)
  ///   draw(cluster, at: shown.coordinate)
  /// }
  /// ```
  ///
  /// A cut keeps clusters apart only at their own positions. At other positions clusters may be closer to each other
  /// than the cut allows.
  ///
  /// - Parameters:
  ///   - cluster: A cluster of this tree.
  ///   - rule: The rule for the position; nil for the cluster's own position.
  ///   - box: The box in which the cluster is kept visible; nil if it is not kept visible. The box may extend beyond
  ///     the plane.
  /// - Throws: `QueryError` if the box is not valid; `IndexError` if a file is damaged.
  /// - Complexity: O(depth) for the mean and for the cluster's own position. For a position at one of the cluster's
  ///   points: O(log pointCount) for most clusters, and O(n) for a cluster of n points if most points are equally far
  ///   from the mean.
  public func shownPosition(
    of cluster: Cluster, at rule: ShownPosition.Rule? = nil, keptVisibleIn box: BoundingBox? = nil
  ) throws -> ShownPosition {
    try shownPosition(of: cluster, at: rule, keptVisibleInWindow: box.flatMap { try plane.window(showing: $0) })
  }

  /// Returns the position at which a cluster is shown, like `shownPosition(of:at:keptVisibleIn:)`.
  package func shownPosition(
    of cluster: Cluster, at rule: ShownPosition.Rule? = nil, keptVisibleInWindow window: PlaneWindow?
  ) throws -> ShownPosition {
    let position =
      switch rule {
      case nil: ShownPosition(x: cluster.x, y: cluster.y, treeIndex: cluster.anchorIndex, plane: plane)
      case .mean: ShownPosition(x: cluster.meanX, y: cluster.meanY, treeIndex: nil, plane: plane)
      case .member: member(try nearestMember(of: cluster.id))
      }
    guard let window, !window.contains(x: position.x, y: position.y) else { return position }
    return try nearestMember(of: cluster.id, in: window).map(member) ?? position
  }

  /// Finds the point of a cluster that is nearest to the cluster's mean, and returns the point's tree index. If
  /// several points are equally near, returns the first of them. Distances are exact.
  ///
  /// - Throws: `QueryError.unknownCluster` if the tree has no such cluster; `IndexError` if a file is damaged.
  /// - Complexity: O(log pointCount) for most clusters; O(n) for a cluster of n points if most points are equally far
  ///   from the mean.
  package func nearestMember(of id: ClusterID) throws -> Int {
    // The result is not nil. Every cluster has a point that passes the filter, and the whole plane contains all
    // points, even if a damaged file has wrong boxes.
    try nearestMember(of: id, in: .everything)!
  }

  /// Considers only the points of a cluster that are in a window. Finds the point nearest to the cluster's mean, and
  /// returns the point's tree index. Returns nil if no point of the cluster is in the window.
  package func nearestMember(of id: ClusterID, in window: PlaneWindow) throws -> Int? {
    try withStorage { storage in
      let (node, edges) = (try node(id), storage.edges(of: window))
      guard let selection else {
        return try storage.nearestMember(of: node, in: PointsInView(edges: edges, counted: AllPoints()))
      }
      return try storage.nearestMember(of: node, in: PointsInView(edges: edges, counted: selection.points))
    }
  }

  private func member(_ treeIndex: Int) -> ShownPosition {
    let point = position(atTreeIndex: treeIndex)
    return ShownPosition(x: Double(point.x), y: Double(point.y), treeIndex: treeIndex, plane: plane)
  }
}

extension TreeStorage {
  /// Considers only the points of a node that are in a window. Finds the point nearest to the node's mean, and returns
  /// the point's tree index. If several points are equally near, returns the first of them. Returns nil if no point of
  /// the node is in the window.
  ///
  /// The search is depth-first and visits the nearer child first. A node is skipped if it is not nearer than the best
  /// point so far (Roussopoulos, Kelley and Vincent 1995, doi:10.1145/223784.223794). At most one node of each level
  /// is kept for later.
  ///
  /// Complexity: O(log n) for most nodes of n points; O(n) if most points are equally far from the mean, as on a
  /// circle.
  func nearestMember<Counted>(of node: Node, in view: PointsInView<Counted>) throws(IndexError) -> Int? {
    try checkSummary(of: node)
    let summary = view.counted.summary(of: node, in: self)
    let distance = MeanDistance(sums: summary.sums, count: UInt32(summary.count), box: summary.box)
    var best = (squared: UInt128.max, treeIndex: Int.max)

    var waiting = [(node: node, squared: UInt128(0))]
    while let (node, squared) = waiting.popLast() {
      guard (squared, Int(node.first)) < best else { continue }
      if isStored(node), let (left, right) = try children(of: node) {
        let sides = [left, right].compactMap { child in
          let box = nodes[Int(child.record)].box
          return view.mayShow(child, box) ? (node: child, squared: distance.squared(from: box)) : nil
        }
        waiting += sides.count == 2 && sides[0].squared <= sides[1].squared ? sides.reversed() : sides
        continue
      }
      for treeIndex in try distinctTreeIndices(of: node, view.counted) where view.contains(treeIndex, of: self) {
        let squared = distance.squared(from: points[treeIndex])
        if (squared, treeIndex) < best { best = (squared, treeIndex) }
      }
    }
    return best.treeIndex == .max ? nil : best.treeIndex
  }

  /// Returns the tree indices of the points in a bucket or in a part of a bucket. If all points have the same
  /// position, returns only the index of the first counted point, or an empty range if no point is counted.
  func distinctTreeIndices(of node: Node, _ counted: some CountedPoints) throws(IndexError) -> Range<Int> {
    if nodes[Int(node.record)].box.isPoint {
      guard counted.hasAny(of: node) else { return node.range.prefix(0) }
      let first = counted.firstIndex(of: node)
      return first..<first + 1
    }
    guard node.count <= NodeRecord.bucketCapacity else { throw bucketOverfull(node.record) }
    return node.range
  }
}

/// Exact squared distances to the mean of a node's points. Before squaring, distances are multiplied by the number of
/// points, which makes them whole numbers.
private struct MeanDistance {
  /// Sums of the points' coordinates. `TreeStorage.summary` ensures that the mean of the points is inside `box`.
  let sums: NodeSums
  let count: UInt32
  let box: PlaneRect

  func squared(from point: PlanePoint) -> UInt128 { squared(from: PlaneRect(point)) }

  /// Returns the squared distance from the mean to the nearest position of a box. There need not be a point at this
  /// position.
  func squared(from other: PlaneRect) -> UInt128 {
    let x = gap(sums.x, scaled(other.minX &- box.minX), scaled(other.maxX &- box.minX))
    let y = gap(sums.y, scaled(other.minY &- box.minY), scaled(other.maxY &- box.minY))
    // The sum of the squares of two numbers up to 2^63 fits 128 bits.
    return UInt128(x) * UInt128(x) + UInt128(y) * UInt128(y)
  }

  /// Multiplies a distance by the number of points. The product of up to 2^31 points and 2^32 units fits 64 bits.
  /// Callers subtract coordinates modulo 2^32, so wrong boxes in a damaged file cannot cause an overflow and a trap.
  private func scaled(_ distance: UInt32) -> UInt64 { UInt64(distance) * UInt64(count) }

  private func gap(_ value: UInt64, _ least: UInt64, _ greatest: UInt64) -> UInt64 {
    // `least` is above `greatest` if the other box crosses the seam, but the node's own `box` does not. The other box
    // then has parts on both sides of the mean, so the distance to it counts as 0.
    if least > greatest { return 0 }
    return value < least ? least - value : value > greatest ? value - greatest : 0
  }
}

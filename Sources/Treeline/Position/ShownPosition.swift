/// Where on the map a cluster is shown.
public struct ShownPosition: Hashable, Sendable {
  /// Which position stands for a cluster.
  public enum Rule: String, Sendable, Hashable, CaseIterable {
    /// The mean of its points, where none of them need be: a town around a bay is shown in the water. Under a filter
    /// that of the points that pass, where clusters may be closer than a spacing or badges keep them.
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

/// Where the clusters of an answer are shown, as somebody asked for it.
@_spi(Server) public struct PositionStyle: Hashable, Sendable {
  private let rule: ShownPosition.Rule?
  private let keepsVisible: Bool?

  /// - Parameters:
  ///   - rule: nil for where they stand.
  ///   - keepsVisible: nil where the query decides.
  public init(_ rule: ShownPosition.Rule?, keepsVisible: Bool?) {
    (self.rule, self.keepsVisible) = (rule, keepsVisible)
  }

  /// Whether anything was asked for.
  public var isGiven: Bool { rule != nil || keepsVisible != nil }

  /// The parameter that has clusters shown elsewhere than where they stand; nil if none does.
  ///
  /// - Parameter tree: That of the clusters; nil where it is not known yet.
  public func moving(in tree: ClusterTree?) -> String? {
    if rule == .member || rule == .mean && tree?.stand == .member { return "position" }
    return keepsVisible == true ? "keep-visible" : nil
  }

  /// In what the clusters of a query are kept visible; nil where they are not, or nothing is in view.
  ///
  /// - Parameters:
  ///   - query: Of the clusters.
  ///   - window: What the query looks at.
  public func window(for query: Query, in window: PlaneWindow?) -> PlaneWindow? {
    keepsVisible ?? query.keepsClustersVisible ? window : nil
  }

  /// Where a cluster is shown if not where it stands.
  ///
  /// - Parameters:
  ///   - cluster: Which one.
  ///   - tree: The tree that it is of.
  ///   - window: In what it is kept visible.
  public func position(of cluster: Cluster, of tree: ClusterTree, keptVisibleIn window: PlaneWindow?) throws
    -> ShownPosition?
  {
    // Under a filter, clusters that are kept apart stand at the mean of all points, not of those that pass.
    let isWhereItStands = rule == nil || rule == .mean && !tree.isFiltered
    if window == nil && isWhereItStands && tree.stand == .mean { return nil }
    return try tree.shownPosition(of: cluster, at: rule, keptVisibleIn: window)
  }
}

extension ClusterTree {
  /// Where a cluster is shown.
  ///
  /// Kept visible in a window, it is inside as long as a point of the cluster is: if the rule's own position is not,
  /// the visible member nearest to the mean takes its place, and so changes with the window.
  ///
  /// ```swift
  /// for cluster in try tree.clusters(.detail(20), in: view) {
  ///   let shown = try tree.shownPosition(of: cluster, keptVisibleIn: window)
  ///   draw(cluster, at: shown.coordinate)
  /// }
  /// ```
  ///
  /// Clusters are kept apart where they stand: shown elsewhere they may be closer.
  ///
  /// - Parameters:
  ///   - id: Which cluster.
  ///   - rule: nil is where it stands.
  ///   - window: In which it is to be visible.
  /// - Throws: `QueryError.unknownCluster` where the tree has no such cluster; `IndexError` where a file is damaged.
  /// - Complexity: O(depth) for where it stands and the mean, otherwise that of `nearestMember(of:)`.
  public func shownPosition(
    of id: ClusterID, at rule: ShownPosition.Rule? = nil, keptVisibleIn window: PlaneWindow? = nil
  ) throws -> ShownPosition { try shownPosition(of: cluster(id), at: rule, keptVisibleIn: window) }

  /// The same for a cluster of an answer.
  public func shownPosition(
    of cluster: Cluster, at rule: ShownPosition.Rule? = nil, keptVisibleIn window: PlaneWindow? = nil
  ) throws -> ShownPosition {
    let position =
      switch rule {
      case nil: try stand(of: cluster)
      case .mean: ShownPosition(x: cluster.meanX, y: cluster.meanY, treeIndex: nil, plane: plane)
      case .member: member(try nearestMember(of: cluster.id))
      }
    guard let window, !window.contains(x: position.x, y: position.y) else { return position }
    return try nearestMember(of: cluster.id, in: window).map(member) ?? position
  }

  /// The same for a box, which may reach beyond the plane.
  public func shownPosition(of id: ClusterID, at rule: ShownPosition.Rule? = nil, keptVisibleIn box: BoundingBox)
    throws -> ShownPosition
  { try shownPosition(of: id, at: rule, keptVisibleIn: plane.window(showing: box)) }

  /// The tree index of the member of a cluster nearest to its mean, the first of several. Distances are exact.
  ///
  /// - Throws: `QueryError.unknownCluster` where the tree has no such cluster; `IndexError` where a file is damaged.
  /// - Complexity: O(log pointCount) for most clusters; O(n) where most members are equally far from the mean.
  public func nearestMember(of id: ClusterID) throws -> Int {
    // Every node has a point that counts, and the whole plane has all, whatever boxes a damaged file has.
    try nearestMember(of: id, in: .everything)!
  }

  /// The same among the members in a window; nil if none is.
  public func nearestMember(of id: ClusterID, in window: PlaneWindow) throws -> Int? {
    try withStorage { storage in
      let (node, edges) = (try node(id), storage.edges(of: window))
      guard let selection else {
        return try storage.nearestMember(of: node, in: PointsInView(edges: edges, counted: AllPoints()))
      }
      return try storage.nearestMember(of: node, in: PointsInView(edges: edges, counted: selection.points))
    }
  }

  private func stand(of cluster: Cluster) throws -> ShownPosition {
    let treeIndex = stand == .mean ? nil : try withStorage { $0.standIndex(of: try node(cluster.id)) }
    return ShownPosition(x: cluster.x, y: cluster.y, treeIndex: treeIndex, plane: plane)
  }

  private func member(_ treeIndex: Int) -> ShownPosition {
    let point = position(atTreeIndex: treeIndex)
    return ShownPosition(x: Double(point.x), y: Double(point.y), treeIndex: treeIndex, plane: plane)
  }
}

extension TreeStorage {
  /// The tree index of a node's point in a window that is nearest to the node's mean, the first of several; nil if the
  /// window has none.
  ///
  /// Depth first, the nearer child first, pruning what is no nearer than the best so far (Roussopoulos, Kelley and
  /// Vincent 1995, doi:10.1145/223784.223794); at most one node a level waits.
  ///
  /// Complexity: O(log n) for most nodes; O(n) where most points are equally far from the mean, as on a circle.
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

  /// The tree indices of a bucket or of a part of one; of a stack only the first of those that count, if any does.
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

/// Exact squared distances to the mean of a node's points: distances are scaled by the number of points, so that they
/// are whole numbers.
private struct MeanDistance {
  /// At most those of the box's far corner, as `TreeStorage.summary` has them.
  let sums: NodeSums
  let count: UInt32
  let box: PlaneRect

  func squared(from point: PlanePoint) -> UInt128 { squared(from: PlaneRect(point)) }

  /// From the nearest position of a box, which need not be a point's.
  func squared(from other: PlaneRect) -> UInt128 {
    let x = gap(sums.x, scaled(other.minX &- box.minX), scaled(other.maxX &- box.minX))
    let y = gap(sums.y, scaled(other.minY &- box.minY), scaled(other.maxY &- box.minY))
    // Two squares of numbers up to 2^63 fit.
    return UInt128(x) * UInt128(x) + UInt128(y) * UInt128(y)
  }

  /// 2^31 points times 2^32 units fit; differences are modulo 2^32, so that boxes of a damaged file cannot trap.
  private func scaled(_ distance: UInt32) -> UInt64 { UInt64(distance) * UInt64(count) }

  private func gap(_ value: UInt64, _ least: UInt64, _ greatest: UInt64) -> UInt64 {
    // A box across the seam, in one that is not, lies on both sides.
    if least > greatest { return 0 }
    return value < least ? least - value : value > greatest ? value - greatest : 0
  }
}

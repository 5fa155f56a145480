/// What a tile of a map shows: clusters by where they stand, not by where their points are.
///
/// A cluster's mean may lie where none of its points does, in the tile beside all of them. So that it is drawn once, whichever
/// tiles are asked for, a tile shows the clusters whose mean lies in it.
extension ClusterTree {
  /// The clusters of `clusters(in:zoom:detail:)` over the whole plane whose mean lies in a window, edges included; in tree
  /// order.
  ///
  /// - Throws: `QueryError` where an argument is none; `IndexError` where a file is damaged.
  /// - Complexity: O(answer + depth), besides nodes whose boxes reach into the window.
  public func clusters(
    standingIn window: PlaneWindow, zoom: Double, detail: Double, alone: PointsAlone = .never
  ) throws -> Clusters {
    let units = try Self.units(detail, of: "detail", zoom: zoom)
    defer { withExtendedLifetime(storage) {} }
    let storage = storage
    return Clusters(
      tree: self,
      nodes: try storage.nodes(standingIn: window, leastMembers: alone.leastMembers(atZoom: zoom)) {
        node, _ throws(IndexError) in
        try storage.squaredRadius(of: node) > units * units
      })
  }

  /// The clusters of `clusters(in:zoom:spacing:)` over the whole plane whose mean lies in a window, edges included; in tree
  /// order.
  ///
  /// - Throws: `QueryError.noSeparations` where the tree has none; `QueryError` where an argument is none; `IndexError`
  ///   where a file is damaged.
  /// - Complexity: O(answer + depth), besides nodes whose boxes reach into the window.
  public func clusters(
    standingIn window: PlaneWindow, zoom: Double, spacing: Double, alone: PointsAlone = .never
  ) throws -> Clusters {
    let required = try Self.requiredSeparation(zoom: zoom, spacing: spacing)
    guard let separations = storage.separations else { throw QueryError.noSeparations }
    defer { withExtendedLifetime(storage) {} }
    return Clusters(
      tree: self,
      nodes: try storage.nodes(standingIn: window, leastMembers: alone.leastMembers(atZoom: zoom)) {
        node, fork throws(IndexError) in
        SeparationCode(rawValue: separations[Int(node.first &+ fork.leftCount)]) >= required
      })
  }
}

extension TreeStorage {
  /// The first nodes on the ways down from the root that are not too coarse, as far as their means lie in a window.
  fileprivate func nodes(
    standingIn window: PlaneWindow, leastMembers: Int,
    expanding isTooCoarse: (Node, ChildPair) throws(IndexError) -> Bool
  ) throws(IndexError) -> [Node] {
    var nodes: [Node] = []
    // The right parts on the way down to the node that is looked at: one a level.
    var waiting: [Node] = []
    if let root { waiting.append(root) }
    while let node = waiting.popLast() {
      // A mean lies in the box around its points.
      let box = box(of: node)
      guard window.intersects(box) else { continue }
      if let fork = try childPair(of: node),
        try Int(node.count) < leastMembers ? true : isTooCoarse(node, fork)
      {
        waiting.append(fork.right(of: node))
        waiting.append(fork.left(of: node))
        continue
      }
      try checkSummary(of: node)
      let (sums, count) = (summary(of: node, in: box).sums, Double(node.count))
      if window.contains(
        x: Double(box.minX) + Double(sums.x) / count, y: Double(box.minY) + Double(sums.y) / count)
      {
        nodes.append(node)
      }
    }
    return nodes
  }
}

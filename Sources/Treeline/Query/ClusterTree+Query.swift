extension ClusterTree {
  /// The clusters that stand for the points in a box, at most `limit` of them, in tree order.
  ///
  /// A pure function of the tree and its arguments. It holds always that
  /// - every point inside the box is in exactly one cluster, and every cluster has a point inside the box;
  /// - no cluster contains another;
  /// - no cluster could still be replaced by its visible children within the limit;
  /// - a box inside this one has an answer that refines this one at the same limit: zooming in never merges.
  ///
  /// Inside is what lies inside on the tree's plane, edges included, which is exact to a unit of the
  /// plane: 1 cm on the Earth, the 2^32nd part of the data's extent on a plain plane.
  /// A cluster stands for all its points, some of which may lie outside the box.
  ///
  /// - Parameters:
  ///   - box: What to look at, in degrees. `west` greater than `east` crosses the antimeridian.
  ///   - limit: The greatest number of clusters, 1 or more.
  ///   - order: Which cluster is replaced next as long as there is room.
  /// - Returns: The clusters; none where no point is inside.
  /// - Throws: `QueryError` where the limit is below 1 or the box is not one; `IndexError` where a file is damaged.
  /// - Complexity: O(limit + depth), the size of the data apart; widest first O(limit log limit + depth).
  public func clusters(
    in box: BoundingBox, limit: Int, order: ExpansionOrder = .breadthFirst
  ) throws -> Clusters {
    guard limit >= 1 else { throw QueryError.limitBelowOne(found: limit) }
    guard let window = try plane.window(showing: box) else { return noClusters }
    return try clusters(in: window, limit: limit, order: order)
  }

  /// The same for a viewport, whose size in pixels does not matter to a limit.
  public func clusters(
    in viewport: Viewport, limit: Int, order: ExpansionOrder = .breadthFirst
  ) throws -> Clusters {
    try clusters(in: viewport.box, limit: limit, order: order)
  }

  /// The same for a part of the plane.
  public func clusters(
    in window: PlaneWindow, limit: Int, order: ExpansionOrder = .breadthFirst
  ) throws -> Clusters {
    guard limit >= 1 else { throw QueryError.limitBelowOne(found: limit) }
    defer { withExtendedLifetime(storage) {} }
    let cut =
      switch order {
      case .breadthFirst: try storage.breadthFirstCut(in: window, limit: limit)
      case .widestFirst: try storage.bestFirstCut(in: window, limit: limit, .scatter)
      case .steepestFirst: try storage.bestFirstCut(in: window, limit: limit, .savedScatter)
      }
    return Clusters(tree: self, nodes: cut)
  }

  /// Whether a box shows any point at all.
  public func hasPoint(in box: BoundingBox) throws -> Bool {
    defer { withExtendedLifetime(storage) {} }
    guard let window = try plane.window(showing: box), let root = storage.root else { return false }
    return try storage.isSeen(root, in: window)
  }
}

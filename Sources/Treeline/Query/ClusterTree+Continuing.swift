extension ClusterTree {
  /// The clusters that stand for the points in a box, at most `limit` of them, that change least from a previous answer.
  ///
  /// A limit decides for all clusters at once how fine they are, so even a small pan splits and merges some in the middle of
  /// the screen. Here as many clusters of the previous answer stay as in any answer within the limit. Of those that
  /// keep as many and split no more than it takes, this is the one of the least scatter: the sum of the squared distances
  /// of all points to the means of their clusters.
  ///
  /// That holds as long as its scatter is at most `continuityFactor` squared of that of the fresh answer. Where it is more,
  /// previous clusters give way to the fresh ones within them, those first that gain most by it, and fewer are merged,
  /// until it is not. If the limit leaves room for that, as few are lost as can be; if not, a few more may be:
  /// of small trees, held against all their answers, hardly any.
  ///
  /// Like any answer, every point in the box is in exactly one cluster, every cluster has a point in the box, and
  /// none contains another. A box inside that of a fresh answer has one that refines it, however it is continued. But unlike
  /// others it depends on what was shown before, so on the way in from an answer that continued another it may merge.
  ///
  /// - Parameters:
  ///   - previous: An answer of this tree, for whatever box.
  ///   - order: That of the fresh answer.
  /// - Precondition: `previous` is of this tree.
  /// - Throws: As the fresh answer does.
  /// - Complexity: O(k log k + k · depth), k being the limit and the size of the previous answer; O(k · d) more where d
  ///   clusters too many are to be merged, as often as there are bits in k if they scatter too much.
  public func clusters(
    in box: BoundingBox, limit: Int, continuing previous: Clusters, order: ExpansionOrder = .breadthFirst
  ) throws -> Clusters {
    guard limit >= 1 else { throw QueryError.limitBelowOne(found: limit) }
    guard let window = try plane.window(showing: box) else { return noClusters }
    return try clusters(in: window, limit: limit, continuing: previous, order: order)
  }

  /// The same for a part of the plane.
  public func clusters(
    in window: PlaneWindow, limit: Int, continuing previous: Clusters,
    order: ExpansionOrder = .breadthFirst
  ) throws -> Clusters {
    precondition(
      previous.tree.storage === storage, "Expected an answer of this tree, found one of another tree")
    let fresh = try clusters(in: window, limit: limit, order: order)
    defer { withExtendedLifetime(storage) {} }
    let seen = try previous.nodes.filter { node throws(IndexError) in
      try storage.hasVisiblePoint(node, in: window)
    }
    let choices = try Continuation(of: seen, and: fresh.nodes, of: storage, in: window)
    return Clusters(tree: self, nodes: choices.nodes(limit: limit) ?? fresh.nodes)
  }

  /// How much farther from their clusters' means points may be in an answer that continues another than in a fresh one,
  /// as a root mean square.
  public static let continuityFactor = 1.25
}

extension TreeStorage {
  /// Whether any node, a part of a bucket too, has a point in the window.
  func hasVisiblePoint(_ node: Node, in window: PlaneWindow) throws(IndexError) -> Bool {
    if node.depthInBucket == 0 { return try isSeen(node, in: window) }
    return node.range.contains { window.contains(points[$0]) }
  }
}

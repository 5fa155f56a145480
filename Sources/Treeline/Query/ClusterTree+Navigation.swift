extension ClusterTree {
  /// The cluster of an id.
  ///
  /// - Throws: `QueryError.unknownCluster` where the tree has no such node.
  /// - Complexity: O(level)
  public func cluster(_ id: ClusterID) throws -> Cluster {
    defer { withExtendedLifetime(storage) {} }
    return try checkedCluster(of: node(id))
  }

  /// The two parts of a cluster in tree order, or none where all its points have one position.
  ///
  /// - Complexity: O(level)
  public func children(of id: ClusterID) throws -> [Cluster] {
    defer { withExtendedLifetime(storage) {} }
    guard let (left, right) = try storage.children(of: node(id)) else { return [] }
    return try [checkedCluster(of: left), checkedCluster(of: right)]
  }

  /// The cluster that a cluster is part of; nil for the root.
  ///
  /// - Complexity: O(level)
  public func parent(of id: ClusterID) throws -> Cluster? {
    defer { withExtendedLifetime(storage) {} }
    return try path(to: id).dropLast().last.map { try checkedCluster(of: $0) }
  }

  /// The clusters that a cluster is part of, the root first.
  ///
  /// - Complexity: O(level)
  public func ancestors(of id: ClusterID) throws -> [Cluster] {
    defer { withExtendedLifetime(storage) {} }
    return try path(to: id).dropLast().map { try checkedCluster(of: $0) }
  }

  /// The clusters on the way from the root to a single point, given by its place in tree order; the last of them is
  /// the point or the stack that it belongs to.
  ///
  /// - Precondition: `index` is in `0 ..< pointCount`.
  /// - Complexity: O(depth)
  public func clusters(holdingPlace index: Int) throws -> [Cluster] {
    precondition(index >= 0 && index < pointCount, "Expected an index below \(pointCount), found \(index)")
    defer { withExtendedLifetime(storage) {} }
    return try path(to: UInt32(index), downTo: .max).map { try checkedCluster(of: $0) }
  }

  func node(_ id: ClusterID) throws -> Node { try path(to: id).last! }

  private func path(to id: ClusterID) throws -> [Node] {
    guard id.first < UInt64(pointCount) else { throw QueryError.unknownCluster(id) }
    let nodes = try path(to: UInt32(id.first), downTo: id.level)
    guard let last = nodes.last, last.id == id else { throw QueryError.unknownCluster(id) }
    return nodes
  }

  func path(to index: UInt32, downTo level: Int) throws(IndexError) -> [Node] {
    guard var node = storage.root else { return [] }
    var path = [node]
    while Int(node.level) < level, let (left, right) = try storage.children(of: node) {
      node = index < right.first ? left : right
      path.append(node)
    }
    return path
  }
}

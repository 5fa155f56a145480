extension ClusterTree {
  /// The cluster of an id.
  ///
  /// - Throws: `QueryError.unknownCluster` where the tree has no such node.
  /// - Complexity: O(level)
  public func cluster(_ id: ClusterID) throws -> Cluster { try withStorage { _ in try checkedCluster(of: node(id)) } }

  /// The two parts of a cluster in tree order, or none where all its points have one position.
  ///
  /// - Complexity: O(level)
  public func children(of id: ClusterID) throws -> [Cluster] {
    try withStorage { storage in
      guard let (left, right) = try storage.children(of: node(id)) else { return [] }
      return try [checkedCluster(of: left), checkedCluster(of: right)]
    }
  }

  /// The cluster that a cluster is part of; nil for the root.
  ///
  /// - Complexity: O(level)
  public func parent(of id: ClusterID) throws -> Cluster? {
    try withStorage { _ in try path(to: id).dropLast().last.map { try checkedCluster(of: $0) } }
  }

  /// The clusters that a cluster is part of, the root first.
  ///
  /// - Complexity: O(level)
  public func ancestors(of id: ClusterID) throws -> [Cluster] {
    try withStorage { _ in try path(to: id).dropLast().map { try checkedCluster(of: $0) } }
  }

  /// The clusters on the way from the root to a single point; the last of them is the point or the stack that it
  /// belongs to.
  ///
  /// - Precondition: `treeIndex` is in `0 ..< pointCount`.
  /// - Complexity: O(depth)
  public func clusters(containingTreeIndex treeIndex: Int) throws -> [Cluster] {
    try withStorage { _ in try path(toTreeIndex: treeIndex).map { try checkedCluster(of: $0) } }
  }

  /// The answer that shows nothing.
  public var noClusters: Clusters { Clusters(tree: self, nodes: []) }

  /// An answer of the clusters with some ids, in any order: what a client shows, once it sends the ids back.
  ///
  /// - Throws: `QueryError.unknownCluster` where the tree has no such cluster, `QueryError.overlappingClusters` where
  ///   one lies within another or comes twice; `IndexError` where a file is damaged.
  /// - Complexity: O(k log k + k · level)
  public func clusters(withIDs ids: some Sequence<ClusterID>) throws -> Clusters {
    try withStorage { storage in
      let nodes = try ids.sorted().map { try node($0) }
      for (node, next) in zip(nodes, nodes.dropFirst()) where node.range.contains(next.range.lowerBound) {
        throw QueryError.overlappingClusters(node.id, next.id)
      }
      for node in nodes { try storage.checkSummary(of: node) }
      return Clusters(tree: self, nodes: nodes)
    }
  }
}

// MARK: - The way down to a node

extension ClusterTree {
  func node(_ id: ClusterID) throws -> Node { try path(to: id).last! }

  private func path(to id: ClusterID) throws -> [Node] {
    guard id.first < UInt64(pointCount) else { throw QueryError.unknownCluster(id) }
    let nodes = try path(to: UInt32(id.first), downTo: id.level)
    guard let last = nodes.last, last.id == id else { throw QueryError.unknownCluster(id) }
    return nodes
  }

  func path(toTreeIndex treeIndex: Int) throws(IndexError) -> [Node] {
    precondition(treeIndex >= 0 && treeIndex < pointCount, "Expected an index below \(pointCount), found \(treeIndex)")
    return try path(to: UInt32(treeIndex), downTo: .max)
  }

  private func path(to treeIndex: UInt32, downTo level: Int) throws(IndexError) -> [Node] {
    try withStorage { storage throws(IndexError) in
      guard var node = storage.root else { return [] }
      var path = [node]
      while Int(node.level) < level, let (left, right) = try storage.children(of: node) {
        node = treeIndex < right.first ? left : right
        path.append(node)
      }
      return path
    }
  }
}

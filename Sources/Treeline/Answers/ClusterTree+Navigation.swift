extension ClusterTree {
  /// The cluster of an id.
  ///
  /// Whatever is asked of an id throws the same errors.
  ///
  /// - Throws: `QueryError.unknownCluster` where the tree has no such node, and `QueryError.noPassingPoint` where it
  ///   has a filter that no point of the node passes.
  /// - Complexity: O(level)
  public func cluster(_ id: ClusterID) throws -> Cluster { try withStorage { _ in try checkedCluster(of: node(id)) } }

  /// The two parts of a cluster in tree order, or none where all its points have one position. Under a filter, those
  /// of the lowest cluster with the same points.
  ///
  /// - Complexity: O(level)
  public func children(of id: ClusterID) throws -> [Cluster] {
    try withStorage { storage in
      guard let (left, right) = try storage.children(of: lowestNode(below: node(id))),
        passingCount(of: left) > 0, passingCount(of: right) > 0
      else { return [] }
      return try [checkedCluster(of: lowestNode(below: left)), checkedCluster(of: lowestNode(below: right))]
    }
  }

  /// The cluster that a cluster is part of; nil for the root, and for a whole group.
  ///
  /// - Complexity: O(level)
  public func parent(of id: ClusterID) throws -> Cluster? {
    try ancestors(of: id).last
  }

  /// The clusters that a cluster is part of, the root first, which is that of its group in a tree of groups.
  ///
  /// - Complexity: O(level)
  public func ancestors(of id: ClusterID) throws -> [Cluster] {
    try withStorage { _ in try distinct(path(to: id)).dropLast().map { try checkedCluster(of: $0) } }
  }

  /// The clusters on the way from the root to a single point; the last of them is the point or the stack that it
  /// belongs to. None where the point fails the filter.
  ///
  /// - Throws: `QueryError.unknownPoint` unless `treeIndex` is in `0 ..< pointCount`.
  /// - Complexity: O(depth)
  public func clusters(containingTreeIndex treeIndex: Int) throws -> [Cluster] {
    try withStorage { _ in
      let path = try path(toTreeIndex: treeIndex)
      return passes(treeIndex) ? try distinct(path).map { try checkedCluster(of: $0) } : []
    }
  }

  /// The answer that shows nothing, from which a first transition begins.
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
  /// How many points of a node count.
  func passingCount(of node: Node) -> Int { selection?.points.count(of: node) ?? Int(node.count) }

  /// Whether a point passes the filter; all do of a tree without one.
  ///
  /// - Parameter treeIndex: In `0 ..< pointCount`; no other passes.
  /// - Complexity: O(1)
  public func passes(_ treeIndex: Int) -> Bool {
    treeIndex >= 0 && treeIndex < pointCount && selection?.points.contains(treeIndex) ?? true
  }

  /// The lowest node with the same points: under a filter a child, if all points that pass are in one.
  func lowestNode(below node: Node) throws(IndexError) -> Node {
    guard let selection else { return node }
    return try withStorage { storage throws(IndexError) in
      try storage.lowestNode(below: node, selection.points)
    }
  }

  /// The nodes of a way down without those that have no more points than the next.
  private func distinct(_ path: [Node]) -> [Node] {
    guard selection != nil else { return path }
    return zip(path, path.dropFirst()).filter { passingCount(of: $0) > passingCount(of: $1) }.map(\.0) + path.suffix(1)
  }

  func node(_ id: ClusterID) throws -> Node { try path(to: id).last! }

  private func path(to id: ClusterID) throws -> [Node] {
    guard id.first < UInt64(pointCount) else { throw QueryError.unknownCluster(id) }
    let nodes = try path(to: UInt32(id.first), downTo: id.level)
    guard let last = nodes.last, last.id == id else { throw QueryError.unknownCluster(id) }
    guard passingCount(of: last) > 0 else { throw QueryError.noPassingPoint(of: id) }
    return nodes
  }

  func path(toTreeIndex treeIndex: Int) throws -> [Node] {
    guard treeIndex >= 0, treeIndex < pointCount else {
      throw QueryError.unknownPoint(treeIndex: treeIndex, pointCount: pointCount)
    }
    return try path(to: UInt32(treeIndex), downTo: .max)
  }

  private func path(to treeIndex: UInt32, downTo level: Int) throws(IndexError) -> [Node] {
    try withStorage { storage throws(IndexError) in
      guard var node = storage.root else { return [] }
      var path = storage.isAboveClusters(node) ? [] : [node]
      while Int(node.level) < level, let (left, right) = try storage.children(of: node) {
        node = treeIndex < right.first ? left : right
        if !path.isEmpty || !storage.isAboveClusters(node) { path.append(node) }
      }
      return path
    }
  }
}

/// Each of these zooms is, to the last bit, the least at which a query without a limit gives the answer that is told.
extension ClusterTree {
  /// The least zoom at which a cut shows a cluster's parts in its place. It is nil if none does: for a cluster of one
  /// position, for parts that are never far enough apart. It is -infinity where any zoom does: for a cut of 0 pixels,
  /// and for a cluster of so few points that they are always unclustered.
  ///
  /// It may be hidden within a larger cluster at that zoom.
  ///
  /// - Parameters:
  ///   - id: Of the cluster.
  ///   - cut: By detail, spacing or badges; a limit depends on what is in view.
  ///   - tileSize: Of which tiles the zoom is told.
  /// - Throws: `QueryError` for a limit, for pixels that are no length, and where the tree lacks what the cut needs;
  ///   `QueryError.unknownCluster` where the tree has no such cluster; `IndexError` where a file is damaged.
  public func expansionZoom(of id: ClusterID, by cut: Cut, tileSize: Viewport.TileSize = .pixels256) throws -> Double? {
    let zoom = try withStorage { storage -> Double? in
      let scale = try PixelScale(cut, of: storage)
      let node = try node(id)
      guard let pair = try storage.childPair(of: node) else { return nil }
      let zoom = try scale.leastZoom(splitting: coarseness(of: node, pair, by: scale))
      return isUnclustered(node, by: cut) ? -.infinity : cut.unclustered.zoom(orSooner: zoom)
    }
    return zoom.map { $0 - tileSize.zoomOffset }
  }

  /// The zoom from which a cut shows a point by itself, wherever it is in view. It is nil if the point shares its
  /// position, or lies too close to another for any zoom, and -infinity if it is always shown by itself. Points that
  /// fail the filter do not count; one that does is shown at none.
  ///
  /// - Parameters:
  ///   - treeIndex: Where it stands in tree order, in `0 ..< pointCount`; see `treeIndex(ofRow:at:)`.
  ///   - cut: By detail, spacing or badges; a limit depends on what is in view.
  ///   - tileSize: Of which tiles the zoom is told.
  /// - Throws: `QueryError` for a limit, for pixels that are no length, and where the tree lacks what the cut needs;
  ///   `IndexError` where a file is damaged.
  /// - Complexity: O(depth)
  public func unclusteredZoom(ofTreeIndex treeIndex: Int, by cut: Cut, tileSize: Viewport.TileSize = .pixels256) throws
    -> Double?
  {
    let zoom = try withStorage { storage -> Double? in
      let scale = try PixelScale(cut, of: storage)
      let path = try path(toTreeIndex: treeIndex)
      guard let last = path.last, passes(treeIndex), passingCount(of: last) == 1 else { return nil }
      var least = Double.infinity
      for node in path where passingCount(of: node) > 1 && !isUnclustered(node, by: cut) {
        if let pair = try storage.childPair(of: node) { least = min(least, try coarseness(of: node, pair, by: scale)) }
      }
      return cut.unclustered.zoom(orSooner: least == .infinity ? -.infinity : try scale.leastZoom(splitting: least))
    }
    return zoom.map { $0 - tileSize.zoomOffset }
  }
}

extension TreeStorage {
  /// The lowest node with the same points that count.
  func lowestNode(below node: Node, _ counted: some CountedPoints) throws(IndexError) -> Node {
    var node = node
    while !counted.hasAll(of: node), let (left, right) = try children(of: node) {
      let (isLeft, isRight) = (counted.hasAny(of: left), counted.hasAny(of: right))
      if isLeft == isRight { break }
      node = isLeft ? left : right
    }
    return node
  }
}

extension ClusterTree {
  private func coarseness(of node: Node, _ pair: ChildPair, by scale: PixelScale) throws(IndexError) -> Double {
    guard let selection else { return try scale.coarseness(of: node, pair, AllPoints()) }
    return try scale.coarseness(of: node, pair, selection.points)
  }

  /// Whether a node has so few points that they are shown by themselves, however coarse it is.
  private func isUnclustered(_ node: Node, by cut: Cut) -> Bool {
    let count = passingCount(of: node)
    return count > 1 && count < cut.unclustered.leastMembers
  }
}

extension UnclusteredPoints {
  /// The zoom from which there are no clusters, if that is below another.
  fileprivate func zoom(orSooner zoom: Double?) -> Double? { fromZoom < zoom ?? .infinity ? fromZoom : zoom }
}

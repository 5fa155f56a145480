extension ClusterTree {
  /// Returns the cluster with an id.
  ///
  /// Every function that takes an id throws the errors listed below.
  ///
  /// - Throws: `QueryError.unknownCluster` if the tree has no such node, and `QueryError.noPassingPoint` if the tree
  ///   has a filter that no point of the node passes.
  /// - Complexity: O(level of the cluster)
  public func cluster(_ id: ClusterID) throws -> Cluster { try withStorage { _ in try checkedCluster(of: node(id)) } }

  /// Returns the two parts of a cluster in tree order. The array is empty if all points of the cluster have the same
  /// position. Under a filter, returns the parts of the lowest cluster that contains all passing points of this
  /// cluster.
  ///
  /// - Complexity: O(level of the cluster)
  public func children(of id: ClusterID) throws -> [Cluster] {
    try withStorage { storage in
      guard let (left, right) = try storage.children(of: lowestNode(below: node(id))),
        passingCount(of: left) > 0, passingCount(of: right) > 0
      else { return [] }
      return try [checkedCluster(of: lowestNode(below: left)), checkedCluster(of: lowestNode(below: right))]
    }
  }

  /// Returns the cluster directly above a cluster. Returns nil for the root and, in a tree with groups, for the cluster
  /// of a whole group.
  ///
  /// - Complexity: O(level of the cluster)
  public func parent(of id: ClusterID) throws -> Cluster? {
    try ancestors(of: id).last
  }

  /// Returns the clusters that contain a cluster, from the root down. In a tree with groups, the first cluster is the
  /// cluster of the whole group.
  ///
  /// - Complexity: O(level of the cluster)
  public func ancestors(of id: ClusterID) throws -> [Cluster] {
    try withStorage { _ in try distinct(path(to: id)).dropLast().map { try checkedCluster(of: $0) } }
  }

  /// Returns the clusters on the path from the root to a single point; see `clusters(containing:)`.
  package func clusters(containingTreeIndex treeIndex: Int) throws -> [Cluster] {
    try withStorage { _ in
      let path = try path(toTreeIndex: treeIndex)
      return passes(treeIndex) ? try distinct(path).map { try checkedCluster(of: $0) } : []
    }
  }

  /// An answer without clusters. The first transition of a map can start from this answer.
  public var noClusters: Clusters { Clusters(tree: self, nodes: []) }

  /// Returns an answer that consists of the clusters with the given ids. The ids may be in any order. For example, a
  /// client sends the ids of the clusters that it shows, and a server compares these clusters with the next answer.
  ///
  /// - Throws: `QueryError.unknownCluster` if the tree has no such cluster; another `QueryError` if a cluster lies
  ///   within another cluster or is given twice; `IndexError` if the file is damaged.
  /// - Complexity: O(k log k + k · level) for k ids, where `level` is the greatest level of the k clusters.
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

// MARK: - Paths to nodes

extension ClusterTree {
  /// Returns the number of a node's points that pass the filter.
  func passingCount(of node: Node) -> Int { selection?.points.count(of: node) ?? Int(node.count) }

  /// Returns whether a point passes the filter. Without a filter, all points pass.
  package func passes(_ treeIndex: Int) -> Bool {
    treeIndex >= 0 && treeIndex < pointCount && selection?.points.contains(treeIndex) ?? true
  }

  /// Returns the lowest node that has the same passing points as a given node. The result is the given node or a node
  /// below it. Without a filter, the result is the given node.
  func lowestNode(below node: Node) throws(IndexError) -> Node {
    guard let selection else { return node }
    return try withStorage { storage throws(IndexError) in
      try storage.lowestNode(below: node, selection.points)
    }
  }

  /// Leaves out a node of a path if the next node of the path has the same passing points. The last node of the path
  /// always stays.
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

/// Functions that return exact zooms. A returned zoom is exact to the last bit: it is the least zoom at which a query
/// without a limit gives the answer that the function's comment describes.
extension ClusterTree {
  /// Returns the least zoom at which a cut shows a cluster's parts instead of the cluster. Returns nil if there is no
  /// such zoom: the points have one position, or the parts are never far enough apart. Returns -infinity if the parts
  /// are shown at every zoom: the cut has 0 pixels, or the cluster has so few points that they are always
  /// unclustered.
  ///
  /// The zoom depends only on the cut, the cluster and its parts. At this zoom, the cut may still show a larger
  /// cluster that contains the cluster.
  ///
  /// - Parameters:
  ///   - id: The id of the cluster.
  ///   - cut: A cut with a detail, a spacing or badges. A cut with only a limit has no such zoom, because its answer
  ///     depends on the viewport.
  ///   - tileSize: The size of the tiles to which the zoom refers.
  /// - Throws: `QueryError` for a cut with only a limit, for pixels that are not a valid length, and if the tree does
  ///   not support the cut; `QueryError.unknownCluster` if the tree has no such cluster; `IndexError` if the file is
  ///   damaged.
  public func separationZoom(of id: ClusterID, for cut: Cut, tileSize: Viewport.TileSize = .pixels256) throws -> Double?
  {
    let zoom = try withStorage { storage -> Double? in
      let scale = try PixelScale(cut, of: storage)
      let node = try node(id)
      guard let pair = try storage.childPair(of: node) else { return nil }
      let zoom = try scale.leastZoom(splitting: coarseness(of: node, pair, by: scale))
      return isUnclustered(node, by: cut) ? -.infinity : cut.unclustered.zoom(orSooner: zoom)
    }
    return zoom.map { $0 - tileSize.zoomOffset }
  }

  /// Returns the zoom from which a cut shows a point unclustered; see `unclusteredZoom(of:for:tileSize:)`.
  package func unclusteredZoom(ofTreeIndex treeIndex: Int, for cut: Cut, tileSize: Viewport.TileSize = .pixels256)
    throws
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
  /// Returns the lowest node that has the same counted points as a given node. The result is the given node or a node
  /// below it. Under a filter, the counted points are the points that pass.
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

  /// Returns whether a node has at least two points, but too few points to be shown as a cluster. The cut shows the
  /// points of such a node unclustered at every zoom.
  private func isUnclustered(_ node: Node, by cut: Cut) -> Bool {
    let count = passingCount(of: node)
    return count > 1 && count < cut.unclustered.leastMembers
  }
}

extension UnclusteredPoints {
  /// Returns the lesser of `zoom` and `fromZoom`. At `fromZoom` and above, there are no clusters. A `zoom` of nil
  /// counts as infinity.
  fileprivate func zoom(orSooner zoom: Double?) -> Double? { fromZoom < zoom ?? .infinity ? fromZoom : zoom }
}

/// The number of a point in tree order. Points of a cluster have consecutive tree indices.
///
/// A point has two numbers. The *row* of a point is its position in the input. A row is an `Int`, like an index of the
/// array from which the tree was built. The *tree index* of a point is its position in the order in which the tree
/// stores the points. A tree index is valid for one tree only. It stays valid if this tree is filtered.
///
/// ```swift
/// let index = try tree.index(ofRow: 4711, at: allHotels[4711].coordinate)!
/// let shown = try tree.clusters(.limit(50), in: view)
/// let number = shown.firstIndex(containing: index)    // nil if none of the clusters in view contains the point
/// ```
public struct TreeIndex: RawRepresentable, Hashable, Strideable, Sendable {
  /// The number, from 0.
  public let rawValue: Int

  /// Makes a tree index, for example from a number that a client has sent back.
  public init(rawValue: Int) { self.rawValue = rawValue }

  public func distance(to other: TreeIndex) -> Int { other.rawValue - rawValue }

  public func advanced(by count: Int) -> TreeIndex { TreeIndex(rawValue: rawValue + count) }
}

extension ClusterTree {
  /// Returns the tree index of a point, given its row number and its coordinate; nil if there is no such point.
  ///
  /// - Parameters:
  ///   - row: The row number of the point.
  ///   - coordinate: The coordinate that the point had when the tree was built.
  /// - Throws: `IndexError` if the file is damaged.
  /// - Complexity: O(log pointCount) for most points. The boxes of neighboring clusters may overlap, and every box
  ///   that contains the position is searched.
  public func index(ofRow row: Int, at coordinate: Coordinate) throws -> TreeIndex? {
    try treeIndex(ofRow: row, at: coordinate).map(TreeIndex.init)
  }

  /// Returns the row number of a point.
  ///
  /// - Precondition: The index is in `0 ..< pointCount`.
  public func row(at index: TreeIndex) -> Int { row(atTreeIndex: index.rawValue) }

  /// Returns whether a point passes the filter. Without a filter, all points pass.
  ///
  /// - Parameter index: A tree index. The result is false for an index that is not in `0 ..< pointCount`.
  /// - Complexity: O(1)
  public func isIncluded(_ index: TreeIndex) -> Bool { passes(index.rawValue) }

  /// Returns the attributes of a point. Columns that the point lacks are left out.
  ///
  /// - Precondition: The index is in `0 ..< pointCount`.
  public func attributes(at index: TreeIndex) -> [(name: String, value: AttributeValue)] {
    attributes(atTreeIndex: index.rawValue)
  }

  /// Returns the clusters on the path from the root to a single point. The last cluster is the point itself or, if
  /// several points share its position, the stack of these points. The result is empty if the point fails the filter.
  ///
  /// - Throws: `QueryError` unless the index is in `0 ..< pointCount`.
  /// - Complexity: O(depth)
  public func clusters(containing index: TreeIndex) throws -> [Cluster] {
    try clusters(containingTreeIndex: index.rawValue)
  }

  /// Returns the least zoom at which a cut shows a point unclustered. At this zoom and above, the point is unclustered
  /// in every viewport that contains it. Returns -infinity if the point is unclustered at every zoom. Returns nil if
  /// the point shares its position with another point, is too close to another point at every zoom, or fails the
  /// filter. Other points that fail the filter are ignored.
  ///
  /// - Parameters:
  ///   - index: The tree index of the point, in `0 ..< pointCount`.
  ///   - cut: A cut with a detail, a spacing or badges. A cut with only a limit has no such zoom, because its answer
  ///     depends on the viewport.
  ///   - tileSize: The size of the tiles to which the zoom refers.
  /// - Throws: `QueryError` if the cut has only a limit, if its pixels are not a valid length, or if the tree does not
  ///   support the cut; `IndexError` if the file is damaged.
  /// - Complexity: O(depth)
  public func unclusteredZoom(
    of index: TreeIndex, for cut: Cut, tileSize: Viewport.TileSize = .pixels256
  ) throws -> Double? { try unclusteredZoom(ofTreeIndex: index.rawValue, for: cut, tileSize: tileSize) }
}

extension Cluster {
  /// The tree indices of the cluster's points, including points that fail a filter.
  public var indices: Range<TreeIndex> {
    TreeIndex(rawValue: range.lowerBound)..<TreeIndex(rawValue: range.upperBound)
  }
}

extension Clusters {
  /// Returns the index, within the answer, of the cluster that contains a point; nil if no cluster contains the point.
  /// With this index, a client can mark the cluster of a selected point in every new answer.
  ///
  /// - Complexity: O(log k) for k clusters
  public func firstIndex(containing index: TreeIndex) -> Int? { firstIndex(containingTreeIndex: index.rawValue) }
}

extension SearchHit {
  /// The tree index of the point that was found.
  public var index: TreeIndex { TreeIndex(rawValue: treeIndex) }
}

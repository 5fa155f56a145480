/// A fixed hierarchy of clusters over a set of points, down to every distinct position.
///
/// The tree stores its points in *tree order*, in which the points of each node are consecutive. So a node is a range
/// of this order. The two children of a node divide its range. Either a line across the node's principal axis
/// separates the children, or the children are the two clusters that were merged into the node (see `Growth`). Every
/// answer is a cut through this hierarchy. So from one answer to the next, a cluster can only be kept, split or
/// merged. The module `TreelineBuilder` makes trees.
///
/// A tree never changes and holds only a reference to its arrays. Therefore copies are free, and any number of threads
/// may query a tree.
public struct ClusterTree: Sendable {
  /// Accessed only through `withStorage`, because the pointers in the storage do not keep the storage alive.
  private let storage: TreeStorage

  /// The counted points; nil if all points are counted.
  private(set) var selection: Selection?

  /// The points that pass the tree's filter; nil if the tree has no filter. If all points pass the filter, this
  /// property is still not nil.
  private(set) var filterSelection: Selection?

  /// The plane on which the points lie. The plane converts coordinates to positions and back.
  public let plane: Plane

  /// The number of points that lay beyond Web Mercator's latitudes and were moved to the edge of the plane.
  package let clippedPointCount: Int

  /// The way in which the tree was grown: by splitting or by merging.
  public let growth: Growth

  /// The tree's place among the versions of an edited tree; nil for a tree that is not edited.
  private(set) var lineage: Lineage?

  /// The rule by which nodes are split; nil if the tree was grown by merging.
  package var splitRule: SplitRule? { growth.splitRule }

  package init(storage: TreeStorage, plane: Plane, clippedPointCount: Int, growth: Growth) {
    (self.storage, filterSelection, selection, self.plane) = (storage, nil, nil, plane)
    (self.clippedPointCount, self.growth, lineage) = (clippedPointCount, growth, nil)
  }

  /// Calls `body` with the arrays, and keeps the arrays alive until `body` returns.
  @inline(__always) package func withStorage<Result, Failure: Error>(_ body: (TreeStorage) throws(Failure) -> Result)
    throws(Failure) -> Result
  {
    defer { withExtendedLifetime(storage) {} }
    return try body(storage)
  }

  /// Returns the same tree with another selection of counted points.
  func selecting(_ selection: Selection?) -> ClusterTree {
    var tree = self
    (tree.filterSelection, tree.selection) = (selection, selection?.count == pointCount ? nil : selection)
    return tree
  }

  /// Returns this tree with a new place among the versions of an edited tree.
  func with(_ lineage: Lineage) -> ClusterTree {
    var tree = self
    tree.lineage = lineage
    return tree
  }

  /// Returns whether both values refer to the same tree. Two values of the same tree may count different points.
  /// Trees with equal contents may still be different trees.
  package func isSame(as other: ClusterTree) -> Bool { storage === other.storage }

  /// Returns whether both trees count the same points. This is the case if both trees have the same selection, or if
  /// neither tree has a selection.
  package func countsSamePoints(as other: ClusterTree) -> Bool { selection === other.selection }
}

// MARK: - Points

extension ClusterTree {
  /// The number of points, including points that fail a filter.
  public var pointCount: Int { storage.pointCount }

  /// The number of counted points: all points or, under a filter, the passing points.
  public var filteredPointCount: Int { selection?.count ?? pointCount }

  /// Returns the position of a point on the plane, by its index in tree order (see `Cluster.range`).
  ///
  /// - Precondition: `treeIndex` is in `0 ..< pointCount`.
  package func position(atTreeIndex treeIndex: Int) -> PlanePoint {
    checkTreeIndex(treeIndex)
    return withStorage { $0.points[treeIndex] }
  }

  /// The positions of all points in tree order.
  ///
  /// - Complexity: O(pointCount)
  package var positions: [PlanePoint] {
    withStorage { Array(UnsafeBufferPointer(start: $0.points, count: $0.pointCount)) }
  }

  /// Returns the row number of a point, by its index in tree order.
  ///
  /// - Precondition: `treeIndex` is in `0 ..< pointCount`.
  package func row(atTreeIndex treeIndex: Int) -> Int {
    checkTreeIndex(treeIndex)
    return withStorage { $0.rows[treeIndex] }
  }

  @inline(__always) private func checkTreeIndex(_ treeIndex: Int) {
    precondition(treeIndex >= 0 && treeIndex < pointCount, "Expected an index below \(pointCount), found \(treeIndex)")
  }
}

// MARK: - The whole hierarchy

extension ClusterTree {
  /// The cluster of all points; nil if there are no points. Under a filter this is the lowest cluster that contains all
  /// passing points.
  ///
  /// In a tree with several ``groups`` this cluster describes all points together. No answer contains this cluster, and
  /// it cannot be looked up by its id.
  public var root: Cluster? {
    withStorage { storage in
      // The root's record was checked when the tree was opened. Every other record is checked when it is read.
      guard let root = storage.root, filteredPointCount > 0 else { return nil }
      return (try? checkedCluster(of: lowestNode(below: root))) ?? cluster(of: root)
    }
  }

  /// Walks the whole tree to find its size and depth.
  ///
  /// - Throws: `IndexError` if the file is damaged.
  /// - Complexity: O(pointCount)
  package func shape() throws(IndexError) -> TreeShape {
    try withStorage { storage throws(IndexError) in
      var shape = TreeShape()
      var stack = [storage.root].compactMap { $0 }
      while let node = stack.popLast() {
        if !storage.isStored(node) && node.depthInBucket == 0 { shape.bucketCount += 1 }
        if let (left, right) = try storage.children(of: node) {
          stack += [right, left]
        } else {
          shape.positionCount += 1
          shape.depth = max(shape.depth, Int(node.level))
        }
      }
      return shape
    }
  }

  /// A hash of the hierarchy and the positions. Two trees have the same hash if they are the same hierarchy over the
  /// same positions. Other trees have the same hash only by chance.
  ///
  /// The hash covers the plane, the positions in tree order, the shape of the hierarchy, and the exact sums of every
  /// node. Split lines follow from these data and are not hashed. The hash does not cover row numbers, so it stays the
  /// same if the input is shuffled.
  ///
  /// - Complexity: O(pointCount)
  public var contentHash: UInt64 {
    withStorage { storage in
      var hasher = XXHash64(ofContentOn: plane)
      for (kind, bytes) in storage.fixedSections where IndexSection.Kind.hierarchy.contains(kind) {
        hasher.update(bytes)
      }
      return hasher.finalize()
    }
  }
}

extension XXHash64 {
  /// Starts a content hash with the plane. The caller adds the sections of the hierarchy.
  package init(ofContentOn plane: Plane) {
    self.init()
    withUnsafeBytes(of: plane.seam.littleEndian) { update($0) }
    for edge in [plane.left, plane.top, plane.side] {
      withUnsafeBytes(of: edge.bitPattern.littleEndian) { update($0) }
    }
  }
}

/// The size and depth of a tree.
package struct TreeShape: Hashable, Sendable {
  /// The number of distinct positions, which are the leaves of the tree.
  package var positionCount = 0
  /// The greatest level of any leaf.
  package var depth = 0
  /// The number of buckets, which are nodes whose descendants are not stored.
  package var bucketCount = 0
}

/// A fixed hierarchy of clusters over a set of points, down to every distinct position.
///
/// Each node is a contiguous range of the points in tree order, which its two children divide: by a line across its
/// principal axis, or into the two clusters that it was merged from (see `Growth`). Every answer is a cut through this
/// hierarchy, so between two answers a cluster is only kept, split or merged. The module `TreelineBuilder` makes
/// trees.
///
/// A tree never changes. It refers to its arrays: copies are free, and any number of threads may query it.
public struct ClusterTree: Sendable {
  /// Used through `withStorage` only: its pointers do not keep it alive.
  private let storage: TreeStorage

  /// Which points count; nil for all.
  let selection: Selection?

  /// The points that pass its filter, all of them too; nil without one.
  let filterSelection: Selection?

  /// How coordinates relate to the tree's fixed-point plane.
  public let plane: Plane

  /// How many points beyond Web Mercator's latitudes were moved to its edge.
  public let clippedPointCount: Int

  /// How it grew.
  public let growth: Growth

  /// Where its nodes are split; nil if it was grown by merging.
  public var splitRule: SplitRule? { growth.splitRule }

  package init(storage: TreeStorage, plane: Plane, clippedPointCount: Int, growth: Growth) {
    (self.storage, filterSelection, selection, self.plane) = (storage, nil, nil, plane)
    (self.clippedPointCount, self.growth) = (clippedPointCount, growth)
  }

  /// Reads the arrays, which are kept alive until `body` returns.
  @inline(__always) package func withStorage<Result, Failure: Error>(_ body: (TreeStorage) throws(Failure) -> Result)
    throws(Failure) -> Result
  {
    defer { withExtendedLifetime(storage) {} }
    return try body(storage)
  }

  /// The same tree, of which other points count.
  func selecting(_ selection: Selection?) -> ClusterTree { ClusterTree(self, selection) }

  private init(_ tree: ClusterTree, _ selection: Selection?) {
    (storage, filterSelection, plane) = (tree.storage, selection, tree.plane)
    self.selection = selection?.count == tree.pointCount ? nil : selection
    (clippedPointCount, growth) = (tree.clippedPointCount, tree.growth)
  }

  /// Whether both are the same tree, not merely equal ones, whichever points count.
  package func isSame(as other: ClusterTree) -> Bool { storage === other.storage }

  /// Whether the same points count of both, by one filter or by none.
  package func countsSamePoints(as other: ClusterTree) -> Bool { selection === other.selection }
}

// MARK: - Points

extension ClusterTree {
  /// The number of points, each of which is in exactly one cluster of every level; those that fail a filter included.
  public var pointCount: Int { storage.pointCount }

  /// How many points count: those that pass the filter of a tree that has one, or all.
  public var passingPointCount: Int { selection?.count ?? pointCount }

  /// The position of a point on the plane, by its index in tree order (see `Cluster.range`).
  ///
  /// - Precondition: `treeIndex` is in `0 ..< pointCount`.
  public func position(atTreeIndex treeIndex: Int) -> PlanePoint {
    checkTreeIndex(treeIndex)
    return withStorage { $0.points[treeIndex] }
  }

  /// The positions of all points in tree order.
  ///
  /// - Complexity: O(pointCount)
  public var positions: [PlanePoint] {
    withStorage { Array(UnsafeBufferPointer(start: $0.points, count: $0.pointCount)) }
  }

  /// The row number of a point, by its index in tree order.
  ///
  /// - Precondition: `treeIndex` is in `0 ..< pointCount`.
  public func row(atTreeIndex treeIndex: Int) -> Int {
    checkTreeIndex(treeIndex)
    return withStorage { $0.rows[treeIndex] }
  }

  @inline(__always) private func checkTreeIndex(_ treeIndex: Int) {
    precondition(treeIndex >= 0 && treeIndex < pointCount, "Expected an index below \(pointCount), found \(treeIndex)")
  }
}

// MARK: - The whole hierarchy

extension ClusterTree {
  /// The cluster of all points; nil where there are none. Under a filter it is the lowest that has all points that
  /// pass.
  ///
  /// In a tree of several ``groups`` it is in no answer, and no cluster by its id: it tells of all points together.
  public var root: Cluster? {
    withStorage { storage in
      // The root's record was checked on opening; every other node's is checked when it is read.
      guard let root = storage.root, passingPointCount > 0 else { return nil }
      return cluster(of: (try? lowestNode(below: root)) ?? root)
    }
  }

  /// Walks the whole tree.
  ///
  /// - Throws: `IndexError` where a file is damaged.
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

  /// A hash that two trees share if and, but for chance, only if they are the same hierarchy over the same positions.
  ///
  /// It covers the positions in tree order, the shape, the exact sums of every node and the plane, of which split
  /// lines are functions. It does not cover row numbers, so shuffling the input does not change it.
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
  /// A content hash's beginning, which the sections of the hierarchy follow.
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
  /// Distinct positions: the leaves of the tree.
  package var positionCount = 0
  /// The greatest level of any leaf.
  package var depth = 0
  /// Nodes whose descendants are not stored.
  package var bucketCount = 0
}

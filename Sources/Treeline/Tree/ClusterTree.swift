/// A fixed hierarchy of clusters over a set of points, down to every distinct position.
///
/// Each node is a contiguous range of the points in tree order; its two children part that range along a line across its
/// principal axis: through its mean, or where another `SplitRule` has it. Every answer is a cut through this one hierarchy, so between two answers a
/// cluster is kept, split or merged and nothing else. Make one with the module `TreelineBuilder`.
///
/// A tree never changes. It is a reference to its arrays: copies are free, and any number of threads may query it.
public struct ClusterTree: Sendable {
  package let storage: TreeStorage

  /// How places relate to the tree's fixed-point plane.
  public let plane: Plane

  /// How many points beyond Web Mercator's latitudes were moved to its edge.
  public let clippedPointCount: Int

  /// How its nodes were split.
  public let splitRule: SplitRule

  package init(storage: TreeStorage, plane: Plane, clippedPointCount: Int, splitRule: SplitRule) {
    self.storage = storage
    self.splitRule = splitRule
    self.plane = plane
    self.clippedPointCount = clippedPointCount
  }

  /// Reads the arrays, which are held on to until `body` is done: their pointers alone keep nothing.
  @inline(__always)
  package func withStorage<Result, Failure: Error>(
    _ body: (TreeStorage) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(storage) {} }
    return try body(storage)
  }

  /// Whether both are one tree, and not only equal ones.
  package func isSame(as other: ClusterTree) -> Bool { storage === other.storage }

  /// The number of points, each of which is in exactly one cluster of every level.
  public var pointCount: Int { storage.pointCount }

  /// The cluster of all points; nil where there are none.
  public var root: Cluster? {
    // Opening an index has checked that the root's record gives an answer; every other node's is checked when asked for.
    defer { withExtendedLifetime(storage) {} }
    return storage.root.map { cluster(of: $0) }
  }

  /// The position of a point on the plane, by its place in tree order (see `Cluster.range`).
  ///
  /// - Precondition: `index` is in `0 ..< pointCount`.
  public func position(at index: Int) -> PlanePoint {
    precondition(index >= 0 && index < pointCount, "Expected an index below \(pointCount), found \(index)")
    defer { withExtendedLifetime(storage) {} }
    return storage.points[index]
  }

  /// The positions of all points in tree order.
  ///
  /// - Complexity: O(pointCount)
  public var positions: [PlanePoint] {
    defer { withExtendedLifetime(storage) {} }
    return Array(UnsafeBufferPointer(start: storage.points, count: pointCount))
  }
}

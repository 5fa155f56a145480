import Treeline

/// A bucketed quadtree over the whole plane: the index of the published grid systems.
///
/// The root is the square of 2^32 units; a square that holds more points than a bucket is cut into quadrants at powers
/// of two. Squares are half-open, so a position lies in exactly one square of each level. A square with a single
/// occupied quadrant is not stored: every node that is cut has two to four children. There are fewer than two nodes
/// for each bucket and at most 33 on any path.
///
/// Coincident points share one bucket however many they are. The tree is a function of the set of positions: input
/// order only decides which row numbers they carry, and these ascend inside a position.
public struct QuadTree: Sendable {
  struct Node: Hashable, Sendable {
    /// Where the node's points start in tree order.
    var first: UInt32
    /// Children are contiguous, in tree order, and end where their points do. 0 for a leaf, as the root is no child.
    var firstChild: UInt32
    var totals: PointTotals

    var isLeaf: Bool { firstChild == 0 }
    var range: Range<Int> { Int(first)..<Int(first) + Int(totals.count) }
  }

  /// The most points at different positions that one square holds without being cut.
  public let bucketCapacity: Int

  /// Level by level, the root first; none where there are no points.
  let nodes: [Node]
  /// In tree order, as are `rows`, the places of these points in the input.
  let points: [PlanePoint]
  let rows: [UInt32]

  /// Builds the tree in bulk.
  ///
  /// Complexity: O(n). The tree keeps 12 bytes a point and 48 a node; the sort needs 32 a point for a while.
  ///
  /// - Precondition: at most 2^31 points; a capacity of 1 or more.
  public init(_ points: [PlanePoint], bucketCapacity: Int = 8) {
    precondition(points.count <= 1 << 31, "Expected at most 2^31 points, found \(points.count)")
    precondition(bucketCapacity >= 1, "Expected a bucket capacity of 1 or more, found \(bucketCapacity)")
    let entries = MortonOrder.sorted(points)
    self.bucketCapacity = bucketCapacity
    self.points = entries.map { MortonOrder.point(of: $0.key) }
    self.rows = entries.map(\.row)
    self.nodes = Self.nodes(over: entries, bucketCapacity: bucketCapacity)
  }

  public var count: Int { points.count }

  /// The smallest box around all points; nil where there are none.
  public var bounds: PlaneRect? { nodes.first?.totals.bounds }
}

import Treeline

/// A bucketed quadtree over the whole plane. The published grid systems use such a quadtree as their index.
///
/// The root is the whole plane, whose sides have 2^32 units. A square with more points than fit into a bucket is cut
/// into half-open quadrants. A square with a single occupied quadrant is not stored, so every inner node has two to
/// four children. There are fewer than two nodes for each bucket, and at most 33 nodes on any path. Points at one
/// position share a bucket, even if the bucket then exceeds its capacity. The order of the input affects only the row
/// numbers. Points at one position are in ascending order of row numbers.
struct QuadTree: Sendable {
  struct Node: Hashable, Sendable {
    /// The tree index at which the node's points begin.
    var first: UInt32
    /// The index of the first child; 0 for a leaf. No child has the index 0, because it is the index of the root. The
    /// indices of the children are consecutive, in tree order. The points of the last child end where the node's points
    /// end.
    var firstChild: UInt32
    var totals: PointTotals

    var isLeaf: Bool { firstChild == 0 }
    var range: Range<Int> { Int(first)..<Int(first) + Int(totals.count) }
  }

  /// The greatest number of points in a square that is not cut. A square whose points share one position is never cut.
  let bucketCapacity: Int

  /// The nodes, level by level from the root; empty if there are no points.
  let nodes: [Node]
  /// The points in tree order, and the row numbers of these points.
  let points: [PlanePoint]
  let rows: [UInt32]

  /// Builds the tree in bulk.
  ///
  /// Complexity: O(n). The tree keeps 12 bytes per point and 48 bytes per node. The sort temporarily needs 32 bytes per
  /// point.
  ///
  /// - Parameter rows: The row number of each point, in ascending order; nil if row numbers are the indices of the
  ///   points.
  /// - Precondition: There are at most 2^31 points, and the capacity is at least 1.
  init(_ points: [PlanePoint], rows: [UInt32]? = nil, bucketCapacity: Int = 8) {
    precondition(points.count <= 1 << 31, "Expected at most 2^31 points, found \(points.count)")
    precondition(bucketCapacity >= 1, "Expected a bucket capacity of 1 or more, found \(bucketCapacity)")
    let entries = MortonOrder.sorted(points, rows: rows)
    self.bucketCapacity = bucketCapacity
    self.points = entries.map { ZOrder.point(of: $0.key) }
    self.rows = entries.map(\.row)
    self.nodes = Self.nodes(over: entries, bucketCapacity: bucketCapacity)
  }

  var count: Int { points.count }

  // MARK: - Search

  /// Returns the row numbers of all points in a window, in ascending order.
  ///
  /// Complexity: O(h log h) for h points in the window, plus the nodes along the window's edges.
  func rows(in window: PlaneWindow) -> [Int] {
    var found: [UInt32] = []
    visit(window) { range in
      found += rows[range]
      return true
    }
    found.sort()
    return found.map(Int.init)
  }

  /// Returns the number of points in a window.
  ///
  /// Complexity: O(k) for k nodes along the window's edges. If a node lies inside the window, all its points are
  /// counted in one step.
  func pointCount(in window: PlaneWindow) -> Int {
    var count = 0
    visit(window) { range in
      count += range.count
      return true
    }
    return count
  }

  /// Returns whether a node has a point in a window.
  func hasPoint(in window: PlaneWindow, below node: Int) -> Bool {
    var found = false
    visit(window, from: node) { _ in
      found = true
      return false
    }
    return found
  }

  /// Calls `body` with ranges of tree indices, which together contain all points in a window. Stops if `body` returns
  /// false. A node inside the window is passed as one range.
  @inline(__always) private func visit(_ window: PlaneWindow, from start: Int = 0, _ body: (Range<Int>) -> Bool) {
    guard start < nodes.count else { return }
    var stack = [start]
    while let index = stack.popLast() {
      let node = nodes[index]
      guard window.intersects(node.totals.bounds) else { continue }
      if window.contains(node.totals.bounds) {
        guard body(node.range) else { return }
      } else if node.isLeaf {
        for index in node.range where window.contains(points[index]) { guard body(index..<index + 1) else { return } }
      } else {
        stack += children(of: node)
      }
    }
  }

  func children(of node: Node) -> Range<Int> { Self.children(of: node, in: nodes) }

  /// Returns the indices of a node's children.
  static func children(of node: Node, in nodes: [Node]) -> Range<Int> {
    guard !node.isLeaf else { return 0..<0 }
    let first = Int(node.firstChild)
    var end = first + 1
    while nodes[end - 1].range.upperBound < node.range.upperBound { end += 1 }
    return first..<end
  }
}

/// Totals of some points. With totals, the points need not be visited again. All totals are exact.
struct PointTotals: Hashable, Sendable {
  /// The number of points, at most 2^31, so that the sums stay below 2^63.
  var count: UInt32
  /// The lowest row number among the points.
  var firstPoint: UInt32
  var sumX: UInt64
  var sumY: UInt64
  var bounds: PlaneRect

  init(_ point: PlanePoint, row: UInt32) {
    count = 1
    firstPoint = row
    sumX = UInt64(point.x)
    sumY = UInt64(point.y)
    bounds = PlaneRect(point)
  }

  mutating func add(_ other: PointTotals) {
    count += other.count
    firstPoint = min(firstPoint, other.firstPoint)
    sumX += other.sumX
    sumY += other.sumY
    bounds.formUnion(PlanePoint(x: other.bounds.minX, y: other.bounds.minY))
    bounds.formUnion(PlanePoint(x: other.bounds.maxX, y: other.bounds.maxY))
  }
}

extension TreeStorage {
  /// Returns the sums and the covariance of a node's points.
  ///
  /// In a damaged file the mean of a node may lie outside the node's box. Such a mean is moved to the edge of the box,
  /// because otherwise coordinates could become NaN.
  ///
  /// Complexity: O(1): sums and covariances are stored, or computed from at most 16 points.
  /// - Precondition: `checkSummary(of: node)` succeeds.
  package func summary(of node: Node, in box: PlaneRect) -> (sums: NodeSums, spread: NodeSpread) {
    let sums = sums(of: node, in: box)
    if box.isPoint { return (sums, NodeSpread(xx: 0, xy: 0, yy: 0)) }
    if isStored(node) { return (sums, spreads[NodeSums.index(ofLeftChild: leftChild(of: node.record))]) }
    return (sums, spread(of: members(of: node), in: box, about: sums))
  }

  /// Returns the mean of a node's points, in units of the plane, without computing the covariance.
  ///
  /// - Precondition: `checkSummary(of: node)` succeeds.
  @inline(__always) func mean(of node: Node) -> (x: Double, y: Double) {
    let box = box(of: node)
    return NodeSummary.mean(of: sums(of: node, in: box), count: Int(node.count), in: box)
  }

  /// Returns the mean of a node's points, rounded to the nearest unit. Halves are rounded up. Distances are measured
  /// between these rounded means.
  ///
  /// - Precondition: `checkSummary(of: node)` succeeds.
  package func meanPosition(of node: Node) -> PlanePoint {
    let box = box(of: node)
    let sums = sums(of: node, in: box)
    return PlanePoint(
      x: box.minX &+ Self.roundedQuotient(sums.x, by: node.count),
      y: box.minY &+ Self.roundedQuotient(sums.y, by: node.count))
  }

  /// Returns the position at which a node is shown as a cluster: its mean position, or the position of one of its
  /// points. Merge scales are distances between these positions.
  ///
  /// - Precondition: `checkSummary(of: node)` succeeds.
  package func anchorPosition(of node: Node) -> PlanePoint {
    anchorIndex(of: node).map { points[$0] } ?? meanPosition(of: node)
  }

  /// Returns the tree index of the point that gives a node its position; nil if the position of the node is its mean.
  ///
  /// Complexity: O(depth below the node)
  @inline(__always) package func anchorIndex(of node: Node) -> Int? {
    guard let anchors else { return nil }
    var node = node
    // In a damaged file the walk down the tree may end early. Then the first point of the last visited node is
    // returned.
    while node.count > 1, let (left, right) = try? children(of: node) {
      node = Self.bit(of: anchors, at: Int(right.first)) ? right : left
    }
    return Int(node.first)
  }

  @inline(__always) package static func bit(of bits: UnsafePointer<UInt8>, at index: Int) -> Bool {
    bits[index &>> 3] &>> (index & 7) & 1 == 1
  }

  /// Returns `sum` divided by `count`, rounded to the nearest integer. Halves are rounded up. The result fits 32 bits.
  private static func roundedQuotient(_ sum: UInt64, by count: UInt32) -> UInt32 {
    let (quotient, remainder) = sum.quotientAndRemainder(dividingBy: UInt64(count))
    return UInt32(truncatingIfNeeded: quotient + (2 * remainder >= UInt64(count) ? 1 : 0))
  }

  @inline(__always) func sums(of node: Node, in box: PlaneRect) -> NodeSums {
    if box.isPoint { return NodeSums(x: 0, y: 0) }
    let sums =
      isStored(node)
      ? sums[NodeSums.index(ofLeftChild: leftChild(of: node.record))] : sums(of: members(of: node), in: box)
    // The products of point count and box size fit 64 bits, because a node has at most 2^31 points, and a box is at
    // most 2^32 units wide and high.
    return NodeSums(
      x: min(sums.x, UInt64(node.count) * UInt64(box.width)), y: min(sums.y, UInt64(node.count) * UInt64(box.height)))
  }

  /// Checks that a node has stored sums, or that its record is a valid bucket. Reading a node's children makes the
  /// same check.
  @inline(__always) func checkSummary(of node: Node) throws(IndexError) {
    let record = nodes + Int(node.record)
    if record.pointee.childOffset != 0 {
      guard hasSummary(at: leftChild(of: node.record)) else { throw childOutside(node.record) }
    } else if node.count > NodeRecord.bucketCapacity {
      guard record.pointee.box.isPoint else { throw bucketOverfull(node.record) }
    }
  }

  /// Returns the sums and the covariance of some points of a bucket.
  func summary(of points: UnsafeBufferPointer<PlanePoint>, in box: PlaneRect) -> (sums: NodeSums, spread: NodeSpread) {
    let sums = sums(of: points, in: box)
    return (sums, spread(of: points, in: box, about: sums))
  }

  private func sums(of members: UnsafeBufferPointer<PlanePoint>, in box: PlaneRect) -> NodeSums {
    var sums = NodeSums(x: 0, y: 0)
    for point in members {
      sums.x &+= UInt64(point.x &- box.minX)
      sums.y &+= UInt64(point.y &- box.minY)
    }
    return sums
  }

  private func spread(of members: UnsafeBufferPointer<PlanePoint>, in box: PlaneRect, about sums: NodeSums)
    -> NodeSpread
  {
    let count = Double(members.count)
    let (meanX, meanY) = (Double(sums.x) / count, Double(sums.y) / count)
    var (xx, xy, yy) = (0.0, 0.0, 0.0)
    for point in members {
      let dx = Double(point.x &- box.minX) - meanX
      let dy = Double(point.y &- box.minY) - meanY
      xx += dx * dx
      xy += dx * dy
      yy += dy * dy
    }
    return NodeSpread(xx: Float(xx / count), xy: Float(xy / count), yy: Float(yy / count))
  }
}

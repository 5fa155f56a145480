extension TreeStorage {
  /// The sums and the covariance of a node's points.
  ///
  /// In a damaged file a mean may lie outside its box and lead to coordinates that are not numbers: it is moved to the
  /// box's edge.
  ///
  /// Complexity: O(1): they are stored, or taken from at most 16 points.
  /// - Precondition: `checkSummary(of: node)`.
  func summary(of node: Node, in box: PlaneRect) -> (sums: NodeSums, spread: NodeSpread) {
    let sums = sums(of: node, in: box)
    if box.isPoint { return (sums, NodeSpread(xx: 0, xy: 0, yy: 0)) }
    if isStored(node) { return (sums, spreads[(leftChild(of: node.record) - 1) / 2]) }
    return (sums, spread(of: members(of: node), in: box, about: sums))
  }

  /// The mean of a node's points, between which distances are measured, rounded to the nearest unit, halves up.
  ///
  /// - Precondition: `checkSummary(of: node)`.
  package func meanPosition(of node: Node) -> PlanePoint {
    let box = box(of: node)
    let sums = sums(of: node, in: box)
    return PlanePoint(
      x: box.minX &+ Self.roundedQuotient(sums.x, by: node.count),
      y: box.minY &+ Self.roundedQuotient(sums.y, by: node.count))
  }

  /// The quotient, which fits 32 bits, to the nearest number.
  private static func roundedQuotient(_ sum: UInt64, by count: UInt32) -> UInt32 {
    let (quotient, remainder) = sum.quotientAndRemainder(dividingBy: UInt64(count))
    return UInt32(truncatingIfNeeded: quotient + (2 * remainder >= UInt64(count) ? 1 : 0))
  }

  @inline(__always) private func sums(of node: Node, in box: PlaneRect) -> NodeSums {
    if box.isPoint { return NodeSums(x: 0, y: 0) }
    let sums = isStored(node) ? sums[(leftChild(of: node.record) - 1) / 2] : sums(of: members(of: node), in: box)
    // 2^31 points times 2^32 units fit.
    return NodeSums(
      x: min(sums.x, UInt64(node.count) * UInt64(box.width)), y: min(sums.y, UInt64(node.count) * UInt64(box.height)))
  }

  /// Checks that a node's record has stored sums or is a bucket, as asking for its children does too.
  @inline(__always) func checkSummary(of node: Node) throws(IndexError) {
    let record = nodes + Int(node.record)
    if record.pointee.childOffset != 0 {
      guard hasSummary(at: leftChild(of: node.record)) else { throw childOutside(node.record) }
    } else if node.count > NodeRecord.bucketCapacity {
      guard record.pointee.box.isPoint else { throw bucketOverfull(node.record) }
    }
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

/// The distance at which a node may give way to its children at the earliest, whatever is shown around it.
///
/// Its children must be at least that far apart. But they take room from their neighbours, so at a distance r a node
/// is split only if one badge stands for it badly: if its points scatter (the root of their mean squared distance to
/// their mean is 0.7 r or more), or if its children are 2 r apart, so that nothing small is hidden in something large
/// and far away. A node that waits leaves its room to denser ones.
extension TreeStorage {
  /// The square of the distance up to which a node scatters: twice the mean squared distance of its points to their
  /// mean, rounded up. It is computed in f64 from the stored covariance, the same in memory and in a file.
  ///
  /// - Precondition: `checkSummary(of: node)`.
  package func squaredScatterDistance(of node: Node) -> UInt64 {
    let square = (summary(of: node, in: box(of: node)).spread.trace * 2).rounded(.up)
    return square < 0x1p64 ? UInt64(square) : .max
  }

  /// The square of the distance at which a node may be split at the earliest.
  @inline(__always) package static func squaredSplitDistance(childrenApart squaredDistance: UInt64, scatter: UInt64)
    -> UInt64
  {
    // Rounded up: positions a unit apart are split at a unit.
    min(squaredDistance, max(scatter, squaredDistance / 4 &+ (squaredDistance & 3 == 0 ? 0 : 1)))
  }
}

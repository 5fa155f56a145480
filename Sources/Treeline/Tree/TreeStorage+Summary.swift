extension TreeStorage {
  /// The sums and the covariance of a node's points.
  ///
  /// Complexity: O(1), reading them for a node with stored children and taking them from at most 16 points for others.
  ///
  /// The node need not have been asked for its children, so what its record says of them is checked here.
  func summary(of node: Node, in box: PlaneRect) throws(IndexError) -> (sums: NodeSums, spread: NodeSpread) {
    let sums = try sums(of: node, in: box)
    if box.isPoint { return (sums, NodeSpread(xx: 0, xy: 0, yy: 0)) }
    if isStored(node) {
      return (sums, spreads[(Int(node.record) + Int(nodes[Int(node.record)].childOffset) - 1) / 2])
    }
    let members = UnsafeBufferPointer(start: points + Int(node.first), count: Int(node.count))
    return (sums, spread(of: members, in: box, about: sums))
  }

  /// The mean of a node's points, each coordinate rounded to the nearest unit and a half up: what distances between
  /// nodes are measured by.
  ///
  /// Complexity: O(1), like that of `summary`.
  package func meanPosition(of node: Node) throws(IndexError) -> PlanePoint {
    let box = box(of: node)
    let sums = try sums(of: node, in: box)
    return PlanePoint(
      x: box.minX &+ Self.roundedQuotient(sums.x, by: node.count),
      y: box.minY &+ Self.roundedQuotient(sums.y, by: node.count))
  }

  /// The quotient, which fits 32 bits, to the nearest number.
  private static func roundedQuotient(_ sum: UInt64, by count: UInt32) -> UInt32 {
    let (quotient, remainder) = sum.quotientAndRemainder(dividingBy: UInt64(count))
    return UInt32(truncatingIfNeeded: quotient + (2 * remainder >= UInt64(count) ? 1 : 0))
  }

  private func sums(of node: Node, in box: PlaneRect) throws(IndexError) -> NodeSums {
    if box.isPoint { return NodeSums(x: 0, y: 0) }
    if isStored(node) {
      let left = Int(node.record) + Int(nodes[Int(node.record)].childOffset)
      guard hasSummary(at: left) else { throw childOutside(node.record) }
      let sums = sums[(left - 1) / 2]
      // A mean outside its box would lead to places that are no numbers. 2^31 points times 2^32 units fit.
      guard sums.x <= UInt64(node.count) * UInt64(box.width),
        sums.y <= UInt64(node.count) * UInt64(box.height)
      else {
        throw meanOutside(node.record, sums)
      }
      return sums
    }
    // A bucket's record is not held to its capacity before its parts are asked for.
    guard node.count <= NodeRecord.bucketCapacity else { throw bucketOverfull(node.record) }
    return sums(of: UnsafeBufferPointer(start: points + Int(node.first), count: Int(node.count)), in: box)
  }

  private func sums(of members: UnsafeBufferPointer<PlanePoint>, in box: PlaneRect) -> NodeSums {
    var sums = NodeSums(x: 0, y: 0)
    for point in members {
      sums.x &+= UInt64(point.x &- box.minX)
      sums.y &+= UInt64(point.y &- box.minY)
    }
    return sums
  }

  private func spread(
    of members: UnsafeBufferPointer<PlanePoint>, in box: PlaneRect, about sums: NodeSums
  ) -> NodeSpread {
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

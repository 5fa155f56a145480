extension TreeStorage {
  /// The sums and the covariance of a node's points.
  ///
  /// Complexity: O(1), reading them for a node with stored children and taking them from at most 16 points for others.
  func summary(of node: Node, in box: PlaneRect) -> (sums: NodeSums, spread: NodeSpread) {
    if box.isPoint {
      return (NodeSums(x: 0, y: 0), NodeSpread(xx: 0, xy: 0, yy: 0))
    }
    if isStored(node) {
      let entry = (Int(node.record) + Int(nodes[Int(node.record)].childOffset) - 1) / 2
      return (sums[entry], spreads[entry])
    }
    let members = UnsafeBufferPointer(start: points + Int(node.first), count: Int(node.count))
    let sums = sums(of: members, in: box)
    return (sums, spread(of: members, in: box, about: sums))
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

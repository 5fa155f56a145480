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
    let corner = PlanePoint(x: box.minX, y: box.minY)
    // 16 points, 2^28 units: every sum fits 60 bits.
    if max(box.width, box.height) < 1 << 28 {
      return summary(Moments<UInt64>(members, from: corner))
    }
    return summary(Moments<UInt128>(members, from: corner))
  }

  private func summary<Sum>(_ moments: Moments<Sum>) -> (NodeSums, NodeSpread) {
    (NodeSums(x: moments.x, y: moments.y), Scatter(moments).spread(count: moments.count))
  }
}

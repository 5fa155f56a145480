extension TreeStorage {
  /// The first nodes on the ways down from the root that are not too coarse, as far as they stand in a window.
  func centeredCut(in window: PlaneWindow, scale: PixelScale, zoom: Double, leastMembers: Int) throws
    -> [Node]
  {
    let greatest = try scale.greatestCoarseness(atZoom: zoom)
    var nodes: [Node] = []
    // The right parts on the way down to the node that is looked at: one a level.
    var waiting: [Node] = []
    if let root { waiting.append(root) }
    while let node = waiting.popLast() {
      // A node stands in the box around its points.
      let box = box(of: node)
      guard window.intersects(box) else { continue }
      if let pair = try childPair(of: node),
        try scale.splits(node, pair, above: greatest, leastMembers: leastMembers)
      {
        waiting.append(pair.right(of: node))
        waiting.append(pair.left(of: node))
        continue
      }
      try checkSummary(of: node)
      let stand = stand(of: node, in: box)
      if window.contains(x: stand.x, y: stand.y) { nodes.append(node) }
    }
    return nodes
  }

  private func stand(of node: Node, in box: PlaneRect) -> (x: Double, y: Double) {
    if let index = standIndex(of: node) { return (Double(points[index].x), Double(points[index].y)) }
    let (sums, count) = (summary(of: node, in: box).sums, Double(node.count))
    return (Double(box.minX) + Double(sums.x) / count, Double(box.minY) + Double(sums.y) / count)
  }
}

extension TreeStorage {
  /// Returns the nodes whose positions lie in a window, but at most the first `limit` of them. The candidates are the
  /// nodes that the cut shows: on each path down from the root, the first node that is not too coarse.
  func centeredCut(
    in window: PlaneWindow, _ counted: some CountedPoints, scale: PixelScale, zoom: Double, leastMembers: Int,
    isAnchored: Bool, limit: Int
  ) throws -> [Node] {
    let greatest = try scale.greatestCoarseness(atZoom: zoom)
    var nodes: [Node] = []
    // The nodes that are visited later: the right siblings along the path down to the current node, at most one for
    // each level.
    var waiting: [Node] = []
    if let root { waiting.append(root) }
    while let node = waiting.popLast() {
      if isAboveClusters(node), let (left, right) = try children(of: node) {
        // The box of a node above several groups is not compared with the window, because the position of a group may
        // be outside this box. This can happen if the group lies across the seam, the meridian at which the plane
        // begins and ends.
        waiting += [right, left]
        continue
      }
      // The position of a node lies in the box around the node's points.
      let box = box(of: node)
      guard window.intersects(box), counted.hasAny(of: node) else { continue }
      if !isNeverClustered(node), let pair = try childPair(of: node),
        try scale.splits(node, pair, counted, above: greatest, leastMembers: leastMembers)
      {
        waiting.append(pair.right(of: node))
        waiting.append(pair.left(of: node))
        continue
      }
      try checkSummary(of: node)
      let anchor = isAnchored ? self.anchor(of: node) : counted.mean(of: node, in: self)
      if window.contains(x: anchor.x, y: anchor.y) {
        nodes.append(node)
        if nodes.count >= limit { break }
      }
    }
    return nodes
  }

  /// Returns the position that a node has without a filter: the mean of its points, or the position of one of its
  /// points.
  ///
  /// - Precondition: `checkSummary(of: node)` succeeds.
  @inline(__always) func anchor(of node: Node) -> (x: Double, y: Double) {
    if let index = anchorIndex(of: node) { return (Double(points[index].x), Double(points[index].y)) }
    return mean(of: node)
  }
}

extension TreeStorage {
  /// The cut through the tree that the article's breadth-first search makes, in tree order: nodes are expanded level by
  /// level, within a level in the order in which they were reached, as long as the answer stays within the limit.
  ///
  /// A node is replaced by those of its children that have a point in the window. One visible child takes its parent's
  /// place and costs nothing; two cost one cluster more. Once the limit is reached, what can still be replaced without
  /// cost is. Hence no node of the answer could be expanded within the limit, and, since the order of expansion does not
  /// look at the window, a window inside another has an answer that refines the other's.
  ///
  /// Whether a node that lies across the window's edge has a point inside takes a search. So while the answer is below
  /// the limit even with every such node counted, they are expanded unsearched, and those of which nothing is left go. At
  /// the limit the few that are there are searched, once, and from then on each node as it is reached. The answer is the
  /// same.
  ///
  /// Complexity: O(answer + depth) nodes looked at, besides those that lie across the window's corners.
  func breadthFirstCut(in window: PlaneWindow, limit: Int) throws(IndexError) -> [Node] {
    guard let start = try lowestNode(around: window) else { return [] }
    let sight = try sight(byBoxOf: start, in: window)
    if sight == .none { return [] }
    var front = Front(of: start, sight, capacity: min(limit, pointCount))
    /// Whether all nodes of the front are known to have a point in the window.
    var isSettled = false
    while front.nextLevel() {
      while let slot = front.next() {
        if !isSettled && front.count == limit {
          try front.removeAll { node, sight throws(IndexError) in
            sight == .partial ? try !hasPointInside(node, window) : false
          }
          isSettled = true
        }
        let parent = front[slot]
        if front.count == limit && parent.sight == .whole { continue }
        guard let children = try children(of: parent.node) else { continue }
        if parent.sight == .whole {
          front.split(slot, into: children.left, and: children.right)
          continue
        }
        let sights =
          isSettled
          ? try sights(of: children, below: parent.sight, in: window)
          : try sightsByBox(of: children, below: parent.sight, in: window)
        if front.count == limit && sights.left != .none && sights.right != .none { continue }
        front.expand(slot, into: children.left, sights.left, and: children.right, sights.right)
      }
    }
    return front.nodes
  }

  /// The way down to a small window is the same for every limit: one child or the other, as long as the box of one only
  /// reaches into the window. There is nil at its end if that of neither does.
  @inline(__always)
  private func lowestNode(around window: PlaneWindow) throws(IndexError) -> Node? {
    guard var node = root else { return nil }
    while isStored(node), let (left, right) = try children(of: node) {
      let reachesLeft = window.intersects(nodes[Int(left.record)].box)
      let reachesRight = window.intersects(nodes[Int(right.record)].box)
      if reachesLeft && reachesRight { break }
      if !reachesLeft && !reachesRight { return nil }
      node = reachesLeft ? left : right
    }
    return node
  }
}

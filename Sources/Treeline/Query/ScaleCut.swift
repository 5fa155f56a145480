extension TreeStorage {
  /// The nodes that are shown at a scale and have a point in a window, in tree order: the first on each way down from the
  /// root that are coarse no more. If there are more than the limit allows, those at the least coarser scale at which there are not.
  ///
  /// Which nodes are expanded at a scale does not look at the window, and a coarser one expands some of them. A part of the
  /// window has no more nodes at any scale, hence its scale is no coarser; and where less is asked to be coarse it is not
  /// either. So a window inside another has an answer that refines the other's, at this scale or a finer one, within
  /// a limit too, and what holds of all nodes of a scale holds of each answer.
  ///
  /// - Parameters:
  ///   - leastMembers: Nodes of fewer points are expanded at every scale; unless they all are such and too many.
  ///   - scale: Nodes are expanded whose coarseness is above it, as far as their parents are.
  ///   - expandsAll: Whether all nodes are expanded, at whatever scale, as long as the limit has room for all.
  /// - Complexity: O(answer + depth) nodes looked at, besides those that lie across the window's corners; beyond the limit
  ///   O(limit · log limit + depth).
  @inline(__always)
  func cut(
    in window: PlaneWindow, limit: Int, leastMembers: Int, scale: Double, expandsAll: Bool,
    coarseness: (Node, ChildPair) throws(IndexError) -> Double
  ) throws(IndexError) -> [Node] {
    guard let root else { return [] }
    var (leastMembers, scale, expandsAll) = (leastMembers, scale, expandsAll)
    // One more than the limit tells that there are too many.
    var room = limit == .max ? limit : limit + 1
    while true {
      let cut = try breadthFirstCut(in: window, limit: room) { node, fork throws(IndexError) in
        expandsAll || Int(node.count) < leastMembers ? true : try coarseness(node, fork) > scale
      }
      if cut.count <= limit { return cut }
      if expandsAll {
        expandsAll = false
      } else if root.count < leastMembers {
        leastMembers = 0
      } else {
        scale = try leastScale(in: window, limit: limit, leastMembers: leastMembers, coarseness)
        // There is room for all of them, unless a damaged file tells this and that.
        room = limit
      }
    }
  }

  /// The least scale at which no more than `limit` nodes are shown.
  ///
  /// Nodes are expanded from the coarsest on, and none counts as coarser than its parent. The one for which there is no
  /// room any more tells the scale.
  @inline(never)
  private func leastScale(
    in window: PlaneWindow, limit: Int, leastMembers: Int,
    _ coarseness: (Node, ChildPair) throws(IndexError) -> Double
  ) throws(IndexError) -> Double {
    let edges = WindowEdges(of: window)
    var waiting = Heap<CoarseNode>()
    func wait(_ node: Node, _ sight: Sight, below bound: Double) throws(IndexError) {
      guard sight != .none, node.count > 1, let fork = try childPair(of: node) else { return }
      let value = Int(node.count) < leastMembers ? bound : try coarseness(node, fork)
      // A damaged file may hold what is no number.
      waiting.insert(
        CoarseNode(coarseness: value < bound ? value : bound, node: node, fork: fork, sight: sight))
    }
    if let root { try wait(root, sight(byBoxOf: root, in: edges), below: .infinity) }
    var count = 1
    while let coarsest = waiting.popFirst() {
      let (node, fork) = (coarsest.node, coarsest.fork)
      let sights = try sights(of: fork, of: node, below: coarsest.sight, in: edges)
      count += sights.left != .none && sights.right != .none ? 1 : 0
      if count > limit { return coarsest.coarseness }
      try wait(fork.left(of: node), sights.left, below: coarsest.coarseness)
      try wait(fork.right(of: node), sights.right, below: coarsest.coarseness)
    }
    return .infinity
  }
}

/// A node that is yet to be expanded, the coarsest first.
private struct CoarseNode: Comparable {
  let coarseness: Double
  let node: Node
  let fork: ChildPair
  let sight: Sight

  static func < (a: CoarseNode, b: CoarseNode) -> Bool { b.coarseness < a.coarseness }
  static func == (a: CoarseNode, b: CoarseNode) -> Bool { a.coarseness == b.coarseness }
}

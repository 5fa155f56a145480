import CPrefetch

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
  /// Complexity: O(answer + depth) nodes looked at, besides those that lie across the window's corners. What is finished is
  /// copied at every level, but of more than about a thousand nodes only while many are not: see `Front`.
  func breadthFirstCut(in window: PlaneWindow, limit: Int) throws(IndexError) -> [Node] {
    try breadthFirstCut(in: window, limit: limit) { _, _ in true }
  }

  /// The same, but of the nodes that are too coarse only; the others are shown as they are.
  @inline(__always)
  func breadthFirstCut(
    in window: PlaneWindow, limit: Int, expanding isTooCoarse: (Node, ChildPair) throws(IndexError) -> Bool
  ) throws(IndexError) -> [Node] {
    guard let start = try lowestNode(around: window, expanding: isTooCoarse) else { return [] }
    let edges = WindowEdges(of: window)
    let sight = try sight(byBoxOf: start, in: edges)
    if sight == .none { return [] }
    var front = Front(of: start, sight, limit: limit)
    /// Whether all nodes of the front are known to have a point in the window.
    var isSettled = false
    while true {
      try expandLevels(of: &front, isSettled, in: edges, limit: limit, expanding: isTooCoarse)
      let nodes = try front.nodes { slot throws(IndexError) in
        // Something of a settled node is seen, whatever the boxes below it say in a damaged file.
        try onlyVisibleNode(below: slot.node, slot.sight, in: edges, expanding: isTooCoarse)
          ?? (isSettled ? slot.node : nil)
      } checked: { node throws(IndexError) in
        try checkSummary(of: node)
      }
      if let nodes { return nodes }
      // A node turned out to show nothing, which leaves room to expand more.
      try front.keep { slot throws(IndexError) in
        slot.sight == .partial ? try hasPointInside(slot.node, edges) : true
      }
      isSettled = true
    }
  }

  /// Expands nodes level by level, those of a level in tree order, until the limit is reached or none is left.
  private func expandLevels(
    of front: inout Front, _ isSettled: Bool, in edges: WindowEdges, limit: Int,
    expanding isTooCoarse: (Node, ChildPair) throws(IndexError) -> Bool
  ) throws(IndexError) {
    while true {
      var (next, place) = (front.next, front.place)
      let end = front.end
      let distanceWhenFull = front.distance(ofCount: limit)
      /// 0 as long as all that was written are points.
      var more: UInt32 = front.hasWritten ? 1 : 0
      while next < end {
        let slot = next.pointee
        if slot.isFinished {
          place.initialize(to: slot)
          place += 1
          next += 1
          continue
        }
        if Front.distance(from: next, to: place) == distanceWhenFull {
          (front.next, front.place) = (next, place)
          return
        }
        next += 1
        let childOffset = nodes[slot.record].childOffset
        if childOffset == 0 {
          guard let fork = try bucketChildPair(of: slot.node), try isTooCoarse(slot.node, fork) else {
            place.initialize(to: slot.finished)
            place += 1
            continue
          }
          more |= slot.count &- 2
          let sights = slot.sight.ofParts(fork.leftCount, slot.count &- fork.leftCount)
          let parts = slot.partsOfBucket(leftCount: fork.leftCount, seen: sights)
          place.initialize(to: parts.left)
          place += sights.left.asNumber
          place.initialize(to: parts.right)
          place += sights.right.asNumber
          continue
        }
        let fork = try storedChildPair(of: slot.node)
        guard try isTooCoarse(slot.node, fork) else {
          let isLeft =
            !isSettled && slot.sight == .partial ? try hasPointInside(slot.node, edges) : true
          place.initialize(to: slot.finished)
          place += isLeft ? 1 : 0
          continue
        }
        more = 1
        let children = nodes + Int(fork.leftRecord)
        // Those of the left one lie behind both, where the machine looks by itself.
        fetchChildren(of: children + 1)
        if slot.isAllSeen {
          let parts = slot.childrenAllSeen(leftCount: fork.leftCount, childOffset)
          place.initialize(to: parts.left)
          (place + 1).initialize(to: parts.right)
          place += 2
          continue
        }
        let sides = edges.sidesOutside(ofPair: children)
        var sights = try sights(byBoxes: sides, of: fork, of: slot.node, in: edges)
        if isSettled { sights = try searched(sights, of: fork, of: slot.node, in: edges) }
        // Written without branches, for which of them are seen is as good as random.
        let parts = slot.children(leftCount: fork.leftCount, childOffset, seen: sights)
        place.initialize(to: parts.left)
        place += sights.left.asNumber
        place.initialize(to: parts.right)
        place += sights.right.asNumber
      }
      (front.next, front.place) = (next, place)
      if more == 0 { return }
      front.nextLevel()
    }
  }

  /// Has the records fetched that expanding a node will look at, at the next level.
  @inline(__always)
  private func fetchChildren(of record: UnsafePointer<NodeRecord>) {
    prefetch(record + Int(record.pointee.childOffset))
  }

  /// What takes a node's place without cost: its child as long as only one is seen, and of that again; nil if nothing of it
  /// is seen.
  @inline(never)
  private func onlyVisibleNode(
    below node: Node, _ sight: Sight, in edges: WindowEdges,
    expanding isTooCoarse: (Node, ChildPair) throws(IndexError) -> Bool
  ) throws(IndexError) -> Node? {
    var (node, sight) = (node, sight)
    while sight == .partial {
      let fork = try storedChildPair(of: node)
      guard try isTooCoarse(node, fork) else { return try hasPointInside(node, edges) ? node : nil }
      let sides = edges.sidesOutside(ofPair: nodes + Int(fork.leftRecord))
      if sides.left.leaveOneInside && sides.right.leaveOneInside { return node }
      var sights = try sights(byBoxes: sides, of: fork, of: node, in: edges)
      if sights.left != .none && sights.right != .none {
        sights = try searched(sights, of: fork, of: node, in: edges)
        if sights.left != .none && sights.right != .none { return node }
      }
      if sights.left == .none && sights.right == .none { return nil }
      (node, sight) =
        sights.left != .none ? (fork.left(of: node), sights.left) : (fork.right(of: node), sights.right)
    }
    while sight != .whole, let fork = try bucketChildPair(of: node), try isTooCoarse(node, fork) {
      let sights = sight.ofParts(fork.leftCount, node.count &- fork.leftCount)
      if sights.left != .none && sights.right != .none { return node }
      (node, sight) =
        sights.left != .none ? (fork.left(of: node), sights.left) : (fork.right(of: node), sights.right)
    }
    return node
  }

  /// The way down to a small window is the same for every limit: one child or the other, as long as the box of one only
  /// reaches into the window. There is nil at its end if that of neither does.
  private func lowestNode(
    around window: PlaneWindow, expanding isTooCoarse: (Node, ChildPair) throws(IndexError) -> Bool
  ) throws(IndexError) -> Node? {
    guard var node = root else { return nil }
    while isStored(node), let fork = try childPair(of: node), try isTooCoarse(node, fork) {
      let (left, right) = (fork.left(of: node), fork.right(of: node))
      let reachesLeft = window.intersects(nodes[Int(left.record)].box)
      let reachesRight = window.intersects(nodes[Int(right.record)].box)
      if reachesLeft && reachesRight { break }
      if !reachesLeft && !reachesRight { return nil }
      node = reachesLeft ? left : right
    }
    return node
  }
}

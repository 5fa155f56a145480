import CPrefetch

extension TreeStorage {
  /// Returns the nodes of the cut that a breadth-first search makes, in tree order. The method is from Applidium's
  /// article "Too many pins on your map". Nodes are expanded level by level, as long as the answer stays within the
  /// limit. Within a level, nodes are expanded in tree order.
  ///
  /// Expanding a node replaces it by its visible children. A child is visible if it has a point in view. If one child
  /// is visible, the child takes its parent's place, and the answer does not grow. If both children are visible, the
  /// answer has one cluster more. Even after the limit is reached, a node with one visible child is replaced. Hence no
  /// node of the answer could be expanded without exceeding the limit. The order of expansion does not depend on the
  /// window. Therefore the answer for a part of a window refines the answer for the whole window.
  ///
  /// If the box of a node lies across the window's edge, only a search shows whether the window contains a point of
  /// the node. At first such a node is treated as visible and is expanded without a search. If it turns out that no
  /// part of the node is visible, the node disappears. As soon as the number of nodes reaches the limit, the few
  /// remaining nodes across the edge are searched. From then on, each node across the edge is searched when the
  /// expansion reaches the node. The answer is the same as if every node had been searched.
  ///
  /// Complexity: O(answer + depth) visited nodes, plus the nodes that lie across the window's corners. If there are at
  /// most about a thousand nodes, finished nodes are copied at every level. If there are more nodes, finished nodes
  /// are copied only while many nodes are unfinished; see `Frontier`.
  func breadthFirstCut<Counted>(in view: PointsInView<Counted>, limit: Int) throws(IndexError) -> [Node] {
    try breadthFirstCut(in: view, limit: limit, expanding: EveryNode())
  }

  /// Returns the cut in which only the nodes of `expanded` may be expanded. All other nodes are shown whole.
  @inline(__always) func breadthFirstCut<Counted>(
    in view: PointsInView<Counted>, limit: Int, expanding expanded: some ExpandedNodes
  ) throws(IndexError) -> [Node] {
    var frontier: Frontier
    if groups == nil {
      guard let start = try lowestNode(in: view, expanding: expanded) else { return [] }
      let visibility = try visibility(byBoxOf: start, in: view)
      if visibility == .none { return [] }
      frontier = Frontier(of: start, visibility, limit: limit)
    } else {
      let starts = try groupStarts(in: view)
      if starts.isEmpty { return [] }
      frontier = Frontier(of: starts, limit: limit)
    }
    /// Whether all nodes of the frontier are known to have a point in the window.
    var isSettled = false
    while true {
      try expandLevels(of: &frontier, isSettled, in: view, limit: limit, expanding: expanded)
      let nodes = try frontier.nodes { slot throws(IndexError) in
        // If the frontier is settled, every node has a visible point. So each node stays in the answer, even if the
        // boxes of all its descendants are out of view because the file is damaged.
        try onlyVisibleNode(below: slot.node, slot.visibility, in: view, expanding: expanded)
          ?? (isSettled ? slot.node : nil)
      } checked: { node throws(IndexError) in
        try checkSummary(of: node)
      }
      if let nodes { return nodes }
      // A node turned out to have no visible point, so there is room to expand other nodes.
      try frontier.keep { slot throws(IndexError) in
        slot.visibility == .partial ? try hasPointInside(slot.node, view) : true
      }
      isSettled = true
    }
  }

  /// Expands nodes level by level, each level in tree order, until the limit is reached or no node is left.
  private func expandLevels<Counted>(
    of frontier: inout Frontier, _ isSettled: Bool, in view: PointsInView<Counted>, limit: Int,
    expanding expanded: some ExpandedNodes
  ) throws(IndexError) {
    while true {
      var (next, cursor) = (frontier.next, frontier.cursor)
      let end = frontier.end
      let distanceWhenFull = frontier.distance(ofCount: limit)
      /// 0 as long as the expansion has produced only single points. If `more` stays 0, no further level is needed.
      var more: UInt32 = frontier.hasWritten ? 1 : 0
      while next < end {
        let slot = next.pointee
        if slot.isFinished {
          cursor.initialize(to: slot)
          cursor += 1
          next += 1
          continue
        }
        if Frontier.distance(from: next, to: cursor) == distanceWhenFull {
          (frontier.next, frontier.cursor) = (next, cursor)
          return
        }
        next += 1
        let childOffset = nodes[slot.record].childOffset
        if childOffset == 0 {
          guard let pair = try bucketChildPair(of: slot.node), try expanded.contains(slot.node, pair) else {
            cursor.initialize(to: slot.finished)
            cursor += 1
            continue
          }
          more |= slot.count &- 2
          let visibilities = slot.visibility.ofParts(pair.leftCount, slot.count &- pair.leftCount)
          let parts = slot.partsOfBucket(leftCount: pair.leftCount, seen: visibilities)
          cursor.initialize(to: parts.left)
          cursor += visibilities.left.asNumber
          cursor.initialize(to: parts.right)
          cursor += visibilities.right.asNumber
          continue
        }
        let pair = try storedChildPair(of: slot.node)
        guard try expanded.contains(slot.node, pair) else {
          let isLeft = !isSettled && slot.visibility == .partial ? try hasPointInside(slot.node, view) : true
          cursor.initialize(to: slot.finished)
          cursor += isLeft ? 1 : 0
          continue
        }
        more = 1
        let children = nodes + Int(pair.leftRecord)
        // Only the children of the right child are prefetched here. In memory, the children of the left child follow
        // the right child, so the hardware prefetches them without help.
        fetchChildren(of: children + 1)
        if slot.isAllSeen {
          let parts = slot.childrenAllSeen(leftCount: pair.leftCount, childOffset)
          cursor.initialize(to: parts.left)
          (cursor + 1).initialize(to: parts.right)
          cursor += 2
          continue
        }
        var visibilities: (left: Visibility, right: Visibility)
        if !Counted.areAll && slot.visibility == .inside {
          visibilities = try self.visibilities(ofPairInside: pair, of: slot.node, in: view)
        } else {
          let sides = view.edges.sidesOutside(ofPair: children)
          visibilities = try self.visibilities(byBoxes: sides, of: pair, of: slot.node, in: view)
          if isSettled { visibilities = try searched(visibilities, of: pair, of: slot.node, in: view) }
        }
        // Written without branches, because it is almost random which children are visible.
        let parts = slot.children(leftCount: pair.leftCount, childOffset, seen: visibilities)
        cursor.initialize(to: parts.left)
        cursor += visibilities.left.asNumber
        cursor.initialize(to: parts.right)
        cursor += visibilities.right.asNumber
      }
      (frontier.next, frontier.cursor) = (next, cursor)
      if more == 0 { return }
      frontier.nextLevel()
    }
  }

  /// Prefetches the records that are read when a node is expanded at the next level.
  @inline(__always) private func fetchChildren(of record: UnsafePointer<NodeRecord>) {
    prefetch(record + Int(record.pointee.childOffset))
  }

  /// Follows the path down from a node as long as only one child is visible, and returns the last node of this path.
  /// The last node can replace the given node without enlarging the answer. Returns nil if no point of the node is
  /// visible.
  @inline(never) private func onlyVisibleNode<Counted>(
    below node: Node, _ visibility: Visibility, in view: PointsInView<Counted>,
    expanding expanded: some ExpandedNodes
  ) throws(IndexError) -> Node? {
    var (node, visibility) = (node, visibility)
    while visibility.isPartOfStored {
      let isInside = !Counted.areAll && visibility == .inside
      if isInside && view.counted.isKnownToPartBoth(node) { return node }
      let pair = try storedChildPair(of: node)
      guard try expanded.contains(node, pair) else {
        if isInside { return node }
        return try hasPointInside(node, view) ? node : nil
      }
      var visibilities: (left: Visibility, right: Visibility)
      if isInside {
        visibilities = try self.visibilities(ofPairInside: pair, of: node, in: view)
        if visibilities.left != .none && visibilities.right != .none { return node }
      } else {
        let sides = view.edges.sidesOutside(ofPair: nodes + Int(pair.leftRecord))
        if Counted.areAll && sides.left.leaveOneInside && sides.right.leaveOneInside { return node }
        visibilities = try self.visibilities(byBoxes: sides, of: pair, of: node, in: view)
        if visibilities.left != .none && visibilities.right != .none {
          visibilities = try searched(visibilities, of: pair, of: node, in: view)
          if visibilities.left != .none && visibilities.right != .none { return node }
        }
      }
      if visibilities.left == .none && visibilities.right == .none { return nil }
      (node, visibility) =
        visibilities.left != .none
        ? (pair.left(of: node), visibilities.left) : (pair.right(of: node), visibilities.right)
    }
    while visibility != .whole, let pair = try bucketChildPair(of: node), try expanded.contains(node, pair) {
      let visibilities = visibility.ofParts(pair.leftCount, node.count &- pair.leftCount)
      if visibilities.left != .none && visibilities.right != .none { return node }
      (node, visibility) =
        visibilities.left != .none
        ? (pair.left(of: node), visibilities.left) : (pair.right(of: node), visibilities.right)
    }
    return node
  }

  /// In a tree with groups, a cut starts from several nodes. Returns these nodes and the visibility of each node.
  @inline(never) private func groupStarts<Counted>(in view: PointsInView<Counted>) throws(IndexError)
    -> [(node: Node, visibility: Visibility)]
  {
    try cutRoots(in: view).map { node throws(IndexError) in
      (node: node, visibility: isNeverClustered(node) ? .finished : try visibility(byBoxOf: node, in: view))
    }
  }

  /// Follows a path from the root down to the window, and returns the last node of the path. As long as only one child
  /// has a box that overlaps the window, the path continues with this child. Therefore the path is the same for every
  /// limit. Returns nil if the path reaches a node whose children both have boxes outside the window.
  private func lowestNode<Counted>(
    in view: PointsInView<Counted>, expanding expanded: some ExpandedNodes
  ) throws(IndexError) -> Node? {
    guard var node = root else { return nil }
    while isStored(node), let pair = try childPair(of: node), try expanded.contains(node, pair) {
      let (left, right) = (pair.left(of: node), pair.right(of: node))
      let reachesLeft = view.mayShow(left, nodes[Int(left.record)].box)
      let reachesRight = view.mayShow(right, nodes[Int(right.record)].box)
      if reachesLeft && reachesRight { break }
      if !reachesLeft && !reachesRight { return nil }
      node = reachesLeft ? left : right
    }
    return node
  }
}

/// The nodes that a cut may replace by their children. This is a protocol and not a closure, so that the call for each
/// node is inlined.
protocol ExpandedNodes {
  func contains(_ node: Node, _ pair: ChildPair) throws(IndexError) -> Bool
}

private struct EveryNode: ExpandedNodes {
  @inline(__always) func contains(_: Node, _: ChildPair) -> Bool { true }
}

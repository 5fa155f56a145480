extension TreeStorage {
  /// The cut of `breadthFirstCut`, of which nodes of fewer points than `leastMembers` are taken apart as far as the limit
  /// goes, those of the fewest points first.
  ///
  /// This is an order of expansion that does not look at the window, like the one before it, so a window inside another
  /// still has an answer that refines the other's.
  ///
  /// Complexity: O(answer + depth), besides nodes that lie across the window's corners; with a limit that there are as many
  /// points as, or more, also O(k log k) for k nodes that are small.
  @inline(__always)
  func breadthFirstCut(
    in window: PlaneWindow, limit: Int, leastMembers: Int,
    expanding isTooCoarse: (Node, Fork) throws(IndexError) -> Bool
  ) throws(IndexError) -> [Node] {
    // Without a limit the order of expansion is all one, and small nodes are too coarse like others.
    let isLimited = limit < pointCount
    let expanded = isLimited ? 0 : leastMembers
    let cut = try breadthFirstCut(in: window, limit: limit) { node, fork throws(IndexError) in
      Int(node.count) < expanded ? true : try isTooCoarse(node, fork)
    }
    guard isLimited && leastMembers > 2 else { return cut }
    return try takenApart(cut, ofFewerThan: leastMembers, in: window, limit: limit)
  }

  @inline(never)
  private func takenApart(
    _ cut: [Node], ofFewerThan leastMembers: Int, in window: PlaneWindow, limit: Int
  ) throws(IndexError) -> [Node] {
    let small = cut.indices.filter { cut[$0].count > 1 && Int(cut[$0].count) < leastMembers }
      .sorted { (cut[$0].count, $0) < (cut[$1].count, $1) }
    var room = limit - cut.count
    var taken: [Int: [Node]] = [:]
    for index in small { taken[index] = try parts(of: cut[index], in: window, &room) }
    return cut.indices.flatMap { taken[$0] ?? [cut[$0]] }
  }

  /// What a node becomes, in tree order, whose nodes are expanded in that order as long as there is room for more. One
  /// visible child takes its parent's place without any.
  private func parts(of node: Node, in window: PlaneWindow, _ room: inout Int) throws(IndexError) -> [Node] {
    var parts: [Node] = []
    // The right parts on the way down to the one that is looked at: one a level.
    var waiting = [node]
    while let node = waiting.popLast() {
      let seen = try visibleChildren(of: node, in: window)
      if seen.isEmpty || seen.count - 1 > room {
        try checkSummary(of: node)
        parts.append(node)
      } else {
        room -= seen.count - 1
        waiting += seen.reversed()
      }
    }
    return parts
  }

  private func visibleChildren(of node: Node, in window: PlaneWindow) throws(IndexError) -> [Node] {
    guard let (left, right) = try children(of: node) else { return [] }
    var seen: [Node] = []
    for child in [left, right]
    where try isStored(child) ? isSeen(child, in: window) : hasPoint(child, in: window) {
      seen.append(child)
    }
    return seen
  }
}

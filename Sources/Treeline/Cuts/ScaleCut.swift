extension TreeStorage {
  /// Returns the nodes that are shown at a scale and have a point in a window, in tree order. A scale is the greatest
  /// coarseness of a node that is shown whole. On each path down from the root, the first node that is not too coarse
  /// is shown. If this gives more nodes than the limit allows, the finest scale that keeps the limit is used instead.
  ///
  /// The nodes that are expanded at a scale do not depend on the window, and a coarser scale expands a subset of these
  /// nodes. At any scale, a part of the window has no more nodes than the whole window. So if the limit forces a
  /// coarser scale, the scale for the part is at least as fine as the scale for the whole window. This holds even if a
  /// finer scale was requested for the part. Hence the answer for a part of a window, at the same scale or a finer
  /// scale, refines the answer for the whole window, even if the limit is reached. A promise about all nodes of a
  /// scale, such as the least distance between them, holds for every answer at that scale.
  ///
  /// - Complexity: O(answer + depth) visited nodes, plus the nodes that lie across the window's corners. If the answer
  ///   would exceed the limit, the complexity is O(limit · log limit + depth).
  func scaleCut<Counted>(
    in view: PointsInView<Counted>, zoom: Double, scale: PixelScale, limit: Int, unclustered: UnclusteredPoints
  )
    throws -> [Node]
  {
    try scaleCut(
      in: view, scale: scale, greatest: scale.greatestCoarseness(atZoom: zoom), limit: limit,
      leastMembers: unclustered.leastMembers, expandsAll: unclustered.isAll(atZoom: zoom))
  }

  /// Returns the nodes for a scale that is given as a coarseness.
  ///
  /// - Parameters:
  ///   - greatest: The greatest coarseness of a node that is shown whole. A coarser node is expanded if its parent is
  ///     expanded.
  ///   - leastMembers: Nodes with fewer points are expanded at every scale. If the whole tree has fewer points, and
  ///     there are too many nodes, this number is ignored.
  ///   - expandsAll: Whether all nodes are expanded, whatever the scale. Ignored if the answer would then have more
  ///     nodes than the limit allows.
  func scaleCut<Counted>(
    in view: PointsInView<Counted>, scale: PixelScale, greatest: Double, limit: Int, leastMembers: Int = 2,
    expandsAll: Bool = false
  ) throws(IndexError) -> [Node] {
    if root == nil { return [] }
    var (leastMembers, greatest, expandsAll) = (leastMembers, greatest, expandsAll)
    // Leaves room for one node more than the limit, so that the result shows whether there are too many nodes.
    var room = limit == .max ? limit : limit + 1
    while true {
      let tooCoarse = TooCoarseNodes(
        scale: scale, counted: view.counted, greatest: greatest, leastMembers: expandsAll ? .max : leastMembers)
      let cut = try breadthFirstCut(in: view, limit: room, expanding: tooCoarse)
      if cut.count <= limit { return cut }
      if expandsAll {
        expandsAll = false
      } else if try leastRootCount(view.counted) < leastMembers {
        leastMembers = 0
      } else {
        greatest = try leastCoarseness(in: view, limit: limit, leastMembers: leastMembers, scale)
        // At this scale, the number of nodes is within the limit, unless a damaged file contradicts itself.
        room = limit
      }
    }
  }

  /// Returns the number of counted points of the root or, in a tree with groups, of the smallest group. Points out of
  /// view are included.
  @inline(never) private func leastRootCount(_ counted: some CountedPoints) throws(IndexError) -> Int {
    groups == nil ? root.map { Int(counted.count(of: $0)) } ?? 0 : try leastGroupCount(counted)
  }

  /// Returns the finest scale at which at most `limit` nodes are shown. The scale is a coarseness. Nodes that are
  /// coarser than the scale are expanded.
  ///
  /// Nodes are expanded in order of falling coarseness. A node that is coarser than its parent is treated as if it had
  /// the coarseness of its parent. The result is the coarseness of the first node that cannot be expanded within the
  /// limit.
  @inline(never) private func leastCoarseness<Counted>(
    in view: PointsInView<Counted>, limit: Int, leastMembers: Int, _ scale: PixelScale
  ) throws(IndexError) -> Double {
    var waiting = Heap<CoarseNode>()
    func wait(_ node: Node, _ visibility: Visibility, below bound: Double) throws(IndexError) {
      guard visibility != .none, node.count > 1, let pair = try childPair(of: node) else { return }
      let value =
        view.counted.count(of: node) < leastMembers ? bound : try scale.coarseness(of: node, pair, view.counted)
      // If `value` is NaN because the file is damaged, `bound` is used.
      waiting.insert(
        CoarseNode(coarseness: value < bound ? value : bound, node: node, pair: pair, visibility: visibility))
    }
    let roots = try cutRoots(in: view)
    for root in roots where !isNeverClustered(root) {
      try wait(root, visibility(byBoxOf: root, in: view), below: .infinity)
    }
    var count = roots.count
    while let coarsest = waiting.popFirst() {
      let (node, pair) = (coarsest.node, coarsest.pair)
      let visibilities = try visibilities(of: pair, of: node, below: coarsest.visibility, in: view)
      count += visibilities.left != .none && visibilities.right != .none ? 1 : 0
      if count > limit { return coarsest.coarseness }
      try wait(pair.left(of: node), visibilities.left, below: coarsest.coarseness)
      try wait(pair.right(of: node), visibilities.right, below: coarsest.coarseness)
    }
    return .infinity
  }
}

/// The nodes that are replaced by their children at a scale, because they are too coarse.
private struct TooCoarseNodes<Counted: CountedPoints>: ExpandedNodes {
  let scale: PixelScale
  let counted: Counted
  let greatest: Double
  let leastMembers: Int

  @inline(__always) func contains(_ node: Node, _ pair: ChildPair) throws(IndexError) -> Bool {
    try scale.splits(node, pair, counted, above: greatest, leastMembers: leastMembers)
  }
}

/// A node that has not been expanded yet. The coarsest node sorts first.
private struct CoarseNode: Comparable {
  let coarseness: Double
  let node: Node
  let pair: ChildPair
  let visibility: Visibility

  static func < (a: CoarseNode, b: CoarseNode) -> Bool { b.coarseness < a.coarseness }
  static func == (a: CoarseNode, b: CoarseNode) -> Bool { a.coarseness == b.coarseness }
}

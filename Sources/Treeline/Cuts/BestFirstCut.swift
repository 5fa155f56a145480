extension TreeStorage {
  /// Returns the nodes of a cut with a limit.
  func limitCut<Counted>(_ limit: Int, _ order: ExpansionOrder, in view: PointsInView<Counted>) throws -> [Node] {
    switch order {
    case .breadthFirst: try breadthFirstCut(in: view, limit: limit)
    case .widestFirst: try bestFirstCut(in: view, limit: limit, .scatter)
    case .steepestFirst: try bestFirstCut(in: view, limit: limit, .savedScatter)
    }
  }

  /// Returns the nodes of a cut, in tree order. The cut begins with the nodes of `cutRoots(in:)`. Then the node of
  /// greatest worth is replaced by its children, again and again, as long as the answer stays within the limit.
  ///
  /// In widest-first order, the worth of a node is its scatter. Scatter is the sum of the squared distances of the
  /// node's points to their mean. In steepest-first order, the worth of a node is the scatter that its expansion
  /// saves: the node's scatter minus the sum of the scatters of its two children. In both orders, no node has more
  /// worth than its parent: a greater worth is lowered to the worth of the parent. If two nodes have equal worth, the
  /// node nearer to the root is expanded first. If both nodes are on the same level, the first node in tree order is
  /// expanded first. Therefore the order of expansion does not depend on the window, and a parent is expanded before
  /// its children. For this reason two properties of `breadthFirstCut` also hold here. The answer for a part of a
  /// window refines the answer for the whole window. No node of the answer could be expanded without exceeding the
  /// limit.
  ///
  /// Complexity: O(k log k + depth) for an answer of k nodes, plus the number of nodes that lie across the window's
  /// corners.
  func bestFirstCut<Counted>(in view: PointsInView<Counted>, limit: Int, _ worth: Worth) throws(IndexError) -> [Node] {
    let roots = try cutRoots(in: view)
    if roots.isEmpty { return [] }
    var cut: [Entry] = []
    var waiting = Heap<Candidate>()
    for (index, root) in roots.enumerated() {
      let isSingle = isNeverClustered(root)
      let visibility = isSingle ? .whole : try visibility(byBoxOf: root, in: view)
      cut.append(Entry(node: root, visibility: visibility, next: index + 1 < roots.count ? index + 1 : -1))
      if !isSingle, let worth = try self.worth(worth, of: root, view.counted, atMost: .infinity) {
        waiting.insert(Candidate(worth: worth, level: root.level, first: root.first, index: index))
      }
    }
    while let candidate = waiting.popFirst() {
      let parent = cut[candidate.index]
      if cut.count == limit && parent.visibility == .whole { continue }
      guard let pair = try childPair(of: parent.node) else { continue }
      let visibilities = try visibilities(of: pair, of: parent.node, below: parent.visibility, in: view)
      let (left, right) = (pair.left(of: parent.node), pair.right(of: parent.node))
      let seen = [(left, visibilities.left), (right, visibilities.right)].filter { $0.1 != .none }
      if seen.count == 2 && cut.count == limit || seen.isEmpty { continue }
      for (number, (node, visibility)) in seen.enumerated() {
        let index = number == 0 ? candidate.index : cut.count
        if number == 0 {
          cut[index].node = node
          cut[index].visibility = visibility
        } else {
          cut.append(Entry(node: node, visibility: visibility, next: cut[candidate.index].next))
          cut[candidate.index].next = index
        }
        if let worth = try self.worth(worth, of: node, view.counted, atMost: candidate.worth) {
          waiting.insert(Candidate(worth: worth, level: node.level, first: node.first, index: index))
        }
      }
    }
    let nodes = sequence(first: 0) { cut[$0].next < 0 ? nil : cut[$0].next }.map { cut[$0].node }
    for node in nodes { try checkSummary(of: node) }
    return nodes
  }

  /// A node of the cut, and the index of the next entry in tree order.
  private struct Entry {
    var node: Node
    var visibility: Visibility
    var next: Int
  }

  private struct Candidate: Comparable {
    var worth: Double
    var level: UInt16
    var first: UInt32
    var index: Int

    /// Returns whether `a` is expanded before `b`.
    static func < (a: Candidate, b: Candidate) -> Bool { (b.worth, a.level, a.first) < (a.worth, b.level, b.first) }
  }

  /// The value that decides which node is expanded first.
  enum Worth {
    case scatter
    case savedScatter
  }

  /// Returns the worth of a node, or `bound` if the worth is greater. Returns nil for a single point, which cannot be
  /// expanded. In steepest-first order, also returns nil for points that all have the same position.
  private func worth(_ worth: Worth, of node: Node, _ counted: some CountedPoints, atMost bound: Double)
    throws(IndexError) -> Double?
  {
    if node.count == 1 { return nil }
    var value = try scatter(of: node, counted)
    if worth == .savedScatter {
      guard let (left, right) = try children(of: node) else { return nil }
      value -= try scatter(of: left, counted) + scatter(of: right, counted)
    }
    // If `value` is NaN because the file is damaged, `bound` is returned.
    return value < bound ? value : bound
  }

  /// Returns the sum of the squared distances of a node's points to their mean. With a filter, only points that pass
  /// the filter are used for the sum and the mean.
  func scatter(of node: Node, _ counted: some CountedPoints) throws(IndexError) -> Double {
    if node.count == 1 { return 0 }
    try checkSummary(of: node)
    let (count, spread) = counted.spread(of: node, in: self)
    return Double(count) * (Double(spread.xx) + Double(spread.yy))
  }
}

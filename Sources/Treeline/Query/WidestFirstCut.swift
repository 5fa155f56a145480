extension TreeStorage {
  /// The cut that comes of expanding, again and again, the node whose points scatter most about their mean, as long as the
  /// answer stays within the limit; in tree order.
  ///
  /// What a node scatters is the sum of its points' squared distances to their mean, and as a rounding could make a child
  /// scatter more than its parent, no more than its parent does; of equals the upper is first, then the first in tree
  /// order. So nodes are expanded in an order that does not look at the window, a parent before its children, and what
  /// holds of `breadthFirstCut` for that reason holds here: nesting, and that nothing could still be expanded.
  ///
  /// Complexity: O(k log k + depth) for an answer of k nodes, besides nodes that lie across the window's corners.
  func widestFirstCut(in window: PlaneWindow, limit: Int) throws(IndexError) -> [Node] {
    guard let root, try isSeen(root, in: window) else { return [] }
    let edges = WindowEdges(of: window)
    let sight = try sight(byBoxOf: root, in: edges)
    var cut = [Place(node: root, sight: sight, next: -1)]
    var waiting = Heap<Candidate>()
    if let scatter = try scatter(of: root, atMost: .infinity) {
      waiting.insert(Candidate(scatter: scatter, level: 0, first: 0, place: 0))
    }
    while let candidate = waiting.popFirst() {
      let parent = cut[candidate.place]
      if cut.count == limit && parent.sight == .whole { continue }
      guard let fork = try fork(of: parent.node) else { continue }
      let sights = try sights(of: fork, of: parent.node, below: parent.sight, in: edges)
      let (left, right) = (fork.left(of: parent.node), fork.right(of: parent.node))
      let seen = [(left, sights.left), (right, sights.right)].filter { $0.1 != .none }
      if seen.count == 2 && cut.count == limit || seen.isEmpty { continue }
      for (number, (node, sight)) in seen.enumerated() {
        let place = number == 0 ? candidate.place : cut.count
        if number == 0 {
          cut[place].node = node
          cut[place].sight = sight
        } else {
          cut.append(Place(node: node, sight: sight, next: cut[candidate.place].next))
          cut[candidate.place].next = place
        }
        if let scatter = try scatter(of: node, atMost: candidate.scatter) {
          waiting.insert(Candidate(scatter: scatter, level: node.level, first: node.first, place: place))
        }
      }
    }
    let nodes = sequence(first: 0) { cut[$0].next < 0 ? nil : cut[$0].next }.map { cut[$0].node }
    for node in nodes { try checkSummary(of: node) }
    return nodes
  }

  /// A node of the cut, and where in the list of places the next one in tree order is.
  private struct Place {
    var node: Node
    var sight: Sight
    var next: Int
  }

  private struct Candidate: Comparable {
    var scatter: Double
    var level: UInt16
    var first: UInt32
    var place: Int

    /// Whether `a` is expanded before `b`.
    static func < (a: Candidate, b: Candidate) -> Bool {
      (b.scatter, a.level, a.first) < (a.scatter, b.level, b.first)
    }
  }

  /// The sum of the squared distances of a node's points to their mean; nil where it is a point and cannot be expanded.
  private func scatter(of node: Node, atMost bound: Double) throws(IndexError) -> Double? {
    if node.count == 1 { return nil }
    try checkSummary(of: node)
    let spread = summary(of: node, in: box(of: node)).spread
    let scatter = Double(node.count) * (Double(spread.xx) + Double(spread.yy))
    // A damaged file may hold what is no number.
    return scatter < bound ? scatter : bound
  }
}

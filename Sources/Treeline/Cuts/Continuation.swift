/// What an answer may be made of that continues another: the clusters of the previous answer and of a fresh one as far as
/// neither lies within the other, others beside them where something else is in view, and whatever has several of these
/// within it.
struct Continuation {
  /// A node of the tree, of which a point is in view. Those in between, which have all that is in view in one child, are
  /// left out: the child scatters less.
  struct Entry {
    let node: Node
    /// The sum of the squared distances of its points to their mean.
    let scatter: Double
    let isPrevious: Bool
    /// By how much a previous cluster scatters more than the fresh ones within it; 0 where there are none.
    var excess = 0.0
    /// None, one or two, as indices in `entries`; those of a previous cluster are of the fresh answer.
    var left = -1
    var right = -1
  }

  /// Each before those below it, the left before the right.
  private(set) var entries: [Entry] = []

  /// The most that an answer may scatter.
  private(set) var mostScatter = 0.0

  /// - Parameters:
  ///   - previous: What of the previous answer is in view, in tree order.
  ///   - fresh: In tree order.
  /// - Complexity: O(k · depth) for k nodes of both.
  init(
    of previous: [Node], and fresh: [Node], of storage: TreeStorage, in window: PlaneWindow
  ) throws(IndexError) {
    for node in fresh { mostScatter += try storage.scatter(of: node) }
    mostScatter *= Cut.continuityFactor * Cut.continuityFactor
    if let root = storage.root, !fresh.isEmpty {
      try insert(root, previous[...], fresh[...], of: storage, in: window)
    }
    findExcesses()
  }

  private mutating func findExcesses() {
    var finest = entries.map(\.scatter)
    for index in entries.indices.reversed() where entries[index].left >= 0 {
      let entry = entries[index]
      finest[index] = finest[entry.left] + (entry.right < 0 ? 0 : finest[entry.right])
      if entry.isPrevious && entry.scatter > finest[index] {
        entries[index].excess = entry.scatter - finest[index]
      }
    }
  }

  /// A part of the tree that is yet to be looked into.
  private struct Part {
    var node: Node
    var previous: ArraySlice<Node>
    var fresh: ArraySlice<Node>
    /// Whether it lies within a fresh cluster, so that all that is in view must be shown.
    var isWithinFresh: Bool
    var parent: Int

    /// What of it lies within one of its children.
    func within(_ child: Node) -> Part {
      func within(_ nodes: ArraySlice<Node>) -> ArraySlice<Node> {
        let start = nodes.firstIndex { $0.range.lowerBound >= child.range.lowerBound } ?? nodes.endIndex
        let end =
          nodes[start...].firstIndex { $0.range.lowerBound >= child.range.upperBound } ?? nodes.endIndex
        return nodes[start..<end]
      }
      return Part(
        node: child, previous: within(previous), fresh: within(fresh), isWithinFresh: isWithinFresh,
        parent: parent)
    }
  }

  private mutating func insert(
    _ root: Node, _ previous: ArraySlice<Node>, _ fresh: ArraySlice<Node>, of storage: TreeStorage,
    in window: PlaneWindow
  ) throws(IndexError) {
    // The right parts on the way down to the one that is looked at: one a level.
    var waiting = [
      Part(
        node: root, previous: previous, fresh: fresh, isWithinFresh: false,
        parent: -1)
    ]
    while var part = waiting.popLast() {
      if part.fresh.first?.range == part.node.range {
        part.isWithinFresh = true
        part.fresh = []
      }
      let isPrevious = part.previous.first?.range == part.node.range
      if isPrevious { part.previous = [] }
      let isFinest = part.previous.isEmpty && part.fresh.isEmpty
      if isFinest || isPrevious {
        part.parent = try append(part, isPrevious: isPrevious, of: storage)
      }
      if isFinest { continue }
      guard let (left, right) = try storage.children(of: part.node) else { continue }
      var parts: [Part] = []
      for child in [left, right] {
        let part = part.within(child)
        if !part.previous.isEmpty || !part.fresh.isEmpty {
          parts.append(part)
        } else if part.isWithinFresh, try storage.hasVisiblePoint(child, in: window) {
          parts.append(part)
        }
      }
      let hasTwoParts = parts.count == 2 && !isPrevious
      let parent = hasTwoParts ? try append(part, isPrevious: false, of: storage) : part.parent
      for var part in parts.reversed() {
        part.parent = parent
        waiting.append(part)
      }
    }
  }

  private mutating func append(
    _ part: Part, isPrevious: Bool, of storage: TreeStorage
  ) throws(IndexError) -> Int {
    let index = entries.count
    if part.parent >= 0 {
      if entries[part.parent].left < 0 {
        entries[part.parent].left = index
      } else {
        entries[part.parent].right = index
      }
    }
    entries.append(
      Entry(
        node: part.node, scatter: try storage.scatter(of: part.node), isPrevious: isPrevious))
    return index
  }
}

/// The cut through the tree that the article's breadth-first search makes: nodes are expanded level by level, within a
/// level in tree order, as long as the answer stays within the limit.
///
/// A node is replaced by those of its children that have a point in the window. One visible child takes its parent's
/// place and costs nothing; two cost one cluster more. Once the limit is reached, what can still be replaced without
/// cost is. Hence no node of the answer could be expanded within the limit, and, since the order of expansion does not
/// look at the window, a window inside another has an answer that refines the other's.
///
/// The slots hold two lists threaded through them: the answer in tree order and the queue of nodes to look at.
struct BreadthFirstCut {
  private struct Slot {
    var node: Node
    var isWhole: Bool
    var nextInOrder: Int32
    var nextInQueue: Int32
  }

  private static let end: Int32 = -1

  private var slots: ContiguousArray<Slot> = []
  private var queueHead: Int32 = end
  private var queueTail: Int32 = end

  /// Complexity: O(answer + depth) nodes looked at, besides those that straddle the window's edges.
  init(of storage: TreeStorage, in window: PlaneWindow, limit: Int) throws(IndexError) {
    guard let root = storage.root else { return }
    let visibility = try storage.visibility(of: root, in: window)
    if visibility == .none { return }
    slots.reserveCapacity(min(limit, storage.pointCount, 4096))
    slots.append(
      Slot(node: root, isWhole: visibility == .whole, nextInOrder: Self.end, nextInQueue: Self.end))
    enqueue(0)
    while queueHead != Self.end {
      let index = queueHead
      queueHead = slots[Int(index)].nextInQueue
      try expand(index, in: storage, window, limit)
    }
  }

  private mutating func expand(
    _ index: Int32, in storage: TreeStorage, _ window: PlaneWindow, _ limit: Int
  ) throws(IndexError) {
    let slot = slots[Int(index)]
    if slot.isWhole && slots.count == limit { return }
    guard let children = try storage.children(of: slot.node) else { return }
    let visible =
      slot.isWhole ? (left: .whole, right: .whole) : try storage.visibility(ofChildren: children, in: window)
    if visible.right == .none {
      replace(index, with: children.left, visible.left)
    } else if visible.left == .none {
      replace(index, with: children.right, visible.right)
    } else if slots.count < limit {
      replace(index, with: children.left, visible.left)
      insert(children.right, visible.right, after: index)
    }
  }

  private mutating func replace(_ index: Int32, with node: Node, _ visibility: TreeStorage.Visibility) {
    slots[Int(index)].node = node
    slots[Int(index)].isWhole = visibility == .whole
    enqueue(index)
  }

  private mutating func insert(_ node: Node, _ visibility: TreeStorage.Visibility, after index: Int32) {
    let new = Int32(slots.count)
    slots.append(
      Slot(
        node: node, isWhole: visibility == .whole, nextInOrder: slots[Int(index)].nextInOrder,
        nextInQueue: Self.end))
    slots[Int(index)].nextInOrder = new
    enqueue(new)
  }

  private mutating func enqueue(_ index: Int32) {
    slots[Int(index)].nextInQueue = Self.end
    if queueHead == Self.end {
      queueHead = index
    } else {
      slots[Int(queueTail)].nextInQueue = index
    }
    queueTail = index
  }

  /// The nodes of the cut in tree order.
  func forEach(_ body: (Node) throws(IndexError) -> Void) throws(IndexError) {
    var next = slots.isEmpty ? Self.end : 0
    while next != Self.end {
      try body(slots[Int(next)].node)
      next = slots[Int(next)].nextInOrder
    }
  }

  var count: Int { slots.count }
}

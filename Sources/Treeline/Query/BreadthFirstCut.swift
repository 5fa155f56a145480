/// The cut through the tree that the article's breadth-first search makes: nodes are expanded level by level, within a
/// level in tree order, as long as the answer stays within the limit.
///
/// A node is replaced by those of its children that have a point in the window. One visible child takes its parent's
/// place and costs nothing; two cost one cluster more. Once the limit is reached, what can still be replaced without
/// cost is. Hence no node of the answer could be expanded within the limit, and, since the order of expansion does not
/// look at the window, a window inside another has an answer that refines the other's.
///
/// The slots hold two lists threaded through them: the answer in tree order and the queue of nodes to look at. They are
/// the one piece of memory that a query asks for besides its answer.
struct BreadthFirstCut: ~Copyable {
  private struct Slot {
    var node: Node
    var isWhole: Bool
    var nextInOrder: Int32
    var nextInQueue: Int32
  }

  private static let end: Int32 = -1

  private let storage: TreeStorage
  private let window: PlaneWindow
  private let limit: Int
  private let slots: UnsafeMutablePointer<Slot>
  private(set) var count = 0
  private var queueHead: Int32 = end
  private var queueTail: Int32 = end

  /// Complexity: O(answer + depth) nodes looked at, besides those that lie across the window's corners.
  init(of storage: TreeStorage, in window: PlaneWindow, limit: Int) throws(IndexError) {
    self.storage = storage
    self.window = window
    self.limit = min(limit, storage.pointCount)
    slots = .allocate(capacity: self.limit)
    guard let root = storage.root else { return }
    let visibility = try storage.visibility(of: root, in: window)
    if visibility == .none { return }
    append(root, isWhole: visibility == .whole, nextInOrder: Self.end)
    while queueHead != Self.end {
      let index = Int(queueHead)
      queueHead = slots[index].nextInQueue
      if slots[index].isWhole {
        if count < self.limit { try expandWhole(index) }
      } else {
        try expandPartial(index)
      }
    }
  }

  deinit { slots.deallocate() }

  /// Expands a node all of which is in the window.
  @inline(__always)
  private mutating func expandWhole(_ index: Int) throws(IndexError) {
    guard let (left, right) = try storage.children(of: slots[index].node) else { return }
    slots[index].node = left
    enqueue(index)
    append(right, isWhole: true, nextInOrder: slots[index].nextInOrder)
    slots[index].nextInOrder = Int32(truncatingIfNeeded: count - 1)
  }

  private mutating func expandPartial(_ index: Int) throws(IndexError) {
    guard let children = try storage.children(of: slots[index].node) else { return }
    let visible = try storage.visibility(ofChildren: children, in: window)
    if visible.right == .none {
      replace(index, with: children.left, isWhole: visible.left == .whole)
    } else if visible.left == .none {
      replace(index, with: children.right, isWhole: visible.right == .whole)
    } else if count < limit {
      replace(index, with: children.left, isWhole: visible.left == .whole)
      append(children.right, isWhole: visible.right == .whole, nextInOrder: slots[index].nextInOrder)
      slots[index].nextInOrder = Int32(truncatingIfNeeded: count - 1)
    }
  }

  @inline(__always)
  private mutating func replace(_ index: Int, with node: Node, isWhole: Bool) {
    slots[index].node = node
    slots[index].isWhole = isWhole
    enqueue(index)
  }

  @inline(__always)
  private mutating func append(_ node: Node, isWhole: Bool, nextInOrder: Int32) {
    (slots + count).initialize(
      to: Slot(node: node, isWhole: isWhole, nextInOrder: nextInOrder, nextInQueue: Self.end))
    count &+= 1
    enqueue(count &- 1)
  }

  @inline(__always)
  private mutating func enqueue(_ index: Int) {
    let index32 = Int32(truncatingIfNeeded: index)
    slots[index].nextInQueue = Self.end
    if queueHead == Self.end {
      queueHead = index32
    } else {
      slots[Int(queueTail)].nextInQueue = index32
    }
    queueTail = index32
  }

  /// The nodes of the cut in tree order.
  @inline(__always)
  func forEach(_ body: (Node) throws(IndexError) -> Void) throws(IndexError) {
    var next = count == 0 ? Self.end : 0
    while next != Self.end {
      let slot = slots[Int(next)]
      try body(slot.node)
      next = slot.nextInOrder
    }
  }
}

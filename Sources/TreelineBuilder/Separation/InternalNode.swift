import Treeline

/// A node with two children, as it is stored for `SplitSequence`. If a node cannot be split yet because another node
/// is too close, the other node is the *blocker* of the first node. The first node waits until the blocker is split,
/// or until the required distance is small enough. All nodes that wait for a blocker form a linked list, and the
/// blocker is the head of the list.
///
/// A node's number is the tree index of its right child's first point. Numbers are unique, because each node separates
/// a different pair of neighboring points. If neither of two nodes contains the other, the node with the smaller
/// number comes first in the tree.
///
/// A node fills one cache line, so reading a node touches no other cache line.
struct InternalNode {
  /// Positions at which the node's children are shown.
  var left: PlanePoint
  var right: PlanePoint
  /// Numbers of the children; `none` for a child that is a single position.
  var leftNode = InternalNode.none
  var rightNode = InternalNode.none

  /// Position at which the node itself is shown.
  var position: PlanePoint
  /// Square of the node's own distance: the greatest distance at which the node can be split, if no other node blocks
  /// it (see `SplitSequence`).
  var squaredOwnDistance: UInt64 = 0

  /// First node in the list of nodes that wait for this node.
  var firstWaiter = InternalNode.none
  /// Next node in the list of nodes that wait for the same blocker as this node.
  var nextWaiter = InternalNode.none
  /// Previous node in the list of nodes that wait for the same blocker as this node; `none` if this node does not
  /// wait. The first node of a list has no previous node. Instead, the first node stores the number of the blocker,
  /// marked by `blockerMark`.
  var previousWaiter = InternalNode.none

  /// Number of times that this node was queued. Only the last queue entry of a node is valid. Two special values mean
  /// something else: `split` if the children of the node are already shown, and `undecided` if the node is undecided
  /// (see `isUndecided`).
  var stamp: UInt32 = 0

  /// Whether the `SplitSequence` must compute the separation of this node. If `isOwn` is false, the sequence has this
  /// node only because the node may block other nodes.
  var isOwn = true

  /// Number that means no node. A node's number is the index of its right child's first point. This index is never 0,
  /// because the points of the left child come first.
  static let none: UInt32 = 0

  private static let split: UInt32 = .max
  private static let undecided: UInt32 = .max - 1

  var isSplit: Bool { stamp == Self.split }

  mutating func setSplit() { stamp = Self.split }

  /// Whether the distance at which this node is split may depend on nodes that were not given to the `SplitSequence`.
  /// A `SplitSequence` may be given only some of the nodes of a tree.
  var isUndecided: Bool { stamp == Self.undecided }

  mutating func setUndecided() { stamp = Self.undecided }

  /// A bit that marks a node number as the number of a blocker. Numbers of nodes take 31 bits, so the highest bit is
  /// free.
  static let blockerMark: UInt32 = 1 << 31
}

/// All internal nodes of a tree, by number. Indices of points within a stack (several points at one position) are not
/// numbers of nodes. The entries at these indices are never read.
struct InternalNodeTable: @unchecked Sendable {
  let nodes: UnsafeMutablePointer<InternalNode>
  private let capacity: Int
  /// Number of the root, or `none` if all points have one position.
  private(set) var root = InternalNode.none

  /// Collects the internal nodes of a tree that the builder has made.
  ///
  /// - Complexity: O(pointCount) time, divided among the threads.
  init(of storage: TreeStorage, _ projection: Plane.Projection, threads: Int, _ monitor: BuildMonitor) {
    capacity = max(storage.pointCount, 1)
    precondition(MemoryLayout<InternalNode>.stride == 64, "Expected an internal node of 64 bytes, one cache line")
    nodes = UnsafeMutableRawPointer.allocate(byteCount: capacity * MemoryLayout<InternalNode>.stride, alignment: 64)
      .bindMemory(to: InternalNode.self, capacity: capacity)
    MemoryBlock(nodes, count: capacity).adviseLargePages()
    // Number 0 represents all children that are single positions. The record at index 0 is read, but its contents do
    // not matter.
    let nowhere = PlanePoint(x: 0, y: 0)
    nodes.initialize(to: InternalNode(left: nowhere, right: nowhere, position: nowhere))
    guard let node = storage.root, let children = Self.children(of: node, storage) else { return }
    root = children.right.first
    let top = Branch(node: node, children: children, position: storage.meanPosition(of: node))
    let subtreeSize = threads == 1 ? storage.pointCount : storage.pointCount / (16 * threads)
    let table = self
    WorkQueue([top]).run(threads: threads) { branch in
      var branches = [branch]
      if branch.node.count > subtreeSize {
        table.add(branches.removeLast(), to: &branches, storage, projection)
        return branches
      }
      while let branch = branches.popLast() {
        if branch.node.count > Self.pointsBetweenLooks, monitor.isCancelled { return [] }
        table.add(branch, to: &branches, storage, projection)
      }
      return []
    }
  }

  func deallocate() { MemoryBlock(nodes, count: capacity).deallocate() }

  /// A node that must still be collected, and its two children.
  private struct Branch: Sendable {
    var node: Node
    var children: (left: Node, right: Node)
    var position: PlanePoint
  }

  /// The build checks for cancellation before it collects a node with more points than this number. Few nodes have so
  /// many points, and collecting all other nodes takes almost no time.
  private static let pointsBetweenLooks = 1 << 12

  /// Collects one node. Adds each child of the node to `branches` if the child has children itself.
  private func add(
    _ branch: Branch, to branches: inout [Branch], _ storage: TreeStorage, _ projection: Plane.Projection
  ) {
    func add(_ child: Node, at position: PlanePoint) -> UInt32 {
      guard let children = Self.children(of: child, storage) else { return InternalNode.none }
      branches.append(Branch(node: child, children: children, position: position))
      return children.right.first
    }
    var node = InternalNode(branch.node, branch.children, at: branch.position, storage, projection)
    node.leftNode = add(branch.children.left, at: node.left)
    node.rightNode = add(branch.children.right, at: node.right)
    (nodes + Int(branch.children.right.first)).initialize(to: node)
  }

  /// Returns the children of a node; nil if all points of the node have one position.
  static func children(of node: Node, _ storage: TreeStorage) -> (left: Node, right: Node)? {
    // An error is thrown only for a damaged file. The builder has just made this tree, so no error can occur here.
    try! storage.children(of: node)
  }
}

extension InternalNode {
  /// Makes a node of a tree. The caller must then set the numbers of the node's children.
  @inline(__always) init(
    _ node: Node, _ children: (left: Node, right: Node), at position: PlanePoint, _ storage: TreeStorage,
    _ projection: Plane.Projection
  ) {
    let (left, right) = (storage.meanPosition(of: children.left), storage.meanPosition(of: children.right))
    self.init(
      left: left, right: right, position: position,
      squaredOwnDistance: TreeStorage.squaredSplitDistance(
        childrenApart: projection.squaredDistance(left, right), scatter: storage.squaredScatterDistance(of: node)))
  }
}

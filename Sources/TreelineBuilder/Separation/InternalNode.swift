import Treeline

/// A node with two children, and the list of nodes that wait for it while distances fall: see `SplitSequence`.
///
/// A node's number is the tree index of its right child's first point. Each node separates another pair of neighboring
/// points, so numbers are unique. Of two nodes that do not contain each other, the one with the lesser number comes
/// first in the tree.
///
/// A node takes one cache line, and nothing else is ever read of it.
struct InternalNode {
  /// Positions at which the node's children are shown.
  var left: PlanePoint
  var right: PlanePoint
  /// Numbers of the children; `none` for a single position.
  var leftNode = InternalNode.none
  var rightNode = InternalNode.none

  /// Position at which the node itself is shown.
  var position: PlanePoint
  /// Square of the greatest distance at which the node can split, whatever is shown around it.
  var squaredOwnDistance: UInt64 = 0

  /// First of the nodes that wait for this one to be split.
  var firstWaiter = InternalNode.none
  /// Next node in the list of nodes that wait for the same node as this one.
  var nextWaiter = InternalNode.none
  /// Previous node in that list or, with the mark, the node that is waited for; `none` if this node is in no list.
  var previousWaiter = InternalNode.none

  /// Number of times that this node was queued: only the last one is valid. `split` once its children are shown.
  var stamp: UInt32 = 0

  /// Whether a part of a sequence is run for this node. Otherwise the part contains the node only because the node may
  /// be in the way of others.
  var isOwn = true

  /// Number of no node: nothing is separated before the first point.
  static let none: UInt32 = 0

  private static let split: UInt32 = .max
  private static let unsure: UInt32 = .max - 1

  var isSplit: Bool { stamp == Self.split }

  mutating func setSplit() { stamp = Self.split }

  /// Whether the fate of the node depends on unknown nodes.
  var isUnsure: Bool { stamp == Self.unsure }

  mutating func setUnsure() { stamp = Self.unsure }

  /// Bit that marks the number of a blocker. Numbers of nodes take 31 bits.
  static let blockerMark: UInt32 = 1 << 31
}

/// All internal nodes of a tree by their numbers. Entries at other numbers, within stacks, are never read.
struct InternalNodeTable: @unchecked Sendable {
  let nodes: UnsafeMutablePointer<InternalNode>
  private let capacity: Int
  /// Number of the root, or `none` if all points have one position.
  private(set) var root = InternalNode.none

  /// Collects the internal nodes of a tree that the builder has made.
  ///
  /// - Complexity: O(pointCount), shared by the threads.
  init(of storage: TreeStorage, _ projection: Plane.Projection, threads: Int, _ monitor: BuildMonitor) {
    capacity = max(storage.pointCount, 1)
    precondition(MemoryLayout<InternalNode>.stride == 64, "An internal node takes one cache line")
    nodes = UnsafeMutableRawPointer.allocate(byteCount: capacity * MemoryLayout<InternalNode>.stride, alignment: 64)
      .bindMemory(to: InternalNode.self, capacity: capacity)
    MemoryBlock(nodes, count: capacity).adviseLargePages()
    // Number 0 stands for all children that are single positions. Its record is read, but its content does not matter.
    let nowhere = PlanePoint(x: 0, y: 0)
    nodes.initialize(to: InternalNode(left: nowhere, right: nowhere, position: nowhere))
    guard let node = storage.root, let children = Self.children(of: node, storage) else { return }
    root = children.right.first
    let top = Branch(node: node, children: children, position: storage.meanPosition(of: node))
    let pieceSize = threads == 1 ? storage.pointCount : storage.pointCount / (16 * threads)
    let table = self
    WorkQueue([top]).run(threads: threads) { branch in
      var branches = [branch]
      if branch.node.count > pieceSize {
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

  /// A node with two children that must still be collected.
  private struct Branch: Sendable {
    var node: Node
    var children: (left: Node, right: Node)
    var position: PlanePoint
  }

  /// Nodes with more points are few, so the monitor can be checked for each. Smaller ones take no time.
  private static let pointsBetweenLooks = 1 << 12

  /// Collects one node. Adds its children to `branches` if they have children.
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

  /// Returns the children of a node; nil if all its points have one position.
  static func children(of node: Node, _ storage: TreeStorage) -> (left: Node, right: Node)? {
    // Reading children fails only for a damaged file, and this tree was just made in memory.
    try! storage.children(of: node)
  }
}

extension InternalNode {
  /// Makes a node of a tree. The numbers of its children must be set afterwards.
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

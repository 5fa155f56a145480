import Treeline

/// A node with two children, and what waits for it while distances fall: see `SplitSequence`.
///
/// A node's number is the tree index of its right child's first point: each node separates another pair of
/// neighbouring points, and of two nodes neither of which contains the other the one with the lesser number comes
/// first in the tree.
///
/// It takes one cache line, and nothing else is ever read of a node.
struct InternalNode {
  /// Where its children are shown.
  var left: PlanePoint
  var right: PlanePoint
  /// The numbers of the children; `none` for a single position.
  var leftNode = InternalNode.none
  var rightNode = InternalNode.none

  /// Where it is shown itself.
  var position: PlanePoint
  /// The square of the distance at which it can split at the earliest, whatever is shown around it.
  var squaredOwnDistance: UInt64 = 0

  /// The first of the nodes that wait for this one to be split.
  var firstWaiter = InternalNode.none
  /// The next in the list of those that wait for the same node as this.
  var nextWaiter = InternalNode.none
  /// The one before in that list or, with the mark, the node that is waited for; `none` if this node is in no list.
  var previousWaiter = InternalNode.none

  /// Counts how often this node was queued: only the last time is valid. `split` once its children are shown.
  var stamp: UInt32 = 0

  /// Whether it is what a part of a sequence is run for, and not only there because it may be in the way.
  var isOwn = true

  /// No node: nothing is separated before the first point.
  static let none: UInt32 = 0

  private static let split: UInt32 = .max
  private static let unsure: UInt32 = .max - 1

  var isSplit: Bool { stamp == Self.split }

  mutating func setSplit() { stamp = Self.split }

  /// Whether what becomes of it depends on nodes that are not known.
  var isUnsure: Bool { stamp == Self.unsure }

  mutating func setUnsure() { stamp = Self.unsure }

  /// Numbers of nodes take 31 bits.
  static let blockerMark: UInt32 = 1 << 31
}

/// All internal nodes of a tree by their numbers. Entries at other numbers, within stacks, are never read.
struct InternalNodeTable: @unchecked Sendable {
  let nodes: UnsafeMutablePointer<InternalNode>
  private let capacity: Int
  /// The root's number, or `none` if all points are one position.
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
    // Number 0 stands for all children that are single positions, and is read in passing.
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

  /// A node with two children that is yet to be collected.
  private struct Branch: Sendable {
    var node: Node
    var children: (left: Node, right: Node)
    var position: PlanePoint
  }

  /// Larger nodes are so few that the monitor may be looked at for each; smaller ones take no time.
  private static let pointsBetweenLooks = 1 << 12

  /// Collects one node, and remembers those of its children that have children.
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

  /// The children of a node; nil if all its points have one position.
  static func children(of node: Node, _ storage: TreeStorage) -> (left: Node, right: Node)? {
    // Only a file can be damaged, and this tree was just made.
    try! storage.children(of: node)
  }
}

extension InternalNode {
  /// A node of a tree, whose children's numbers are yet to be told.
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

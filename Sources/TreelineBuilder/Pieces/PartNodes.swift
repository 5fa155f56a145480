import Treeline

/// The nodes of one part of a `SplitSequence`, and the results for these nodes. A part computes the splits between two
/// distances: the distance at which the part begins, and a smaller distance at which the part ends. The nodes of the
/// part are the nodes that are shown at its beginning, and all nodes below these nodes. Nodes that cannot be split in
/// the part are left out. The nodes are numbered from 1 in tree order.
///
/// - Complexity: 70 bytes per node.
final class PartNodes {
  let nodes: UnsafeMutablePointer<InternalNode>
  /// Separation code of each node; zero if the node is not split.
  let codes: UnsafeMutablePointer<UInt16>
  /// Number of each node in the whole tree.
  private let numbers: UnsafeMutablePointer<UInt32>
  private let capacity: Int
  private(set) var count = 0
  /// The nodes that are known to be shown when this part of the split sequence begins (see
  /// `ShownNodes.Member.isKnown`). Each node is given by its number among the nodes of the part.
  private(set) var shown: ContiguousArray<SplitSequence.ShownNode> = []
  private let storage: TreeStorage

  /// - Parameters:
  ///   - start: Nodes that are shown when the part of the split sequence begins.
  ///   - floor: Squared distance at which this part of the split sequence ends. Nodes that can be split only at
  ///     smaller distances are left out.
  ///   - capacity: Greatest number of nodes.
  init(below start: ShownNodes, downTo floor: UInt64, capacity: Int, _ tree: inout SeparatedTree) {
    self.capacity = capacity + 1
    storage = tree.storage
    nodes = UnsafeMutableRawPointer.allocate(
      byteCount: self.capacity * MemoryLayout<InternalNode>.stride, alignment: MemoryLayout<InternalNode>.stride
    ).bindMemory(to: InternalNode.self, capacity: self.capacity)
    MemoryBlock(nodes, count: self.capacity).adviseLargePages()
    (numbers, codes) = (.allocate(capacity: self.capacity), .allocateZeros(count: self.capacity))
    // Number 0 represents all nodes that are not split in this part. The record at index 0 is read, but its contents do
    // not matter.
    let nowhere = PlanePoint(x: 0, y: 0)
    nodes.initialize(to: InternalNode(left: nowhere, right: nowhere, position: nowhere))
    shown.reserveCapacity(start.nodes.count)
    for node in start.nodes where node.isKnown {
      shown.append((node.position, collect(below: node, limit: start.squaredDistance, downTo: floor, &tree)))
    }
  }

  deinit {
    MemoryBlock(nodes, count: capacity).deallocate()
    numbers.deallocate()
    codes.freeZeros()
  }

  /// A node that must still be collected.
  private struct Branch {
    let node: Node
    let position: PlanePoint
    /// Upper bound of the squared distance at which the node is split. The distance never rises from split to split,
    /// and a node is split only after all nodes above it. So the smallest bound among the nodes above is also a bound
    /// of this node.
    let limit: UInt64
    let isLeft: Bool
    /// Number of the parent, if the node is a right child; otherwise `InternalNode.none`.
    let parent: UInt32
  }

  /// Collects a node and the nodes below it. The numbers follow tree order: first the left child and the nodes below
  /// it, then the node itself, then the right child and the nodes below it.
  ///
  /// - Returns: the number of the node; `InternalNode.none` if the node cannot be split.
  private func collect(below top: ShownNodes.Member, limit: UInt64, downTo floor: UInt64, _ tree: inout SeparatedTree)
    -> UInt32
  {
    /// A node whose right side must still be collected.
    typealias Frame = (node: InternalNode, right: Node, branch: Branch)
    func frame(_ branch: Branch) -> (Frame, left: Node)? {
      tree.visit(branch.node)
      guard let children = InternalNodeTable.children(of: branch.node, storage) else { return nil }
      var node = InternalNode(branch.node, children, at: branch.position, storage, tree.projection)
      let limit = min(branch.limit, node.squaredOwnDistance)
      if limit < floor { return nil }
      node.isOwn = top.isOwn
      let below = Branch(
        node: branch.node, position: branch.position, limit: limit, isLeft: branch.isLeft, parent: branch.parent)
      return ((node, children.right, below), children.left)
    }
    var (path, root) = ([Frame](), InternalNode.none)
    var next: Branch? = Branch(
      node: top.node, position: top.position, limit: limit, isLeft: false, parent: InternalNode.none)
    while true {
      while let branch = next, let (frame, left) = frame(branch) {
        path.append(frame)
        next = Branch(
          node: left, position: frame.node.left, limit: frame.branch.limit, isLeft: true, parent: InternalNode.none)
      }
      guard let (node, right, branch) = path.popLast() else { return root }
      count += 1
      let number = UInt32(count)
      (nodes + count).initialize(to: node)
      (numbers + count).initialize(to: right.first)
      if branch.isLeft {
        path[path.count - 1].node.leftNode = number
      } else if branch.parent != InternalNode.none {
        nodes[Int(branch.parent)].rightNode = number
      } else {
        root = number
      }
      next = Branch(node: right, position: node.right, limit: branch.limit, isLeft: false, parent: number)
    }
  }

  // MARK: - Results

  /// Returns the nodes that are shown after all splits of this part of the split sequence, at the given squared
  /// distance.
  func shownNodes(after start: ShownNodes, at squaredDistance: UInt64, _ tree: inout SeparatedTree) -> ShownNodes {
    var next = ShownNodes(squaredDistance: squaredDistance)
    var known = shown.makeIterator()
    for member in start.nodes {
      guard member.isKnown, let top = known.next() else {
        next.nodes.append(member)
        continue
      }
      var stack = [(node: member.node, position: top.position, number: top.node)]
      while let (node, position, number) = stack.popLast() {
        tree.visit(node)
        let entry = nodes + Int(number)
        if number != InternalNode.none && entry.pointee.isSplit,
          let children = InternalNodeTable.children(of: node, storage)
        {
          stack.append((children.right, entry.pointee.right, entry.pointee.rightNode))
          stack.append((children.left, entry.pointee.left, entry.pointee.leftNode))
        } else {
          next.nodes.append(
            ShownNodes.Member(
              node: node, position: position, box: storage.box(of: node),
              isKnown: number == InternalNode.none || !entry.pointee.isUndecided, isOwn: member.isOwn))
        }
      }
    }
    return next
  }

  /// Calls `body` for each own node (see `InternalNode.isOwn`) that was split, with the node's number in the whole
  /// tree and the node's separation code. Other nodes were read only because they may block own nodes, and are left
  /// out. The numbers rise from call to call. If all nodes below a node were collected and split, their numbers are
  /// consecutive, except that indices within stacks (several points at one position) are skipped.
  func forEachOwnCode(_ body: (_ number: UInt32, _ code: UInt16) throws(PieceError) -> Void) throws(PieceError) {
    for number in 1..<count + 1 where nodes[number].isOwn && nodes[number].isSplit {
      try body(numbers[number], codes[number])
    }
  }
}

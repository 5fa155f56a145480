import Treeline

/// The nodes of a part of a sequence of splits: those below some that are shown, by numbers of their own, from 1 in
/// tree order, and what comes of them.
///
/// - Complexity: 70 bytes a node.
final class PieceNodes {
  let nodes: UnsafeMutablePointer<InternalNode>
  /// Zero where a node is not split.
  let codes: UnsafeMutablePointer<UInt16>
  /// Of each node the number that it has in the whole tree.
  private let numbers: UnsafeMutablePointer<UInt32>
  private let capacity: Int
  private(set) var count = 0
  /// What is shown at the beginning, by numbers here.
  private(set) var shown: ContiguousArray<SplitSequence.ShownNode> = []
  private let storage: TreeStorage

  /// - Parameters:
  ///   - front: What is shown.
  ///   - floor: The square of the distance at which the part ends: nodes that cannot be split above it are left out.
  ///   - capacity: How many nodes there are at most.
  init(below front: ShownFront, downTo floor: UInt64, capacity: Int, _ tree: inout SeparatedTree) {
    self.capacity = capacity + 1
    storage = tree.storage
    nodes = UnsafeMutableRawPointer.allocate(
      byteCount: self.capacity * MemoryLayout<InternalNode>.stride, alignment: MemoryLayout<InternalNode>.stride
    ).bindMemory(to: InternalNode.self, capacity: self.capacity)
    MemoryBlock(nodes, count: self.capacity).adviseLargePages()
    (numbers, codes) = (.allocate(capacity: self.capacity), .allocateZeros(count: self.capacity))
    // Number 0 stands for all that is not split here, and is read in passing.
    let nowhere = PlanePoint(x: 0, y: 0)
    nodes.initialize(to: InternalNode(left: nowhere, right: nowhere, position: nowhere))
    shown.reserveCapacity(front.nodes.count)
    for node in front.nodes {
      let number = collect(below: node, limit: front.squaredDistance, downTo: floor, &tree)
      shown.append((node.position, node.isSure ? number : number | InternalNode.unsureMark))
    }
  }

  deinit {
    MemoryBlock(nodes, count: capacity).deallocate()
    numbers.deallocate()
    codes.freeZeros()
  }

  /// A node that is yet to be collected.
  private struct Branch {
    let node: Node
    let position: PlanePoint
    /// No greater than its own squared distance, or that of a node above it.
    let limit: UInt64
    let isLeft: Bool
    /// The number of the node whose right child it is.
    let parent: UInt32
  }

  /// Collects a node and those below it, each after those below its left child.
  ///
  /// - Returns: Its number; `InternalNode.none` where it cannot be split.
  private func collect(below top: ShownFront.Member, limit: UInt64, downTo floor: UInt64, _ tree: inout SeparatedTree)
    -> UInt32
  {
    /// A node whose right side is yet to be collected.
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

  // MARK: - What has come of them

  /// What is shown once the part of the sequence is over, at a distance.
  func front(after front: ShownFront, at squaredDistance: UInt64, _ tree: inout SeparatedTree) -> ShownFront {
    var next = ShownFront(squaredDistance: squaredDistance)
    for (member, top) in zip(front.nodes, shown) {
      if !member.isSure {
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
            ShownFront.Member(
              node: node, position: position, box: storage.box(of: node),
              isSure: number == InternalNode.none || !entry.pointee.isUnsure, isOwn: member.isOwn))
        }
      }
    }
    return next
  }

  /// Hands over the codes of the nodes that the part was run for, of those that are split.
  func forEachOwnCode(_ body: (_ number: UInt32, _ code: UInt16) throws(PieceError) -> Void) throws(PieceError) {
    for number in 1..<count + 1 where nodes[number].isOwn && nodes[number].isSplit {
      try body(numbers[number], codes[number])
    }
  }
}

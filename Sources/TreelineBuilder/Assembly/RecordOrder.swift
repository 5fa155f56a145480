import Treeline

/// The order in which the records of a tree are stored, for a tree whose subtrees were built one by one.
///
/// The records of two siblings are adjacent. They are followed by all records below the left sibling, and then by all
/// records below the right sibling. Each call of `popNext` returns a node. Before the next call, place the records
/// below this node.
struct RecordOrder<Node> {
  /// The nodes whose children are not placed yet, each with the index of its own record.
  private var stack: [(node: Node, record: Int)]
  /// Number of records that are placed.
  private(set) var recordCount: Int

  /// - Parameter root: The topmost node; nil if the tree is empty.
  init(_ root: Node?) {
    stack = root.map { [($0, 0)] } ?? []
    recordCount = stack.count
  }

  /// Returns the next node in the order of the records below the nodes, with the index of the node's own record.
  mutating func popNext() -> (node: Node, record: Int)? { stack.popLast() }

  /// Places the records of two siblings, the children of the node that `popNext` has returned.
  ///
  /// - Returns: the index of the left child's record. The right child's record follows this record.
  mutating func placeChildren(_ left: Node, _ right: Node) -> Int {
    let first = recordCount
    recordCount += 2
    stack.append((right, first + 1))
    stack.append((left, first))
    return first
  }

  /// Places all records below the node that `popNext` has returned, the root of a subtree.
  ///
  /// - Parameter subtreeSize: Number of records in the subtree, including its root.
  /// - Returns: the index of the first of the records below the root.
  mutating func placeSubtree(_ subtreeSize: Int) -> Int {
    defer { recordCount += subtreeSize - 1 }
    return recordCount
  }
}

extension NodeRecord {
  /// Returns the record of a subtree's root for another place of the subtree.
  ///
  /// - Parameters:
  ///   - record: Index of the root's own record.
  ///   - next: Index of the first record below the root.
  func moved(to record: Int, childrenAt next: Int) -> NodeRecord {
    NodeRecord(box: box, count: count, childOffset: childOffset == 0 ? 0 : UInt32(next - record))
  }
}

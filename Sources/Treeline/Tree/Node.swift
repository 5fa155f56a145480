/// A node of the tree: its range of points in tree order, and the index of its record.
package struct Node: Hashable, Sendable {
  package var first: UInt32
  package var count: UInt32
  /// The index of the node's record. A node below a bucket has no record of its own, so it has the index of the
  /// bucket's record.
  package var record: UInt32
  /// The node's level and its depth below its bucket, packed into one number; see `Bucket`.
  var levels: UInt32

  package var range: Range<Int> { Int(first)..<Int(first) + Int(count) }
  var id: ClusterID { ClusterID(first: first, level: Int(level)) }
}

/// The two children of a node, without the data that they share with the node itself.
struct ChildPair {
  var leftCount: UInt32
  var leftRecord: UInt32
  /// The distance from the left child's record to the right child's record: 1 if each child has its own record, or 0
  /// if both children belong to a bucket and share its record.
  var recordStep: UInt32
  /// The value of `Node.levels`, which is equal for both children.
  var levels: UInt32

  @inline(__always) func left(of parent: Node) -> Node {
    Node(first: parent.first, count: leftCount, record: leftRecord, levels: levels)
  }

  @inline(__always) func right(of parent: Node) -> Node {
    Node(
      first: parent.first &+ leftCount, count: parent.count &- leftCount, record: leftRecord &+ recordStep,
      levels: levels)
  }
}

extension TreeStorage {
  /// The greatest level of a node. The builder makes no deeper nodes, and readers stop at this level in a damaged tree.
  package static let maximumLevel = 1023

  /// From this level on, nodes with stored children are halved along the longer side of their box. The halving ends
  /// after at most 64 levels, when all points of a node have the same position.
  package static let principalLevels = 512

  package var root: Node? { pointCount == 0 ? nil : Node(first: 0, count: UInt32(pointCount), record: 0, levels: 0) }

  /// Returns whether a node has stored children. A node below a bucket uses the bucket's record, which has no stored
  /// children.
  @inline(__always) package func isStored(_ node: Node) -> Bool { nodes[Int(node.record)].childOffset != 0 }

  /// Returns the children of a node; nil if all its points have the same position. Complexity: O(1)
  @inline(__always) package func children(of node: Node) throws(IndexError) -> (left: Node, right: Node)? {
    guard let pair = try childPair(of: node) else { return nil }
    return (pair.left(of: node), pair.right(of: node))
  }

  /// Returns the children as a pair. The caller makes a node from the left or the right half of the pair.
  @inline(__always) func childPair(of node: Node) throws(IndexError) -> ChildPair? {
    if isStored(node) { return try storedChildPair(of: node) }
    return try bucketChildPair(of: node)
  }

  @inline(__always) func storedChildPair(of node: Node) throws(IndexError) -> ChildPair {
    let left = leftChild(of: node.record)
    guard hasSummary(at: left) else { throw childOutside(node.record) }
    // A node with stored children does not lie below a bucket. So its depth in `levels` is 0, and `levels` is equal to
    // its level.
    guard node.levels < Bucket.maximumLevel else { throw tooDeep(node.record) }
    let (leftCount, rightCount) = (nodes[left].count, nodes[left + 1].count)
    // Checks that both children have points: the left child has 1 ... count - 1 points.
    guard leftCount &- 1 < node.count &- 1, rightCount == node.count &- leftCount else {
      throw countsDisagree(node.record)
    }
    return ChildPair(
      leftCount: leftCount, leftRecord: UInt32(truncatingIfNeeded: left), recordStep: 1, levels: node.levels &+ 1)
  }

  /// Returns the record of the left child of a node with stored children. The caller checks the result with
  /// `hasSummary(at:)`.
  @inline(__always) func leftChild(of record: UInt32) -> Int { Int(record) &+ Int(nodes[Int(record)].childOffset) }

  /// Returns whether two records lie within the node section: the record of a left child, and the next record, which
  /// belongs to the right child. If they do, their parent has sums and a spread. The tree stores one entry of sums and
  /// one spread for every two records after the root's record.
  @inline(__always) func hasSummary(at left: Int) -> Bool {
    // `left` - 1 must be even, and half of it must be less than the number of pairs. One comparison checks both:
    // rotating the bits to the right by one halves an even number, and makes an odd number huge.
    let entry = UInt(bitPattern: left &- 1)
    return entry &>> 1 | entry &<< (UInt(UInt.bitWidth) - 1) < summaryCount
  }
}

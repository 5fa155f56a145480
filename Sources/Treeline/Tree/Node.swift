/// A node of the tree: a range of the points in tree order, and where to find out more about it.
package struct Node: Hashable, Sendable {
  package var first: UInt32
  package var count: UInt32
  /// The node's own record or, for a part of a bucket, the bucket's.
  package var record: UInt32
  /// The level in the lower 10 bits, the depth below its bucket in the 4 above: so both go one down in one addition.
  var levels: UInt32

  init(first: UInt32, count: UInt32, record: UInt32, level: UInt16) {
    self.init(first: first, count: count, record: record, levels: UInt32(level))
  }

  @inline(__always)
  init(first: UInt32, count: UInt32, record: UInt32, levels: UInt32) {
    (self.first, self.count, self.record, self.levels) = (first, count, record, levels)
  }

  /// 0 for the root.
  package var level: UInt16 { UInt16(truncatingIfNeeded: levels & 1023) }

  /// How many levels below its bucket a part of one is; 0 for a node of its own record.
  @inline(__always)
  var depthInBucket: UInt32 { levels >> 10 }

  var range: Range<Int> { Int(first)..<Int(first) + Int(count) }
  var id: ClusterID { ClusterID(first: first, level: Int(level)) }
}

/// What the two parts of a node are, besides what they take from the node.
struct ChildPair {
  /// What is added to the levels of a node where its children are parts of a bucket.
  static let inBucket: UInt32 = 1 << 10 | 1

  var leftCount: UInt32
  var leftRecord: UInt32
  /// From the left child's record to the right child's: 1, or 0 in a bucket.
  var recordStep: UInt32
  /// Of both children.
  var levels: UInt32

  @inline(__always)
  func left(of parent: Node) -> Node {
    Node(first: parent.first, count: leftCount, record: leftRecord, levels: levels)
  }

  @inline(__always)
  func right(of parent: Node) -> Node {
    Node(
      first: parent.first &+ leftCount, count: parent.count &- leftCount, record: leftRecord &+ recordStep,
      levels: levels)
  }
}

extension TreeStorage {
  /// No tree is deeper: the builder sees to it, and a reader of a damaged one stops here.
  package static let maximumLevel = 1023

  /// From this level on, nodes with stored children are halved along the longer side of their box, which ends after 64
  /// levels more whatever the data.
  package static let principalLevels = 512

  /// The parts of a bucket reach this much deeper than its record, and their level must fit an id as well.
  static let maximumStoredLevel = maximumLevel - (NodeRecord.bucketCapacity - 1)

  package var root: Node? {
    pointCount == 0 ? nil : Node(first: 0, count: UInt32(pointCount), record: 0, level: 0)
  }

  /// The two parts of a node, or nil where all its points have one position.
  ///
  /// Complexity: O(1)
  @inline(__always)
  package func children(of node: Node) throws(IndexError) -> (left: Node, right: Node)? {
    guard let pair = try childPair(of: node) else { return nil }
    return (pair.left(of: node), pair.right(of: node))
  }

  /// How a node is split, or nil where all its points have one position.
  ///
  /// Complexity: O(1)
  @inline(__always)
  func childPair(of node: Node) throws(IndexError) -> ChildPair? {
    // A part of a bucket has the bucket's record, which has none below it.
    if nodes[Int(node.record)].childOffset != 0 { return try storedChildPair(of: node) }
    return try bucketChildPair(of: node)
  }

  /// The same for a bucket or a part of one.
  @inline(__always)
  func bucketChildPair(of node: Node) throws(IndexError) -> ChildPair? {
    guard let count = try splitOfBucket(node) else { return nil }
    return ChildPair(
      leftCount: count, leftRecord: node.record, recordStep: 0, levels: node.levels &+ ChildPair.inBucket)
  }

  /// The same for a node with stored children.
  @inline(__always)
  func storedChildPair(of node: Node) throws(IndexError) -> ChildPair {
    let left = leftChild(of: node.record)
    guard hasSummary(at: left) else { throw childOutside(node.record) }
    // Of a stored node the upper bits are 0.
    guard node.levels < Self.maximumStoredLevel else { throw tooDeep(node.record) }
    let (leftCount, rightCount) = (nodes[left].count, nodes[left + 1].count)
    // Both have points: the left one from 1 to one less than both.
    guard leftCount &- 1 < node.count &- 1, rightCount == node.count &- leftCount else {
      throw countsDisagree(node.record)
    }
    return ChildPair(
      leftCount: leftCount, leftRecord: UInt32(truncatingIfNeeded: left), recordStep: 1,
      levels: node.levels &+ 1)
  }

  /// The record of a stored node's left child, which is to be held to `hasSummary(at:)`.
  @inline(__always)
  func leftChild(of record: UInt32) -> Int {
    Int(record) &+ Int(nodes[Int(record)].childOffset)
  }

  /// Whether a node has stored children. A part of a bucket has the bucket's record, which has none.
  @inline(__always)
  package func isStored(_ node: Node) -> Bool { nodes[Int(node.record)].childOffset != 0 }
}

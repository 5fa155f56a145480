/// A node of the tree: a range of the points in tree order, and where to find out more about it.
package struct Node: Hashable, Sendable {
  package var first: UInt32
  package var count: UInt32
  /// The node's own record or, for a part of a bucket, the bucket's.
  package var record: UInt32
  /// 0 for the root.
  var level: UInt16
  /// How many levels below its bucket a part of one is; 0 for a node of its own record.
  var depthInBucket: UInt8 = 0

  var range: Range<Int> { Int(first)..<Int(first) + Int(count) }
  var id: ClusterID { ClusterID(first: first, level: Int(level)) }
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
    var left = Node(
      first: node.first, count: 0, record: node.record, level: node.level &+ 1,
      depthInBucket: node.depthInBucket &+ 1)
    var right = left
    if isStored(node) {
      (left.record, right.record) = try storedChildren(of: node)
      left.count = nodes[Int(left.record)].count
      (left.depthInBucket, right.depthInBucket) = (0, 0)
    } else if let count = try splitOfBucket(node) {
      left.count = count
    } else {
      return nil
    }
    right.first = node.first &+ left.count
    right.count = node.count &- left.count
    return (left, right)
  }

  @inline(__always)
  private func storedChildren(of node: Node) throws(IndexError) -> (UInt32, UInt32) {
    let left = leftChild(of: node.record)
    guard hasSummary(at: left) else { throw childOutside(node.record) }
    guard node.level < Self.maximumStoredLevel else { throw tooDeep(node.record) }
    let counts = (UInt64(nodes[left].count), UInt64(nodes[left + 1].count))
    guard counts.0 > 0, counts.1 > 0, counts.0 &+ counts.1 == node.count else {
      throw countsDisagree(node.record)
    }
    return (UInt32(truncatingIfNeeded: left), UInt32(truncatingIfNeeded: left + 1))
  }

  /// The record of a stored node's left child, which is to be held to `hasSummary(at:)`.
  @inline(__always)
  func leftChild(of record: UInt32) -> Int {
    Int(record) &+ Int(nodes[Int(record)].childOffset)
  }

  @inline(__always)
  package func isStored(_ node: Node) -> Bool {
    let record = nodes + Int(node.record)
    return node.count == record.pointee.count && record.pointee.childOffset != 0
  }
}

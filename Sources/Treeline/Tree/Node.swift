/// A node of the tree: a range of the points in tree order, and where to find out more about it.
package struct Node: Hashable, Sendable {
  package var first: UInt32
  package var count: UInt32
  /// The node's own record or, for a part of a bucket, the bucket's.
  package var record: UInt32
  /// 0 for the root.
  var level: UInt16

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
  /// Complexity: O(1); in a bucket the gaps between its points, 15 at most.
  @inline(__always)
  package func children(of node: Node) throws(IndexError) -> (left: Node, right: Node)? {
    if node.count == 1 { return nil }
    let record = nodes[Int(node.record)]
    let leftCount: UInt32
    var left = node.record
    var right = node.record
    if node.count == record.count, record.childOffset != 0 {
      (left, right) = try storedChildren(of: node, record)
      leftCount = nodes[Int(left)].count
    } else if record.box.isPoint {
      return nil
    } else {
      guard let gap = try splitGap(of: node) else { return nil }
      leftCount = gap + 1 - node.first
    }
    return (
      Node(first: node.first, count: leftCount, record: left, level: node.level + 1),
      Node(first: node.first + leftCount, count: node.count - leftCount, record: right, level: node.level + 1)
    )
  }

  @inline(__always)
  private func storedChildren(of node: Node, _ record: NodeRecord) throws(IndexError) -> (UInt32, UInt32) {
    let left = Int(node.record) + Int(record.childOffset)
    guard hasSummary(at: left) else { throw childOutside(node.record) }
    guard node.level < Self.maximumStoredLevel else { throw tooDeep(node.record) }
    let counts = (UInt64(nodes[left].count), UInt64(nodes[left + 1].count))
    guard counts.0 > 0, counts.1 > 0, counts.0 + counts.1 == node.count else {
      throw countsDisagree(node.record)
    }
    return (UInt32(left), UInt32(left + 1))
  }

  /// The point behind which a part of a bucket is split, or nil where it is one position.
  @inline(__always)
  private func splitGap(of node: Node) throws(IndexError) -> UInt32? {
    guard node.count <= NodeRecord.bucketCapacity else { throw bucketOverfull(node.record) }
    var best = Gap.none
    var split = node.first
    for index in node.first..<node.first + node.count - 1 {
      let level = gap(after: index)
      if level < best {
        best = level
        split = index
      }
    }
    return best == Gap.none ? nil : split
  }

  /// The smallest box around the node's points.
  @inline(__always)
  func box(of node: Node) -> PlaneRect {
    let record = nodes[Int(node.record)]
    if node.count == record.count { return record.box }
    var box = PlaneRect(points[Int(node.first)])
    for index in node.range.dropFirst() { box.formUnion(points[index]) }
    return box
  }

  package func isStored(_ node: Node) -> Bool {
    let record = nodes[Int(node.record)]
    return node.count == record.count && record.childOffset != 0
  }
}

/// The arrays of a tree, wherever they live: memory that the builder filled or a mapped file.
///
/// Immutable once made, so any number of threads may read it. Positions, node records and the rest are read through
/// these pointers alone; an index into them is either proved by the counts on the path from the root or checked. A
/// pointer does not keep the object: whoever reads through one holds on to the storage until the read is done.
package final class TreeStorage: @unchecked Sendable {
  /// Positions in tree order.
  package let points: UnsafePointer<PlanePoint>
  /// Row numbers in tree order.
  package let rows: UnsafePointer<UInt32>
  package let pointCount: Int
  /// Two gaps a byte.
  package let gaps: UnsafePointer<UInt8>
  package let nodes: UnsafePointer<NodeRecord>
  package let nodeCount: Int
  /// What errors call the tree: the path of its file.
  let name: String
  /// Where the node records begin in their file, in bytes; 0 in memory.
  let nodesOffset: UInt64
  /// As many entries each: (nodeCount - 1) / 2.
  let summaryCount: UInt
  package let sums: UnsafePointer<NodeSums>
  package let spreads: UnsafePointer<NodeSpread>

  /// The code of each node's separation, `pointCount` of them, where they were found: see `SeparationCode`. That of a node
  /// with two children is at the place of its right child's first point.
  package let separations: UnsafePointer<UInt16>?

  package let attributes: [AttributeColumn]

  private let release: @Sendable () -> Void

  package init(
    points: UnsafePointer<PlanePoint>, rows: UnsafePointer<UInt32>, pointCount: Int,
    gaps: UnsafePointer<UInt8>,
    nodes: UnsafePointer<NodeRecord>, nodeCount: Int,
    sums: UnsafePointer<NodeSums>, spreads: UnsafePointer<NodeSpread>,
    separations: UnsafePointer<UInt16>? = nil, name: String = "memory", nodesOffset: UInt64 = 0,
    attributes: [AttributeColumn] = [],
    release: @escaping @Sendable () -> Void
  ) {
    self.points = points
    self.rows = rows
    self.pointCount = pointCount
    self.gaps = gaps
    self.nodes = nodes
    self.nodeCount = nodeCount
    summaryCount = UInt(max(nodeCount - 1, 0) / 2)
    self.name = name
    self.nodesOffset = nodesOffset
    self.sums = sums
    self.spreads = spreads
    self.separations = separations
    self.attributes = attributes
    self.release = release
  }

  deinit { release() }

  @inline(__always)
  func gap(after index: UInt32) -> UInt8 {
    gaps[Int(index >> 1)] >> UInt8(truncatingIfNeeded: (index & 1) << 2) & 15
  }
}

/// The arrays of a tree, in memory that the builder filled or in a mapped file.
///
/// The arrays are immutable, so any number of threads may read them. Before an array is read at an index, the index is
/// checked, unless the counts on the path from the root prove that the index is within bounds. A pointer to an array
/// does not keep the storage alive, which is why `ClusterTree.withStorage` exists.
package final class TreeStorage: @unchecked Sendable {
  /// Positions in tree order.
  package let points: UnsafePointer<PlanePoint>
  /// Row numbers in tree order.
  package let rows: StoredRows
  package let pointCount: Int
  /// The codes of the gaps between neighboring points, two codes in a byte (see `Gap`).
  package let gaps: UnsafePointer<UInt8>
  package let nodes: UnsafePointer<NodeRecord>
  package let nodeCount: Int
  /// The name of the tree in error messages, which is the path of its file.
  let name: String
  /// The offset of the node records in the file; 0 in memory.
  let nodesOffset: UInt64
  /// The number of stored pairs of siblings. Each pair has an entry in `sums` and an entry in `spreads`.
  let summaryCount: UInt
  package let sums: UnsafePointer<NodeSums>
  package let spreads: UnsafePointer<NodeSpread>

  /// The `SeparationCode` of each node with children; nil if the codes were not computed. There are `pointCount`
  /// entries. The code of a node is at the tree index of the right child's first point.
  package let separations: UnsafePointer<UInt16>?

  /// The badge curve of a tree that was grown for badges and has separations. The separations of such a tree are
  /// distances, scaled as if all badges had the same size.
  package let badgeCurve: BadgeCurve?

  /// One bit for each node with children, in a tree with `ClusterAnchor.member`. The bit is at the tree index of the
  /// right child's first point. The bit is set if the node has the position of its right child.
  package let anchors: UnsafePointer<UInt8>?

  /// The groups; nil if the tree was built without groups.
  package let groups: TreeGroups?

  package let columns: [Column]
  package let description: IndexDescription

  /// The properties of a tree grown by merging; empty for a tree grown by splitting.
  package let mergeTraits: MergeTraits

  /// Data derived from columns, prepared at its first use.
  let prepared = PreparedColumns()

  private let release: @Sendable () -> Void

  package init(
    points: UnsafePointer<PlanePoint>, rows: StoredRows, pointCount: Int, gaps: UnsafePointer<UInt8>,
    nodes: UnsafePointer<NodeRecord>, nodeCount: Int, sums: UnsafePointer<NodeSums>, spreads: UnsafePointer<NodeSpread>,
    separations: UnsafePointer<UInt16>? = nil, badgeCurve: BadgeCurve? = nil,
    anchors: UnsafePointer<UInt8>? = nil, groups: TreeGroups? = nil, name: String = "memory", nodesOffset: UInt64 = 0,
    columns: [Column] = [], description: IndexDescription = IndexDescription(),
    mergeTraits: MergeTraits = [], release: @escaping @Sendable () -> Void
  ) {
    (self.points, self.rows, self.pointCount) = (points, rows, pointCount)
    (self.gaps, self.nodes, self.nodeCount) = (gaps, nodes, nodeCount)
    (self.sums, self.spreads, self.summaryCount) = (sums, spreads, UInt(NodeSums.count(ofNodes: nodeCount)))
    (self.separations, self.columns, self.description) = (separations, columns, description)
    (self.name, self.nodesOffset, self.release) = (name, nodesOffset, release)
    (self.mergeTraits, self.badgeCurve, self.anchors) = (mergeTraits, badgeCurve, anchors)
    self.groups = groups
  }

  deinit { release() }

  /// Returns the same arrays with other columns.
  ///
  /// - Parameter releaseColumns: Called when the columns are no longer needed. The arrays of this storage are kept
  ///   until then.
  fileprivate func with(columns: [Column], releaseColumns: @escaping @Sendable () -> Void) -> TreeStorage {
    TreeStorage(
      points: points, rows: rows, pointCount: pointCount, gaps: gaps, nodes: nodes, nodeCount: nodeCount, sums: sums,
      spreads: spreads, separations: separations, badgeCurve: badgeCurve, anchors: anchors, groups: groups,
      name: name, nodesOffset: nodesOffset, columns: columns, description: description, mergeTraits: mergeTraits,
      release: {
        releaseColumns()
        withExtendedLifetime(self) {}
      })
  }

  @inline(__always) package func members(of node: Node) -> UnsafeBufferPointer<PlanePoint> {
    UnsafeBufferPointer(start: points + Int(node.first), count: Int(node.count))
  }
}

extension ClusterTree {
  /// Returns the same tree with other columns.
  ///
  /// - Parameter release: Called when the columns are no longer needed.
  package func with(columns: [Column], release: @escaping @Sendable () -> Void) -> ClusterTree {
    let tree = ClusterTree(
      storage: withStorage { $0.with(columns: columns, releaseColumns: release) }, plane: plane,
      clippedPointCount: clippedPointCount, growth: growth)
    return lineage.map { tree.with($0) } ?? tree
  }
}

/// The record of a node. It has the same layout in memory and in a file: 24 bytes, little-endian.
///
/// The children of a node are adjacent, so one offset finds both. After the two children come the nodes below the left
/// child, and then the nodes below the right child. Offsets are relative, so a subtree has the same bytes at any place
/// in the array.
package struct NodeRecord: BitwiseCopyable {
  package var box: PlaneRect
  package var count: UInt32
  /// The distance from the node's record to its left child's record, in records. 0 for a bucket, whose children are not
  /// stored.
  package var childOffset: UInt32

  package init(box: PlaneRect, count: UInt32, childOffset: UInt32) {
    (self.box, self.count, self.childOffset) = (box, count, childOffset)
  }
}

/// The sums of the coordinates of a node's points, measured from the top left corner of the node's box.
///
/// Sums are stored only for nodes with stored children. Entry i is for the node whose children are the records 1 + 2i
/// and 2 + 2i.
package struct NodeSums: BitwiseCopyable {
  package var x: UInt64
  package var y: UInt64

  package init(x: UInt64, y: UInt64) { (self.x, self.y) = (x, y) }

  /// Returns the number of entries in a tree's array of sums.
  @inlinable package static func count(ofNodes nodeCount: Int) -> Int { max(nodeCount - 1, 0) / 2 }

  /// Returns the index of a node's entry in the array of sums and in the array of spreads.
  ///
  /// - Parameter record: The index of the record of the node's left child.
  @inlinable package static func index<Record: FixedWidthInteger>(ofLeftChild record: Record) -> Record {
    (record &- 1) / 2
  }
}

/// The covariance matrix of a node's points in plane units squared. Entries are indexed like `NodeSums`.
package struct NodeSpread: BitwiseCopyable, Hashable, Sendable {
  package var xx: Float
  package var xy: Float
  package var yy: Float

  package init(xx: Float, xy: Float, yy: Float) { (self.xx, self.xy, self.yy) = (xx, xy, yy) }
}

import Treeline

/// The node records of a subtree, in the order in which they are stored. The root's record comes first.
struct NodeArrays: Sendable {
  var records: ContiguousArray<NodeRecord> = []
  var sums: ContiguousArray<NodeSums> = []
  var spreads: ContiguousArray<NodeSpread> = []

  /// - Parameter pointCount: Number of points of the subtree. This number determines how much memory is reserved.
  init(pointCount: Int) {
    // A bucket holds 8 points or more on average, and a tree has about twice as many records as buckets.
    records.reserveCapacity(pointCount / 4 + 1)
    sums.reserveCapacity(pointCount / 8 + 1)
    spreads.reserveCapacity(pointCount / 8 + 1)
    records.append(Self.unwritten)
  }

  private static let unwritten = NodeRecord(
    box: PlaneRect(minX: 0, minY: 0, maxX: 0, maxY: 0), count: 0, childOffset: 0)

  /// Adds records for the children of a node. Writes the node's record, but not its box.
  ///
  /// - Returns: the index of the left child's record. The right child's record comes next.
  @inline(__always) mutating func addChildren<Sum>(of record: Int, _ moments: Moments<Sum>, _ spread: NodeSpread) -> Int
  {
    let left = records.count
    records[record].count = UInt32(moments.count)
    records[record].childOffset = UInt32(left - record)
    records.append(Self.unwritten)
    records.append(Self.unwritten)
    sums.append(NodeSums(x: moments.x, y: moments.y))
    spreads.append(spread)
    return left
  }

  /// Completes the nodes that have children. The box of such a node becomes the union of its children's boxes. The
  /// node's sums, which were measured from `corner`, become sums measured from the corner of the new box.
  ///
  /// - Parameters:
  ///   - root: Index of the record of the topmost node.
  ///   - firstBelow: Index of the first record below the root. All records from this index on are below the root.
  ///   - corner: Corner from which sums have been measured so far.
  mutating func finish(_ root: Int, firstBelow: Int, summedFrom corner: PlanePoint) {
    // Uses pointers, because without pointers the compiled code would not always change array elements in place.
    records.withUnsafeMutableBufferPointer { records in
      sums.withUnsafeMutableBufferPointer { sums in
        func finish(_ record: Int) {
          let node = records[record]
          guard node.childOffset != 0 else { return }
          let left = record + Int(node.childOffset)
          let box = records[left].box.union(records[left + 1].box)
          records[record].box = box
          let pair = NodeSums.index(ofLeftChild: left)
          sums[pair].x &-= UInt64(node.count) &* UInt64(box.minX - corner.x)
          sums[pair].y &-= UInt64(node.count) &* UInt64(box.minY - corner.y)
        }
        for record in (firstBelow..<records.count).reversed() { finish(record) }
        finish(root)
      }
    }
  }
}

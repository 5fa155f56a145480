import Synchronization
import Treeline

/// Writes a tree of merges as a stored tree. A stored tree has the points in tree order and the gaps between them. It
/// also has the node records, in the order of a walk through the tree, and the sums and covariances of each node's
/// points.
///
/// Threads work on subtrees. Each subtree has its own ranges of points and records.
struct MergedLayout {
  let tree: MergeTree
  let root: UInt32
  let arrays: PointArrays
  let pointCount: Int
  private let crossesSeam: Bool
  private let threads: Int
  private let monitor: BuildMonitor

  let separations: UnsafeMutablePointer<UInt16>
  /// For each node with children, whether the node has the position of its right child; otherwise it has the position
  /// of its left child. The index of a node, in this array and in `separations`, is the tree index of the first point
  /// of its right child.
  let anchors: UnsafeMutablePointer<Bool>?
  let nodes: AssembledNodes
  /// Whether the box of any node crosses the seam.
  private(set) var isAcrossSeam = false

  /// For each record, the index of its first point.
  let recordFirsts: UnsafeMutablePointer<UInt32>
  /// For each record, the moments of its points, measured from the corner of its box.
  let moments: UnsafeMutablePointer<Moments<UInt128>>

  /// A node, and where its points and records are stored.
  struct Placed {
    /// Number of the leaf or merge.
    var node: UInt32
    var first: UInt32 = 0
    /// Index of the node's record, or of the record of its bucket.
    var record: UInt32 = 0
    /// Index of the first record below the node, if records of its children are stored.
    var records: UInt32 = 1
    /// Depth of the node below its bucket; 0 for a node with its own record. A bucket is a node that has a record, but
    /// whose children have no records.
    var levelInBucket: UInt32 = 0
  }

  /// - Parameter anchorsAtMembers: Whether each cluster has the position of one of its members, not the mean position.
  init(
    _ tree: MergeTree, root: UInt32, anchorsAtMembers: Bool, _ arrays: PointArrays, pointCount: Int, crossesSeam: Bool,
    threads: Int, _ monitor: BuildMonitor
  ) {
    (self.tree, self.root, self.arrays, self.threads) = (tree, root, arrays, threads)
    (self.pointCount, self.crossesSeam, self.monitor) = (pointCount, crossesSeam, monitor)
    separations = monitor.allocate(count: pointCount)
    anchors = anchorsAtMembers ? monitor.allocate(count: pointCount) : nil
    nodes = AssembledNodes(recordCount: Int(tree.recordCount(below: root)) + 1, monitor)
    recordFirsts = monitor.allocate(count: nodes.recordCount)
    moments = monitor.allocate(count: nodes.recordCount)
  }

  /// Deallocates the memory that is not part of the stored tree.
  func deallocate() {
    MemoryBlock(recordFirsts, count: nodes.recordCount).deallocate()
    MemoryBlock(moments, count: nodes.recordCount).deallocate()
  }

  /// Returns `anchors` packed as bits, and deallocates the unpacked array. Nil if `anchors` is nil.
  func packedAnchors() -> UnsafeMutablePointer<UInt8>? {
    guard let anchors else { return nil }
    anchors[0] = false
    let byteCount = (pointCount + 7) / 8
    nonisolated(unsafe) let (packed, unpacked): (UnsafeMutablePointer<UInt8>, _) = (
      monitor.allocate(count: byteCount), anchors
    )
    let (pointCount, monitor) = (pointCount, monitor)
    _ = inChunks(of: byteCount, threads: threads) { bytes in
      monitor.pass(over: bytes) { block in
        for byte in block {
          packed[byte] = (8 * byte..<min(8 * byte + 8, pointCount)).reduce(0) { bits, index in
            bits | (unpacked[index] ? 1 << UInt8(index % 8) : 0)
          }
        }
      }
    }
    MemoryBlock(anchors, count: pointCount).deallocate()
    return packed
  }

  /// Writes all nodes from the root down, and all boxes from the bottom up. If the build is cancelled, the result is
  /// unusable.
  mutating func run() {
    arrays.gaps[pointCount - 1] = 0
    separations[0] = SeparationCode.zero.rawValue
    let root = Placed(node: root)
    let most = min(max(pointCount / (16 * threads), 1 << 14), 1 << 20)
    var (top, subtrees, stack) = ([Placed](), [Placed](), [root])
    while let placed = stack.popLast() {
      if tree.isLeaf(placed.node) || tree.count(of: placed.node) <= most {
        subtrees.append(placed)
      } else {
        write(placed)
        top.append(placed)
        let (left, right) = placeChildren(of: placed)
        stack += [right, left]
      }
    }
    isAcrossSeam = writeSubtrees(subtrees)
    for placed in top.reversed() where !monitor.isCancelled {
      if describe(Int(placed.record)) { isAcrossSeam = true }
    }
  }

  /// - Returns: whether the box of any node crosses the seam.
  private func writeSubtrees(_ subtrees: [Placed]) -> Bool {
    let isAcross = Atomic<Bool>(false)
    nonisolated(unsafe) let layout = self
    let monitor = monitor
    WorkQueue(Array(subtrees.indices)).run(threads: min(threads, subtrees.count)) { index in
      if layout.writeSubtree(subtrees[index]) { isAcross.store(true, ordering: .relaxed) }
      monitor.noteWork(onPoints: Int(layout.tree.count(of: subtrees[index].node)))
      return []
    }
    return isAcross.load(ordering: .relaxed)
  }

  private func writeSubtree(_ root: Placed) -> Bool {
    var (stack, steps) = ([root], 0)
    while let placed = stack.popLast() {
      steps &+= 1
      if steps & 0x3FFF == 0 && monitor.isCancelled { return false }
      if placed.levelInBucket == 0 { write(placed) }
      if tree.isLeaf(placed.node) {
        writeLeaf(placed)
      } else {
        let (left, right) = placeChildren(of: placed)
        stack.append(right)
        stack.append(left)
      }
    }
    // Visits the records from last to first. Records of children come after their parents' records, and the box of a
    // parent is made from the boxes of its children.
    var isAcross = false
    for record in (Int(root.records)..<Int(root.records + tree.recordCount(below: root.node))).reversed() {
      if record & 0x3FFF == 0 && monitor.isCancelled { return false }
      if describe(record) { isAcross = true }
    }
    return describe(Int(root.record)) || isAcross
  }

  /// Writes the points of a leaf.
  @inline(__always) func writeLeaf(_ placed: Placed) {
    tree.leaves.write(Int(placed.node), to: arrays, separations, at: Int(placed.first))
    anchors?.advanced(by: Int(placed.first) + 1).initialize(
      repeating: false, count: Int(tree.count(of: placed.node)) - 1)
  }

  /// Determines where the children of a node are stored. Writes the gap and the separation between the children. Also
  /// writes which child's position the node takes.
  ///
  /// The root's left child has record 1. After the records of two siblings come the records below the left sibling,
  /// then the records below the right sibling.
  @inline(__always) func placeChildren(of own: Placed) -> (left: Placed, right: Placed) {
    let merge = tree[own.node]
    var left = Placed(node: merge.left, first: own.first, record: own.record)
    var right = Placed(node: merge.right, first: own.first + tree.count(of: merge.left), record: own.record)
    separations[Int(right.first)] = merge.scale.rawValue
    anchors?[Int(right.first)] = merge.anchorsRight
    if merge.count > NodeRecord.bucketCapacity {
      (left.record, right.record) = (own.records, own.records + 1)
      left.records = own.records + 2
      right.records = left.records + tree.recordCount(below: merge.left)
      arrays.gaps[Int(right.first) - 1] = 0
    } else {
      (left.levelInBucket, right.levelInBucket) = (own.levelInBucket + 1, own.levelInBucket + 1)
      arrays.gaps[Int(right.first) - 1] = UInt8(own.levelInBucket)
    }
    return (left, right)
  }

  /// Writes the record of a node, but not its box.
  @inline(__always) func write(_ placed: Placed) {
    let isStored = tree.recordCount(below: placed.node) != 0
    recordFirsts[Int(placed.record)] = placed.first
    (nodes.records + Int(placed.record)).initialize(
      to: NodeRecord(
        box: PlaneRect(minX: 0, minY: 0, maxX: 0, maxY: 0), count: tree.count(of: placed.node),
        childOffset: isStored ? placed.records - placed.record : 0))
  }
}

// MARK: - Boxes and moments

extension MergedLayout {
  /// Writes the box and the moments of a record. The boxes and moments of its children must be written already.
  ///
  /// - Returns: whether the box of the record crosses the seam. If the record belongs to a bucket, the result is also
  ///   true if the box of any node in the bucket crosses the seam.
  @discardableResult func describe(_ record: Int) -> Bool {
    let node = nodes.records + record
    let first = Int(recordFirsts[record])
    let points = UnsafeBufferPointer(start: arrays.points + first, count: Int(node.pointee.count))
    guard node.pointee.childOffset != 0 else {
      // All points of a stack have one position, so the first point is enough.
      let isStack = points.count > NodeRecord.bucketCapacity
      node.pointee.box = isStack ? PlaneRect(points[0]) : box(of: points)
      (moments + record).initialize(
        to: isStack ? Moments(count: UInt64(points.count)) : Moments(points, from: node.pointee.box.corner))
      return node.pointee.box.isAcrossSeam || !isStack && isAnyAcrossSeam(inBucket: points, at: first)
    }
    let left = record + Int(node.pointee.childOffset)
    let (a, b) = (nodes.records[left].box, nodes.records[left + 1].box)
    var sum: Moments<UInt128>
    if let box = united(a, b) {
      node.pointee.box = box
      sum = moments[left].moved(back: a, to: box) + moments[left + 1].moved(back: b, to: box)
    } else {
      node.pointee.box = box(of: points)
      sum = Moments(points, from: node.pointee.box.corner)
    }
    let pair = NodeSums.index(ofLeftChild: left)
    (nodes.sums + pair).initialize(to: NodeSums(x: sum.x, y: sum.y))
    (nodes.spreads + pair).initialize(to: Scatter(sum).spread(count: sum.count))
    (moments + record).initialize(to: sum)
    return node.pointee.box.isAcrossSeam
  }

  /// Whether the box of any node within a bucket crosses the seam, although the box of the bucket itself does not.
  /// This is possible only if the box of the bucket is at least half the world wide. Such a wide box never crosses the
  /// seam.
  private func isAnyAcrossSeam(inBucket points: UnsafeBufferPointer<PlanePoint>, at first: Int) -> Bool {
    guard crossesSeam, box(of: points).width >= Longitudes.halfWorld else { return false }
    return (1..<points.count).contains { split in
      // The gap between two neighboring points is a number: the depth, within the bucket, of the node that is split
      // between the two points. The gaps within this node are not lower than this number. So the node extends from the
      // split to both sides, until a lower gap or an end of the bucket follows.
      let level = arrays.gaps[first + split - 1]
      var (start, end) = (split, split)
      while start > 0 && (start == split || arrays.gaps[first + start - 1] >= level) { start -= 1 }
      while end < points.count && (end == split || arrays.gaps[first + end - 1] >= level) { end += 1 }
      return box(of: UnsafeBufferPointer(rebasing: points[start..<end])).isAcrossSeam
    }
  }

  private func box(of points: UnsafeBufferPointer<PlanePoint>) -> PlaneRect {
    if crossesSeam { return PlaneRect(shorterWayAround: points) }
    return points.dropFirst().reduce(into: PlaneRect(points[0])) { $0.formUnion($1) }
  }

  /// Returns the box around the points of two nodes, given the boxes of the nodes. Nil if the box must be computed
  /// from the points. This is the case if one of the two boxes crosses the seam, but the box around both does not. A
  /// box that is half the world wide or wider never crosses the seam.
  private func united(_ a: PlaneRect, _ b: PlaneRect) -> PlaneRect? {
    var box = a.union(b)
    guard crossesSeam else { return box }
    let longitudes = a.longitudes.joined(with: b.longitudes)
    if !longitudes.isAcrossSeam && (a.isAcrossSeam || b.isAcrossSeam) { return nil }
    (box.minX, box.maxX) = (longitudes.west, longitudes.east)
    return box
  }

}

extension PlaneRect {
  fileprivate var longitudes: Longitudes { Longitudes(west: minX, east: maxX) }
  var corner: PlanePoint { PlanePoint(x: minX, y: minY) }
}

extension Moments<UInt128> {
  /// Given moments that are measured from the corner of `box`, returns the moments of the same points, measured from
  /// the corner of `larger`. The corner of `larger` lies north and west of the corner of `box`, possibly across the
  /// seam.
  fileprivate func moved(back box: PlaneRect, to larger: PlaneRect) -> Moments {
    let (dx, dy) = (UInt128(box.minX &- larger.minX), UInt128(box.minY &- larger.minY))
    let (n, sumX, sumY) = (UInt128(count), UInt128(x), UInt128(y))
    return Moments(
      count: count, x: UInt64(sumX + n * dx), y: UInt64(sumY + n * dy), xx: xx + (2 * sumX + n * dx) * dx,
      xy: xy + sumX * dy + sumY * dx + n * dx * dy, yy: yy + (2 * sumY + n * dy) * dy)
  }
}

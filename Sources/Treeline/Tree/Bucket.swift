/// The bit layout of buckets. Buckets are small nodes whose descendants are not stored, because the descendants can be
/// computed from the gaps between points. Nearly all code that depends on the capacity of a bucket is in this file;
/// the comment above `bucketCapacity` lists the other places. `BucketLayoutTests` checks that the capacity fits the
/// layout.
///
/// Three things are packed:
/// - the gaps after the points of a bucket, 4 bits each, read as one 64-bit word;
/// - the levels of a `Node`: its level in the lowest 10 bits, its depth below its bucket in the 4 bits above;
/// - the visibility of a node, above its levels in the same 32 bits: a bit for each point of a bucket, and 2 more
///   bits.
enum Bucket {
  /// The lowest bit of each gap in a word that holds the gaps of a bucket.
  static let lowBitOfEachGap: UInt64 = 0x1111_1111_1111_1111
  /// The highest bit of each gap in a word that holds the gaps of a bucket.
  static let highBitOfEachGap: UInt64 = 0x8888_8888_8888_8888

  static let bitsOfLevel: UInt32 = 10
  static let bitsOfDepth: UInt32 = 4

  /// The difference in `levels` between a node in a bucket and the node's children: one level, and one step of depth.
  static let oneDown: UInt32 = 1 << bitsOfLevel | 1

  /// The position of the first visibility bit. There is one such bit for each point of a bucket.
  static let shiftOfVisibility: UInt32 = bitsOfLevel + bitsOfDepth

  /// The flag of a node that is partly visible, judged by the node's box. This flag and `whollyVisible` lie above the
  /// visibility bits of the points.
  static let partlyVisible: UInt32 = 1 << 30
  /// The flag of a node that is wholly visible.
  static let whollyVisible: UInt32 = 1 << 31

  /// The greatest level of a bucket. The parts of a bucket may lie up to 15 levels deeper, and their levels must fit
  /// into the id of a cluster.
  static let maximumLevel = TreeStorage.maximumLevel - (NodeRecord.bucketCapacity - 1)
}

// The capacity may be at most 16. To change it, change this file, and also:
// - the major version in `Index/IndexHeader.swift`, because every index changes;
// - the memory that `TreelineBuilder/Assembly/NodeArrays.swift` reserves for nodes;
// - `IndexFormat.md`;
// - the golden trees.
//
// More than 16 points would also need wider words in `Node.swift`, `Cuts/Frontier.swift` and `Cuts/Visibility.swift`.
extension NodeRecord {
  /// The greatest number of points of a bucket. The children of a node with at most this many points are not stored.
  package static let bucketCapacity = 16
}

/// A code for the gap between two neighboring points of a bucket. A code takes half a byte: the low half if the first
/// of the two points has an even index, and the high half if not.
///
/// If the two points have different positions, one node of the bucket is split between them. The code of the gap is
/// the depth of this node in the bucket: 0 ... 14. A node has a gap between any two of its points that are neighbors,
/// and is split at the gap with the least code. The code after a bucket's last point is written as 0 and has no
/// meaning.
package enum Gap {
  /// No split: both points have the same position.
  package static let none: UInt8 = 15

  /// Returns the number of bytes that store the gaps of `pointCount` points.
  package static func byteCount(ofPoints pointCount: Int) -> Int { (pointCount + 1) / 2 }

  /// Returns the byte that holds two gaps: the gap after a point with an even index, and the gap after the next point.
  @inline(__always) package static func byte(even: UInt8, odd: UInt8) -> UInt8 { even | odd << 4 }

  /// Returns the gap after a point, given the byte that holds the gap.
  @inline(__always) static func gap(in byte: UInt8, after treeIndex: UInt32) -> UInt8 {
    byte >> UInt8(truncatingIfNeeded: (treeIndex & 1) << 2) & 15
  }
}

extension Node {
  /// The node's level; 0 for the root.
  package var level: UInt16 { UInt16(truncatingIfNeeded: levels & (1 << Bucket.bitsOfLevel - 1)) }

  /// The number of levels from the node's bucket down to the node; 0 for a node that has its own record.
  @inline(__always) package var depthInBucket: UInt32 { levels >> Bucket.bitsOfLevel }
}

extension TreeStorage {
  /// Returns the children of a bucket or of a part of a bucket; nil if all points of the node have the same position.
  @inline(__always) func bucketChildPair(of node: Node) throws(IndexError) -> ChildPair? {
    guard let count = try splitOfBucket(node) else { return nil }
    return ChildPair(leftCount: count, leftRecord: node.record, recordStep: 0, levels: node.levels &+ Bucket.oneDown)
  }

  /// Returns the number of points of the left child of a bucket, or of a part of a bucket; nil if the node is not
  /// split. A bucket stores a code for each gap between two neighboring points (see `Gap`). Only one gap of a node has
  /// a code that is equal to the node's depth: the gap at which the node is split.
  @inline(__always) private func splitOfBucket(_ node: Node) throws(IndexError) -> UInt32? {
    if node.count <= 1 { return nil }
    guard node.count <= NodeRecord.bucketCapacity else {
      if nodes[Int(node.record)].box.isPoint { return nil }
      throw bucketOverfull(node.record)
    }
    let others = gaps(of: node) ^ (UInt64(node.depthInBucket) &* Bucket.lowBitOfEachGap)
    // Each gap has 4 bits in `others`. These bits are 0 if the code of the gap is the depth of the node, which means
    // that the node is split at this gap. The lowest set bit of `found` marks the first gap whose bits are 0. Higher
    // bits of `found` may be wrong.
    let found = (others &- Bucket.lowBitOfEachGap) & ~others & Bucket.highBitOfEachGap
    // The code of a gap is the depth of the node that is split there. The code 15 means that no node is split there.
    // So a node of depth 15 is never split.
    if found == 0 || node.depthInBucket >= Gap.none { return nil }
    return UInt32(truncatingIfNeeded: found.trailingZeroBitCount >> 2 &+ 1)
  }

  /// Returns the gaps between the points of a node of 2 ... 16 points, with the first gap in the lowest bits.
  /// `Gap.none` fills the bits above the last gap.
  @inline(__always) private func gaps(of node: Node) -> UInt64 {
    let start = Int(node.first >> 1)
    let bytes =
      start &+ 8 <= (pointCount &+ 1) >> 1
      ? UInt64(littleEndian: UnsafeRawPointer(gaps).loadUnaligned(fromByteOffset: start, as: UInt64.self))
      : lastGaps(from: start)
    let own = bytes &>> UInt64((node.first & 1) &<< 2)
    return own | UInt64.max &<< UInt64((node.count &- 1) &<< 2)
  }

  @inline(never) private func lastGaps(from start: Int) -> UInt64 {
    (start..<Gap.byteCount(ofPoints: pointCount)).reversed().reduce(0) { $0 << 8 | UInt64(gaps[$1]) }
  }

  @inline(__always) package func gap(after treeIndex: UInt32) -> UInt8 {
    Gap.gap(in: gaps[Int(treeIndex >> 1)], after: treeIndex)
  }

  /// Returns whether a node in a bucket may lie across the seam, where the plane begins and ends. `box` is the box of
  /// the bucket. Returns true if the box lies across the seam. Also returns true if the box is at least half the world
  /// wide and the tree has nodes across the seam. In this case a part of the bucket may lie across the seam.
  @inline(__always) func mayCrossSeam(within box: PlaneRect) -> Bool {
    box.isAcrossSeam || box.width >= 1 << 31 && mergeTraits.contains(.acrossSeam)
  }

  /// Returns the smallest box around the node's points.
  @inline(__always) package func box(of node: Node) -> PlaneRect {
    let record = nodes + Int(node.record)
    if node.count == record.pointee.count { return record.pointee.box }
    return box(around: members(of: node), inBucket: node)
  }

  /// Returns the smallest box around some points of a bucket.
  @inline(__always) func box(around points: UnsafeBufferPointer<PlanePoint>, inBucket node: Node) -> PlaneRect {
    if mayCrossSeam(within: nodes[Int(node.record)].box) { return PlaneRect(shorterWayAround: points) }
    var box = PlaneRect(points[0])
    for point in points.dropFirst() { box.formUnion(point) }
    return box
  }
}

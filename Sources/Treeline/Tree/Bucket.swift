/// The bit layout of buckets: small nodes whose descendants are not stored but follow from the gaps between points.
/// All that depends on a bucket's capacity is here; `BucketLayoutTests` checks that the numbers agree.
///
/// Three things are packed:
/// - the gaps behind a bucket's points, 4 bits each, read as one word of 64;
/// - the levels of a `Node`: its level in the lowest 10 bits, its depth below its bucket in the 4 above;
/// - how much of a node is visible, above its levels in the same 32 bits: a bit for each point of a bucket, and 2
///   more.
enum Bucket {
  /// The lowest and the highest bit of each gap of a word.
  static let lowBitOfEachGap: UInt64 = 0x1111_1111_1111_1111
  static let highBitOfEachGap: UInt64 = 0x8888_8888_8888_8888

  static let bitsOfLevel: UInt32 = 10
  static let bitsOfDepth: UInt32 = 4

  /// Added to a node's levels for children in its bucket: one to the level, one to the depth.
  static let oneDown: UInt32 = 1 << bitsOfLevel | 1

  /// The first of the bits that tell which points of a bucket are visible.
  static let shiftOfVisibility: UInt32 = bitsOfLevel + bitsOfDepth

  /// Above the bits of points: whether a node is visible as far as its box tells, and whether all of it is.
  static let partlyVisible: UInt32 = 1 << 30
  static let whollyVisible: UInt32 = 1 << 31

  /// Of a bucket: its parts may lie up to 15 levels deeper, and their levels must fit an id.
  static let maximumLevel = TreeStorage.maximumLevel - (NodeRecord.bucketCapacity - 1)
}

// To change the capacity, up to 16, change this file and the numbers that follow from it; the major version in
// `Index/IndexHeader.swift`, since every index changes; the memory that `TreelineBuilder/Assembly/NodeArrays.swift`
// reserves for nodes; `IndexFormat.md`; and the golden trees. More than 16 points also need wider words in
// `Node.swift`, `Cuts/Frontier.swift` and `Cuts/Visibility.swift`.
extension NodeRecord {
  /// The children of nodes with at most this many points are not stored.
  package static let bucketCapacity = 16
}

/// What separates two neighbouring points of a bucket: half a byte, the low half for even points.
///
/// 0 ... 14 is the depth in the bucket of the node that is split there; a node is split at the least of its gaps. The
/// gap behind a bucket's last point is written as 0 and means nothing.
package enum Gap {
  /// No split: both points have one position.
  package static let none: UInt8 = 15

  /// How many bytes the gaps of so many points take.
  package static func byteCount(ofPoints pointCount: Int) -> Int { (pointCount + 1) / 2 }

  /// The byte of the gaps behind two neighbouring points, the first of them even.
  @inline(__always) package static func byte(even: UInt8, odd: UInt8) -> UInt8 { even | odd << 4 }

  /// The gap behind a point, given its byte.
  @inline(__always) static func gap(in byte: UInt8, after treeIndex: UInt32) -> UInt8 {
    byte >> UInt8(truncatingIfNeeded: (treeIndex & 1) << 2) & 15
  }
}

extension Node {
  /// 0 for the root.
  package var level: UInt16 { UInt16(truncatingIfNeeded: levels & (1 << Bucket.bitsOfLevel - 1)) }

  /// How many levels below its bucket a node is; 0 for one with a record of its own.
  @inline(__always) package var depthInBucket: UInt32 { levels >> Bucket.bitsOfLevel }
}

extension TreeStorage {
  /// The children of a bucket or of a part of one; nil if all its points have one position.
  @inline(__always) func bucketChildPair(of node: Node) throws(IndexError) -> ChildPair? {
    guard let count = try splitOfBucket(node) else { return nil }
    return ChildPair(leftCount: count, leftRecord: node.record, recordStep: 0, levels: node.levels &+ Bucket.oneDown)
  }

  /// How many points the left child has. A node is split at the only one of its gaps that equals its depth.
  @inline(__always) private func splitOfBucket(_ node: Node) throws(IndexError) -> UInt32? {
    if node.count <= 1 { return nil }
    guard node.count <= NodeRecord.bucketCapacity else {
      if nodes[Int(node.record)].box.isPoint { return nil }
      throw bucketOverfull(node.record)
    }
    let others = gaps(of: node) ^ (UInt64(node.depthInBucket) &* Bucket.lowBitOfEachGap)
    // The lowest set bit marks the first half byte of 0; those above it may be false.
    let found = (others &- Bucket.lowBitOfEachGap) & ~others & Bucket.highBitOfEachGap
    // No node lies so deep: the value stands for gaps without a split.
    if found == 0 || node.depthInBucket >= Gap.none { return nil }
    return UInt32(truncatingIfNeeded: found.trailingZeroBitCount >> 2 &+ 1)
  }

  /// The gaps behind all points but the last of a node of 2 ... 16 points, the first one lowest; above them
  /// `Gap.none`.
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

  /// Whether a node in a bucket may lie across the seam: the bucket does, or it is so wide that it cannot.
  @inline(__always) func mayCrossSeam(within box: PlaneRect) -> Bool {
    box.isAcrossSeam || box.width >= 1 << 31 && mergeTraits.contains(.acrossSeam)
  }

  /// The smallest box around the node's points.
  @inline(__always) package func box(of node: Node) -> PlaneRect {
    let record = nodes + Int(node.record)
    if node.count == record.pointee.count { return record.pointee.box }
    return box(around: members(of: node), inBucket: node)
  }

  /// The smallest box around some points of a bucket, one at least.
  @inline(__always) func box(around points: UnsafeBufferPointer<PlanePoint>, inBucket node: Node) -> PlaneRect {
    if mayCrossSeam(within: nodes[Int(node.record)].box) { return PlaneRect(shorterWayAround: points) }
    var box = PlaneRect(points[0])
    for point in points.dropFirst() { box.formUnion(point) }
    return box
  }
}

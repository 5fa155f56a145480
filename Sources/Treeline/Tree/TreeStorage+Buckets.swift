/// Inside a bucket no nodes are stored: the gaps between its points tell their shape.
extension TreeStorage {
  /// How many points the left part of a bucket, or of a part of one, has; nil where all its points have one position.
  ///
  /// A part that lies so many levels below its bucket is split at the gap of that level: it has just one.
  @inline(__always)
  func splitOfBucket(_ node: Node) throws(IndexError) -> UInt32? {
    if node.count <= 1 { return nil }
    guard node.count <= NodeRecord.bucketCapacity else {
      if nodes[Int(node.record)].box.isPoint { return nil }
      throw bucketOverfull(node.record)
    }
    let others = gaps(of: node) ^ (UInt64(node.depthInBucket) &* 0x1111_1111_1111_1111)
    // The lowest bit tells where the first half byte of 0 is; those above it may tell of none.
    let found = (others &- 0x1111_1111_1111_1111) & ~others & 0x8888_8888_8888_8888
    // Nothing lies so deep, and the value itself is for gaps that part nothing.
    if found == 0 || node.depthInBucket >= Gap.none { return nil }
    return UInt32(truncatingIfNeeded: found.trailingZeroBitCount >> 2 &+ 1)
  }

  /// The gaps behind a part's points but its last, four bits each and the first of them lowest; above them none. It has 2
  /// points or more and no more than a bucket has room for.
  @inline(__always)
  private func gaps(of node: Node) -> UInt64 {
    let start = Int(node.first >> 1)
    let bytes =
      start &+ 8 <= (pointCount &+ 1) >> 1
      ? UInt64(littleEndian: UnsafeRawPointer(gaps).loadUnaligned(fromByteOffset: start, as: UInt64.self))
      : lastGaps(from: start)
    let own = bytes &>> UInt64((node.first & 1) &<< 2)
    return own | UInt64.max &<< UInt64((node.count &- 1) &<< 2)
  }

  @inline(never)
  private func lastGaps(from start: Int) -> UInt64 {
    (start..<(pointCount + 1) / 2).reversed().reduce(0) { $0 << 8 | UInt64(gaps[$1]) }
  }

  /// The smallest box around the node's points.
  @inline(__always)
  package func box(of node: Node) -> PlaneRect {
    let record = nodes + Int(node.record)
    if node.count == record.pointee.count { return record.pointee.box }
    var box = PlaneRect(points[Int(node.first)])
    for index in 1..<Int(node.count) { box.formUnion(points[Int(node.first) + index]) }
    return box
  }
}

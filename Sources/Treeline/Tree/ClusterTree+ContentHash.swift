extension ClusterTree {
  /// A number that two trees share if and, but for chance, only if they are the same hierarchy over the same positions.
  ///
  /// It covers the positions in tree order, the shape, the exact sums of every node and the plane; split lines are
  /// functions of those. It does not cover row numbers, so shuffling the input leaves it as it is.
  ///
  /// - Complexity: O(pointCount)
  public var contentHash: UInt64 {
    defer { withExtendedLifetime(storage) {} }
    var hasher = XXHash64()
    withUnsafeBytes(of: plane.seam.littleEndian) { hasher.update($0) }
    for edge in [plane.left, plane.top, plane.side] {
      withUnsafeBytes(of: edge.bitPattern.littleEndian) { hasher.update($0) }
    }
    for section in storage.hierarchySections { hasher.update(section) }
    return hasher.finalize()
  }
}

extension TreeStorage {
  /// The bytes of everything but the row numbers.
  package var hierarchySections: [UnsafeRawBufferPointer] {
    let pairs = max(nodeCount - 1, 0) / 2
    return [
      UnsafeRawBufferPointer(UnsafeBufferPointer(start: points, count: pointCount)),
      UnsafeRawBufferPointer(UnsafeBufferPointer(start: gaps, count: (pointCount + 1) / 2)),
      UnsafeRawBufferPointer(UnsafeBufferPointer(start: nodes, count: nodeCount)),
      UnsafeRawBufferPointer(UnsafeBufferPointer(start: sums, count: pairs)),
      UnsafeRawBufferPointer(start: spreads, count: pairs * MemoryLayout<NodeSpread>.stride),
    ]
  }
}

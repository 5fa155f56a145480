import Treeline

/// The memory of a build: some of it becomes the tree's, the rest is let go.
struct BuildMemory {
  let arrays: PointArrays
  let pointCount: Int

  init(pointCount: Int) {
    self.pointCount = pointCount
    arrays = PointArrays(
      points: .allocate(capacity: pointCount), rows: .allocate(capacity: pointCount),
      gaps: .allocate(capacity: pointCount + 1),
      sparePoints: .allocate(capacity: pointCount), spareRows: .allocate(capacity: pointCount))
  }

  /// Gives up a build.
  func free() {
    freeSpare()
    arrays.gaps.deallocate()
    arrays.points.deallocate()
    arrays.rows.deallocate()
  }

  private func freeSpare() {
    arrays.sparePoints.deallocate()
    arrays.spareRows.deallocate()
  }

  /// Hands positions, rows, gaps and nodes to a tree.
  func finish(_ nodes: NodeArrays) -> TreeStorage {
    freeSpare()
    let gaps = packedGaps()
    arrays.gaps.deallocate()
    let records = nodes.records.copied()
    let sums = nodes.sums.copied()
    let spreads = nodes.spreads.copied()
    nonisolated(unsafe) let owned: [UnsafeMutableRawPointer] = [
      .init(arrays.points), .init(arrays.rows), .init(gaps), .init(records), .init(sums), .init(spreads),
    ]
    return TreeStorage(
      points: arrays.points, rows: arrays.rows, pointCount: pointCount, gaps: gaps,
      nodes: records, nodeCount: nodes.records.count, sums: sums, spreads: spreads,
      release: { for memory in owned { memory.deallocate() } })
  }

  /// Two gaps a byte, the even one in the low half.
  private func packedGaps() -> UnsafeMutablePointer<UInt8> {
    arrays.gaps[pointCount] = 0
    let packed = UnsafeMutablePointer<UInt8>.allocate(capacity: (pointCount + 1) / 2)
    for pair in 0..<(pointCount + 1) / 2 {
      packed[pair] = arrays.gaps[2 * pair] | arrays.gaps[2 * pair + 1] << 4
    }
    return packed
  }
}

extension ContiguousArray {
  fileprivate func copied() -> UnsafeMutablePointer<Element> {
    let copy = UnsafeMutablePointer<Element>.allocate(capacity: count)
    withUnsafeBufferPointer {
      if let start = $0.baseAddress { copy.initialize(from: start, count: $0.count) }
    }
    return copy
  }
}

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

  /// Gives every point the number of its row, and brings its memory into being: what is touched later costs the same.
  func numberRows(_ monitor: BuildMonitor) {
    monitor.pass(over: 0..<pointCount) { block in
      for row in block { arrays.rows[row] = UInt32(truncatingIfNeeded: row) }
    }
  }

  /// Hands positions, rows, gaps and nodes to a tree.
  ///
  /// What is not needed any more is let go first: at the end of a build it would be the most. Cancelled, all is let go.
  func finish(_ top: TopNode?, _ monitor: BuildMonitor) throws(BuildFailure) -> TreeStorage {
    freeSpare()
    let gaps = packedGaps(monitor)
    arrays.gaps.deallocate()
    let nodes = AssembledNodes(top, monitor)
    if monitor.isCancelled {
      for memory in [.init(arrays.points), .init(arrays.rows), .init(gaps)] + nodes.memory {
        memory.deallocate()
      }
      throw .cancelled
    }
    nonisolated(unsafe) let owned: [UnsafeMutableRawPointer] =
      [.init(arrays.points), .init(arrays.rows), .init(gaps)] + nodes.memory
    return TreeStorage(
      points: arrays.points, rows: arrays.rows, pointCount: pointCount, gaps: gaps,
      nodes: nodes.records, nodeCount: nodes.recordCount, sums: nodes.sums, spreads: nodes.spreads,
      release: { for memory in owned { memory.deallocate() } })
  }

  /// Two gaps a byte, the even one in the low half.
  private func packedGaps(_ monitor: BuildMonitor) -> UnsafeMutablePointer<UInt8> {
    arrays.gaps[pointCount] = 0
    let packed = UnsafeMutablePointer<UInt8>.allocate(capacity: (pointCount + 1) / 2)
    monitor.pass(over: 0..<(pointCount + 1) / 2) { block in
      for pair in block { packed[pair] = arrays.gaps[2 * pair] | arrays.gaps[2 * pair + 1] << 4 }
    }
    return packed
  }
}

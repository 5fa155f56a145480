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
    for block in [points, rows, gaps] + spare { block.deallocate() }
  }

  private var points: MemoryBlock { MemoryBlock(arrays.points, count: pointCount) }
  private var rows: MemoryBlock { MemoryBlock(arrays.rows, count: pointCount) }
  private var gaps: MemoryBlock { MemoryBlock(arrays.gaps, count: pointCount + 1) }
  private var spare: [MemoryBlock] {
    [MemoryBlock(arrays.sparePoints, count: pointCount), MemoryBlock(arrays.spareRows, count: pointCount)]
  }

  /// Gives every point the number of its row, and brings its memory into being: what is touched later costs the same.
  func numberRows(threads: Int, _ monitor: BuildMonitor) {
    _ = inChunks(of: pointCount, threads: threads) { range in
      monitor.pass(over: range) { block in
        for row in block { arrays.rows[row] = UInt32(truncatingIfNeeded: row) }
      }
    }
  }

  /// Hands positions, rows, gaps and nodes to a tree, and what is found about these.
  ///
  /// What is not needed any more is let go first: at the end of a build it would be the most. Cancelled, all is let go.
  ///
  /// - Parameter separate: finds the codes of the separations of a tree, if they are wanted.
  func finish(
    _ top: TopNode?, threads: Int, _ monitor: BuildMonitor,
    separate: (TreeStorage) throws(BuildFailure) -> UnsafeMutablePointer<UInt16>?
  ) throws(BuildFailure) -> TreeStorage {
    monitor.letGo { for block in spare { block.deallocate() } }
    let packedGaps = packedGaps(threads: threads, monitor)
    monitor.letGo { gaps.deallocate() }
    let nodes = AssembledNodes(top, threads: threads, monitor)
    var blocks = [points, rows, MemoryBlock(packedGaps, count: (pointCount + 1) / 2)] + nodes.blocks
    do throws(BuildFailure) {
      if monitor.isCancelled { throw .cancelled }
      let separations = try separate(storage(nodes, packedGaps, separations: nil) {})
      if let separations { blocks.append(MemoryBlock(separations, count: pointCount)) }
      return storage(nodes, packedGaps, separations: separations) { [blocks] in
        for block in blocks { block.deallocate() }
      }
    } catch {
      inBackground { [blocks] in
        top?.removeAll()
        for block in blocks { block.deallocate() }
      }
      throw error
    }
  }

  private func storage(
    _ nodes: AssembledNodes, _ gaps: UnsafeMutablePointer<UInt8>, separations: UnsafeMutablePointer<UInt16>?,
    release: @escaping @Sendable () -> Void
  ) -> TreeStorage {
    TreeStorage(
      points: arrays.points, rows: arrays.rows, pointCount: pointCount, gaps: gaps,
      nodes: nodes.records, nodeCount: nodes.recordCount, sums: nodes.sums, spreads: nodes.spreads,
      separations: separations.map { UnsafePointer($0) }, release: release)
  }

  /// Two gaps a byte, the even one in the low half.
  private func packedGaps(threads: Int, _ monitor: BuildMonitor) -> UnsafeMutablePointer<UInt8> {
    arrays.gaps[pointCount] = 0
    nonisolated(unsafe) let packed = UnsafeMutablePointer<UInt8>.allocate(capacity: (pointCount + 1) / 2)
    _ = inChunks(of: (pointCount + 1) / 2, threads: threads) { range in
      monitor.pass(over: range) { block in
        for pair in block { packed[pair] = arrays.gaps[2 * pair] | arrays.gaps[2 * pair + 1] << 4 }
      }
    }
    return packed
  }
}

import Treeline

/// The memory of a build. The tree takes over some of this memory, and the rest is deallocated.
struct BuildMemory {
  let arrays: PointArrays
  let pointCount: Int

  init(pointCount: Int, _ monitor: BuildMonitor) {
    self.pointCount = pointCount
    arrays = PointArrays(
      points: monitor.allocate(count: pointCount), rows: monitor.allocate(count: pointCount),
      gaps: monitor.allocate(count: pointCount + 1), sparePoints: monitor.allocate(count: pointCount),
      spareRows: monitor.allocate(count: pointCount))
  }

  /// Deallocates all memory of a build that ends without a tree.
  func deallocate() { for block in [points, rows, gaps] + spare { block.deallocate() } }

  private var points: MemoryBlock { MemoryBlock(arrays.points, count: pointCount) }
  private var rows: MemoryBlock { MemoryBlock(arrays.rows, count: pointCount) }
  private var gaps: MemoryBlock { MemoryBlock(arrays.gaps, count: pointCount + 1) }
  private var spare: [MemoryBlock] {
    [MemoryBlock(arrays.sparePoints, count: pointCount), MemoryBlock(arrays.spareRows, count: pointCount)]
  }

  /// Writes the row number of each point. Before this call, the memory of the row numbers is uninitialized.
  func numberRows(threads: Int, _ monitor: BuildMonitor) {
    _ = inChunks(of: pointCount, threads: threads) { range in
      monitor.pass(over: range) { block in for row in block { arrays.rows[row] = UInt32(truncatingIfNeeded: row) } }
    }
  }

  /// Makes a tree that grew by splitting.
  ///
  /// Memory that is no longer needed is deallocated first, because the end of a build needs the most memory. If the
  /// build is cancelled, all memory is deallocated.
  func finish(_ top: TopNode, threads: Int, _ monitor: BuildMonitor) throws(BuildFailure) -> TreeStorage {
    do throws(BuildFailure) {
      return try finish({ AssembledNodes(top, threads: threads, monitor) }, threads: threads, monitor)
    } catch {
      inBackground { top.removeAll() }
      throw error
    }
  }

  /// Makes a tree that grew by merging. The nodes of the tree are assembled already.
  ///
  /// - Parameters:
  ///   - badgeCurve: Badge curve if the tree grew for badges; nil otherwise.
  ///   - packedGaps: The gaps, if they are packed already.
  func finish(
    _ merged: MergeBuild.Result, _ badgeCurve: BadgeCurve?, threads: Int, _ monitor: BuildMonitor,
    packedGaps: UnsafeMutablePointer<UInt8>? = nil
  ) throws(BuildFailure) -> TreeStorage {
    try finish(
      { merged.nodes }, separations: merged.separations, anchors: merged.anchors, traits: merged.traits, badgeCurve,
      packedGaps: packedGaps, threads: threads, monitor)
  }

  /// Makes a tree without points. If a tree of this growth has merge scales, the tree has an empty array of them.
  ///
  /// - Parameter badgeCurve: Badge curve if the tree grows for badges; nil otherwise.
  func finishEmpty(_ growth: Growth, _ badgeCurve: BadgeCurve?, _ monitor: BuildMonitor) throws(BuildFailure)
    -> TreeStorage
  {
    let keepsApart = growth.mergeMetric?.keepsApart ?? false
    return try finish(
      { AssembledNodes(nil, threads: 1, monitor) }, separations: keepsApart ? .allocate(capacity: 0) : nil, badgeCurve,
      threads: 1, monitor)
  }

  private func finish(
    _ assemble: () -> AssembledNodes, separations: UnsafeMutablePointer<UInt16>? = nil,
    anchors: UnsafeMutablePointer<UInt8>? = nil, traits: MergeTraits = [], _ badgeCurve: BadgeCurve? = nil,
    packedGaps: UnsafeMutablePointer<UInt8>? = nil, threads: Int, _ monitor: BuildMonitor
  ) throws(BuildFailure) -> TreeStorage {
    monitor.deallocate { for block in spare { block.deallocate() } }
    let packedGaps = packedGaps ?? self.packedGaps(threads: threads, monitor)
    monitor.deallocate { gaps.deallocate() }
    let nodes = assemble()
    var blocks = [points, rows, MemoryBlock(packedGaps, count: Gap.byteCount(ofPoints: pointCount))] + nodes.blocks
    if let separations { blocks.append(MemoryBlock(separations, count: pointCount)) }
    if let anchors { blocks.append(MemoryBlock(anchors, count: (pointCount + 7) / 8)) }
    let release: @Sendable () -> Void = { [blocks] in for block in blocks { block.deallocate() } }
    if monitor.isCancelled {
      inBackground { release() }
      throw .cancelled
    }
    return TreeStorage(
      points: arrays.points, rows: StoredRows(UnsafePointer(arrays.rows)), pointCount: pointCount, gaps: packedGaps,
      nodes: nodes.records, nodeCount: nodes.recordCount, sums: nodes.sums, spreads: nodes.spreads,
      separations: separations.map { UnsafePointer($0) }, badgeCurve: badgeCurve,
      anchors: anchors.map { UnsafePointer($0) }, mergeTraits: traits, release: release)
  }

  /// Returns the gaps in the format of a tree, which stores two gaps in a byte.
  private func packedGaps(threads: Int, _ monitor: BuildMonitor) -> UnsafeMutablePointer<UInt8> {
    let byteCount = Gap.byteCount(ofPoints: pointCount)
    arrays.gaps[pointCount] = 0
    nonisolated(unsafe) let packed: UnsafeMutablePointer<UInt8> = monitor.allocate(count: byteCount)
    _ = inChunks(of: byteCount, threads: threads) { range in
      monitor.pass(over: range) { block in
        for pair in block { packed[pair] = Gap.byte(even: arrays.gaps[2 * pair], odd: arrays.gaps[2 * pair + 1]) }
      }
    }
    return packed
  }
}

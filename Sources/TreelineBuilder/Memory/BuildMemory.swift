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

  /// Makes a tree from the positions, rows, gaps, nodes and separations.
  ///
  /// Memory that is no longer needed is deallocated first, because the end of a build needs the most memory. If the
  /// build is cancelled, all memory is deallocated.
  ///
  /// - Parameters:
  ///   - badgeCurve: Badge curve if the tree has no points and the options request growth for badges; nil otherwise.
  ///   - separate: Returns the codes of a tree's separations; nil if separations are not wanted.
  func finish(
    _ top: TopNode?, _ badgeCurve: BadgeCurve?, threads: Int, _ monitor: BuildMonitor,
    separate: (TreeStorage) throws(BuildFailure) -> UnsafeMutablePointer<UInt16>?
  ) throws(BuildFailure) -> TreeStorage {
    do throws(BuildFailure) {
      return try finish(
        { AssembledNodes(top, threads: threads, monitor) }, traits: [], badgeCurve, threads: threads, monitor,
        separate: separate)
    } catch {
      inBackground { top?.removeAll() }
      throw error
    }
  }

  /// Makes a tree that grew by merging. The nodes of the tree are assembled already.
  ///
  /// - Parameters:
  ///   - keepsScales: Whether to store merge scales if they can serve as separations.
  ///   - badgeCurve: Badge curve if the tree grew for badges; nil otherwise.
  ///   - packedGaps: The gaps, if they are packed already.
  func finish(
    _ merged: MergeBuild.Result, keepsScales: Bool, _ badgeCurve: BadgeCurve?, threads: Int, _ monitor: BuildMonitor,
    packedGaps: UnsafeMutablePointer<UInt8>? = nil,
    separate: (TreeStorage) throws(BuildFailure) -> UnsafeMutablePointer<UInt16>?
  ) throws(BuildFailure) -> TreeStorage {
    let separations = merged.separations.map { MemoryBlock($0, count: pointCount) }
    let anchors = merged.anchors.map { MemoryBlock($0, count: (pointCount + 7) / 8) }
    let others = [separations, anchors].compactMap { $0 }
    let keepsScales = keepsScales && !others.isEmpty
    if !keepsScales { for block in others { block.deallocate() } }
    do throws(BuildFailure) {
      return try finish(
        { merged.nodes }, traits: keepsScales ? merged.traits : merged.traits.subtracting(.anchorsAtMembers),
        badgeCurve, anchors: keepsScales ? merged.anchors : nil, packedGaps: packedGaps, threads: threads, monitor
      ) { storage throws(BuildFailure) in
        separations == nil ? try separate(storage) : keepsScales ? merged.separations : nil
      }
    } catch {
      if keepsScales { inBackground { for block in others { block.deallocate() } } }
      throw error
    }
  }

  private func finish(
    _ assemble: () -> AssembledNodes, traits: MergeTraits, _ badgeCurve: BadgeCurve? = nil,
    anchors: UnsafeMutablePointer<UInt8>? = nil, packedGaps: UnsafeMutablePointer<UInt8>? = nil, threads: Int,
    _ monitor: BuildMonitor,
    separate: (TreeStorage) throws(BuildFailure) -> UnsafeMutablePointer<UInt16>?
  ) throws(BuildFailure) -> TreeStorage {
    monitor.deallocate { for block in spare { block.deallocate() } }
    let packedGaps = packedGaps ?? self.packedGaps(threads: threads, monitor)
    monitor.deallocate { gaps.deallocate() }
    let nodes = assemble()
    var blocks = [points, rows, MemoryBlock(packedGaps, count: Gap.byteCount(ofPoints: pointCount))] + nodes.blocks
    do throws(BuildFailure) {
      if monitor.isCancelled { throw .cancelled }
      let separations = try separate(storage(nodes, packedGaps, separations: nil, traits, nil, nil) {})
      if let separations { blocks.append(MemoryBlock(separations, count: pointCount)) }
      if let anchors { blocks.append(MemoryBlock(anchors, count: (pointCount + 7) / 8)) }
      return storage(nodes, packedGaps, separations: separations, traits, badgeCurve, anchors) { [blocks] in
        for block in blocks { block.deallocate() }
      }
    } catch {
      inBackground { [blocks] in
        for block in blocks { block.deallocate() }
      }
      throw error
    }
  }

  private func storage(
    _ nodes: AssembledNodes, _ gaps: UnsafeMutablePointer<UInt8>, separations: UnsafeMutablePointer<UInt16>?,
    _ traits: MergeTraits, _ badgeCurve: BadgeCurve?, _ anchors: UnsafeMutablePointer<UInt8>?,
    release: @escaping @Sendable () -> Void
  ) -> TreeStorage {
    TreeStorage(
      points: arrays.points, rows: StoredRows(UnsafePointer(arrays.rows)), pointCount: pointCount, gaps: gaps,
      nodes: nodes.records,
      nodeCount: nodes.recordCount, sums: nodes.sums, spreads: nodes.spreads,
      separations: separations.map { UnsafePointer($0) }, badgeCurve: separations.flatMap { _ in badgeCurve },
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

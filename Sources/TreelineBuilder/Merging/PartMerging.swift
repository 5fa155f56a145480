import Synchronization
import Treeline

/// Merges clusters as `TouchMerging` does, but part by part: the memory of one part fits the caches of a core, and
/// threads share the parts. Then the borders between parts are mended (`BorderMending`), and the few clusters that are
/// left of each part are merged as a whole.
struct PartMerging: Sendable {
  let plan: MergePlan
  let tree: MergeTree
  let curve: BadgeCurve
  let stand: ClusterStand
  let crossesSeam: Bool
  let threads: Int
  let monitor: BuildMonitor

  /// Merges all.
  ///
  /// - Returns: the root; nil if the build is cancelled.
  func run() -> UInt32? {
    /// Of parts that are done: the greatest diameter in each level.
    let diameters = Mutex<[Int: [UInt16]]>([:])
    plan.forEachPart(threads: threads, monitor) { number, part in
      let own: [UInt16]
      if let border = part.border {
        let (a, b) = diameters.withLock { ($0[part.halves.first]!, $0[part.halves.second]!) }
        own = mend(border, of: part.leaves, zip(a, b).map { max($0, $1) })
      } else {
        own = merge(part)
      }
      diameters.withLock { $0[number] = own }
    }
    if monitor.isCancelled { return nil }
    if crossesSeam { _ = mend(MergeBorder(kind: .seam), of: 0..<tree.leafCount, diameters.withLock { $0[0]! }) }
    return mergeRest()
  }

  /// - Returns: the greatest diameter in each level.
  private func merge(_ part: MergePlan.Part) -> [UInt16] {
    let first = part.leaves.lowerBound
    var merging = TouchMerging(
      part.leaves.count, curve: curve, stand: stand, crossesSeam: false, leafCount: tree.leafCount, monitor
    ) { tree.cluster(UInt32(first + $0)) }
    let diameters = plan.levels.map { level in
      merging.run(level)
      return merging.greatestDiameter
    }
    if !monitor.isCancelled { for merge in merging.merges { tree.add(merge) } }
    return diameters
  }

  private func mend(_ border: MergeBorder, of leaves: Range<Int>, _ diameters: [UInt16]) -> [UInt16] {
    var mending = BorderMending(
      border, of: leaves, plan, tree, curve, stand, crossesSeam: border.kind == .seam, diameters, monitor)
    mending.run()
    return mending.greatestDiameters
  }

  private func mergeRest() -> UInt32? {
    let rest = inChunks(of: tree.leafCount, threads: threads) { chunk in
      tree.roots(chunk).map { crossesSeam ? tree.clusterAroundTheWorld($0) : tree.cluster($0) }
    }.joined().sorted { $0.leastMember < $1.leastMember }
    var merging = TouchMerging(
      rest.count, curve: curve, stand: stand, crossesSeam: crossesSeam, leafCount: tree.leafCount, monitor
    ) { rest[$0] }
    merging.run(plan.levels.last!.upperBound + 1...MergeRounds.last)
    if monitor.isCancelled { return nil }
    for merge in merging.merges { tree.add(merge) }
    return merging.merges.last?.cluster.node ?? rest[0].node
  }
}

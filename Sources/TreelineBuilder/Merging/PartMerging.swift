import Synchronization
import Treeline

#if os(Linux)
  import Dispatch
#endif

/// Merges clusters like `TouchMerging`, but part by part. The memory of one part fits the caches of a core, and
/// several threads work on different parts. Then wrong merges along the borders between parts are corrected
/// (`BorderMending`). At the end, the few remaining clusters of all parts are merged together.
struct PartMerging: Sendable {
  let plan: MergePlan
  let tree: MergeTree
  let curve: BadgeCurve
  let anchor: ClusterAnchor
  let crossesSeam: Bool
  let threads: Int
  let monitor: BuildMonitor

  /// Result of a part.
  private struct Done {
    /// For each level of the plan, an upper bound of badge diameters in the part. A level is a range of merge bands.
    var greatestDiameters: [UInt16]
    /// The leaves of the part.
    var blocks: [LeafBlock]
    /// Time for this part, plus the longest `path` of the parts that this part waited for.
    var path: Duration
  }

  /// Results of the finished parts, by the number of the part. The result with the number -1 belongs to the correction
  /// of merges along the seam, where the world is cut open.
  private final class Results: Sendable {
    let done = Mutex<[Int: Done]>([:])
    let report: Mutex<MergeReport>
    /// Becomes true as soon as merging in parts takes more time than it saves. From then on, no more parts are merged.
    let gaveUp = Atomic<Bool>(false)

    init(_ plan: MergePlan) {
      let expectedAgain = plan.parts.reduce(0) { $0 + $1.expectedAgain }
      report = Mutex(MergeReport(partCount: plan.partCount, expectedAgain: expectedAgain))
    }
  }

  /// Merges all clusters.
  ///
  /// - Returns: nil if the build is cancelled, or if merging in parts would take more time than it saves. This
  ///   happens, for example, if all distances are equal: then a border affects merges everywhere.
  func run() -> (root: UInt32, report: MergeReport)? {
    let results = Results(plan)
    plan.forEachPart(threads: threads, monitor) { number, part in
      let halves = part.border == nil ? [] : [part.halves.first, part.halves.second]
      work(on: part.leaves, across: part.border, after: halves, as: number, results)
      if part.border == nil { monitor.noteWork(onPoints: part.leaves.count) }
    }
    let (seam, all) = (-1, 0)
    if crossesSeam && !monitor.isCancelled {
      work(on: 0..<tree.leafCount, across: MergeBorder(kind: .seam), after: [all], as: seam, results)
    }
    if monitor.isCancelled || results.gaveUp.load(ordering: .relaxed) { return nil }
    let start = MergeReport.now
    guard let root = mergeRest() else { return nil }
    var report = results.report.withLock { $0 }
    let path = results.done.withLock { $0[crossesSeam ? seam : all]!.path }
    report.duration += MergeReport.now - start
    report.longestPath = path + (MergeReport.now - start)
    return (root, report)
  }

  /// Does the work of one part of the plane. A border is the line between the two halves of a part, or the seam of the
  /// whole plane. If the part has a border, the clusters on each side of the border are merged already, and only wrong
  /// merges along the border are corrected. A part without a border is not divided, and all its clusters are merged.
  private func work(
    on leaves: Range<Int>, across border: MergeBorder?, after numbers: [Int], as number: Int, _ results: Results
  ) {
    if results.gaveUp.load(ordering: .relaxed) { return }
    let start = MergeReport.now
    let halves = results.done.withLock { done in numbers.map { done.removeValue(forKey: $0)! } }
    var (own, counts, merges) = (Done(greatestDiameters: [], blocks: [], path: .zero), MergeRevision.Counts(), 0)
    if let border {
      let greatest = plan.levels.indices.map { level in halves.map { $0.greatestDiameters[level] }.max() ?? 0 }
      var mending = BorderMending(
        border, of: halves.flatMap(\.blocks), plan, tree, curve, anchor, crossesSeam: border.kind == .seam, greatest,
        monitor)
      let most = mostClustersAgain(along: number, results)
      counts = mending.run(mostClusters: most)
      if counts.clusters > most { results.gaveUp.store(true, ordering: .relaxed) }
      (own.greatestDiameters, own.blocks) = (mending.greatestDiameters, mending.blocks)
    } else {
      (own.greatestDiameters, own.blocks, merges) = merge(leaves)
    }
    let duration = MergeReport.now - start
    own.path = duration + (halves.map(\.path).max() ?? .zero)
    results.done.withLock { [own] in $0[number] = own }
    results.report.withLock { report in
      report.duration += duration
      report.mending += counts
      report.mergesInParts += merges
      // With ordinary points, up to a ninth of all areas along borders are too small at first. With points that form a
      // lattice, most areas are too small at first.
      let mending = report.mending
      if mending.retries >= 12 && 2 * mending.retries > mending.areas || mending.clusters > mostClustersAgain {
        results.gaveUp.store(true, ordering: .relaxed)
      }
    }
  }

  /// Greatest number of clusters that are merged again along all borders. If there are more, merging in parts takes more
  /// time than it saves.
  private var mostClustersAgain: Int { 2 * tree.leafCount + 100_000 }

  /// Returns the greatest number of clusters that are merged again along one border.
  private func mostClustersAgain(along number: Int, _ results: Results) -> Int {
    // The seam has no estimate. And a build whose arrays are in files may lack the memory to start again without parts,
    // so it gives up only if it must.
    if number < 0 || monitor.mapped != nil { return mostClustersAgain }
    // If the points form a lattice, wrong merges spread far from the border, and in each level nearly all clusters of
    // the part are merged again. With other points, the number for all borders together is at most three times the
    // estimate. But estimates come from a sample, and for single borders some are much too small.
    return results.report.withLock { report in
      report.expectedSoFar += plan.parts[number].expectedAgain
      return max(4 * Int(report.expectedSoFar) + tree.leafCount / 10 + 5_000 - report.mending.clusters, 0)
    }
  }

  /// Merges a part that is not divided.
  private func merge(_ leaves: Range<Int>) -> (greatestDiameters: [UInt16], blocks: [LeafBlock], mergeCount: Int) {
    let first = leaves.lowerBound
    var merging = TouchMerging(
      leaves.count, curve: curve, anchor: anchor, crossesSeam: false, leafCount: tree.leafCount, monitor
    ) { tree.cluster(UInt32(first + $0)) }
    let diameters = plan.levels.map { level in
      merging.run(level)
      return merging.greatestDiameter
    }
    if monitor.isCancelled { return (diameters, [], 0) }
    for merge in merging.merges { tree.add(merge) }
    return (diameters, LeafBlock.blocks(of: leaves, tree), merging.merges.count)
  }

  private func mergeRest() -> UInt32? {
    let rest = inChunks(of: tree.leafCount, threads: threads) { chunk in
      var rest: [MergeCluster] = []
      // All leaves below the roots of a block may be visited, so the blocks are small.
      for block in chunk.blocks(of: 1 << 15) where !monitor.isCancelled {
        rest += tree.roots(block).map { crossesSeam ? tree.clusterAroundTheWorld($0) : tree.cluster($0) }
        monitor.noteWork(onPoints: block.count)
      }
      return rest
    }.joined().sorted { $0.leastMember < $1.leastMember }
    var merging = TouchMerging(
      rest.count, curve: curve, anchor: anchor, crossesSeam: crossesSeam, leafCount: tree.leafCount, monitor
    ) { rest[$0] }
    merging.run(plan.levels.last!.upperBound + 1...DistanceBands.last)
    if monitor.isCancelled { return nil }
    for (number, merge) in merging.merges.enumerated() {
      tree.add(merge)
      // A merge uses three clusters: the new cluster and its parts.
      if number % 32 == 31 { monitor.noteWork(onScattered: 3 * 32) }
    }
    return merging.merges.last?.cluster.node ?? rest[0].node
  }
}

/// A report on merging in parts.
package struct MergeReport: Sendable {
  package var partCount: Int
  package var mergesInParts = 0
  /// Estimated number of clusters that are merged again along borders.
  package var expectedAgain = 0.0
  /// The part of `expectedAgain` that belongs to the borders on which the work has begun.
  var expectedSoFar = 0.0
  /// Amount of work that was done again along borders.
  package var mending = MergeRevision.Counts()
  /// `duration` is the time of all threads together, without waiting. `longestPath` is the time of the longest chain
  /// of parts in which each part waits for the previous part. Both times include merging the remaining clusters of all
  /// parts at the end.
  package var duration = Duration.zero
  package var longestPath = Duration.zero

  /// Time since a fixed moment. Always zero on platforms without benchmarks.
  static var now: Duration {
    #if os(Linux)
      .nanoseconds(Int64(DispatchTime.now().uptimeNanoseconds))
    #else
      .zero
    #endif
  }
}

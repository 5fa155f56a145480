import Treeline

/// Computes the separation of every node of a tree: the distance at which the node is split into its children.
///
/// Let a distance r fall from infinity to 0. At first only the root is shown. When a node is split, its two children
/// are shown in its place. A node is split as soon as two conditions are met. First, the node's children are at least
/// r away from each other and from every other shown node. Second, the node itself may be split at r (see
/// `TreeStorage.squaredSplitDistance`). If several nodes meet both conditions, the first node in tree order is split.
/// Then all nodes are considered again. The separation of a node is the r at which it is split, or 0 if it is never
/// split.
///
/// Distances are measured between mean positions (see `TreeStorage.meanPosition`), rounded to whole units. If x is the
/// circle of longitudes, distances are measured the shorter way around. Squared distances are exact integers, so the
/// result for a tree does not depend on its row numbers or on the number of threads.
///
/// For any distance T, in plane units, consider each node that has a separation below T and whose parent has a
/// separation of T or more. The root has no parent. It is one of these nodes if its own separation is below T.
/// - A child is shown only after its parent was split, and r only falls. So the separation of a child is at most the
///   separation of its parent. Therefore these nodes are exactly the nodes that are shown once all splits at r >= T
///   are done. Every point is in exactly one of these nodes.
/// - Any two of these nodes are at least T apart. A split at r >= T removes one node and adds two nodes. The two new
///   nodes are at least r away from each other and from all other shown nodes.
/// - No further split is possible at T. Suppose that one of these nodes may be split at T, and that all shown nodes
///   would still be at least T apart after this split. Then the rule would have split this node at T or above.
/// - For a smaller T, some of these nodes are split. For a greater T, some of these nodes are merged. Nothing else
///   changes, because the order of splits is the same for all T.
///
/// On a map with a scale of u units per pixel, a spacing of p pixels is T = p u. So one number for each node is enough
/// for every spacing at every zoom. `SeparationCode` explains why rounding down keeps all these properties.
///
/// The work is O(n log n) for n points on all measured data: see `SplitSequence`. The computation takes 64 bytes per
/// point for nodes, and 30 to 70 bytes per point for the grid and the queue. The memory of the tree is not included.
struct SeparationBuild {
  let storage: TreeStorage
  let projection: Plane.Projection
  let threads: Int
  let monitor: BuildMonitor

  /// The separation codes of all nodes with two children. The code of a node is at the tree index of its right child's
  /// first point. All other codes are zero.
  struct Result {
    /// Memory that the caller must deallocate.
    var codes: UnsafeMutableBufferPointer<UInt16>
    var work: SeparationWork
  }

  func run() throws(BuildFailure) -> Result {
    let codes = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: storage.pointCount)
    monitor.pass(over: codes.indices) { codes.extracting($0).initialize(repeating: SeparationCode.zero.rawValue) }
    let work = computeSeparations(codes)
    if monitor.isCancelled {
      let block = codes.baseAddress.map { MemoryBlock($0, count: codes.count) }
      inBackground { block?.deallocate() }
      throw .cancelled
    }
    return Result(codes: codes, work: work)
  }

  private func computeSeparations(_ codes: UnsafeMutableBufferPointer<UInt16>) -> SeparationWork {
    guard let start = codes.baseAddress, !codes.isEmpty else { return SeparationWork() }
    let table = InternalNodeTable(of: storage, projection, threads: threads, monitor)
    if monitor.isCancelled {
      inBackground { table.deallocate() }
      return SeparationWork()
    }
    let run = Unmanaged.passRetained(
      Run(table, SplitSequence(table, pointCount: codes.count, projection, start, monitor)))
    let work = run.takeUnretainedValue().splitAll()
    nonisolated(unsafe) let finished = run
    monitor.deallocate { finished.release() }
    // While nodes are split, one point is reported for each split, in steps of `splitsBetweenReports`. There are fewer
    // splits than points, and far fewer if many points share positions. The remaining points are reported now.
    let reported = work.splits / SplitSequence.splitsBetweenReports * SplitSequence.splitsBetweenReports
    monitor.advance(.separating, by: codes.count - reported)
    return work
  }

  /// Memory of the computation. The last thread that releases this object deallocates the memory.
  private final class Run {
    private let table: InternalNodeTable
    private var sequence: SplitSequence

    init(_ table: InternalNodeTable, _ sequence: consuming SplitSequence) {
      self.table = table
      self.sequence = sequence
    }

    deinit { table.deallocate() }

    func splitAll() -> SeparationWork {
      sequence.run()
      return sequence.work
    }
  }
}

/// Amount of work for computing all separations.
package struct SeparationWork: Hashable, Sendable {
  /// Number of nodes that were split.
  package var splits = 0
  /// Number of searches for the neighbors of a node's children.
  package var looks = 0
  /// Number of grid cells that were searched.
  package var cells = 0
  /// Number of times that the grid was rebuilt.
  package var grids = 0
  /// Total number of nodes in all grids. The nodes of each grid are counted when the grid is built.
  package var nodesOnGrids = 0
}

extension ClusterTree {
  /// Returns the separation of every node with two children, as a code: see `SeparationBuild`.
  ///
  /// - Parameter progress: Called with the progress of the computation, as in a build.
  /// - Complexity: O(n log n) steps on all measured data. Takes about 100 bytes of memory per point, which are
  ///   deallocated at the end.
  package func separations(threads: Int, progress: (@Sendable (BuildProgress) -> Void)? = nil) -> (
    codes: ContiguousArray<UInt16>, work: SeparationWork
  ) {
    do throws(BuildFailure) {
      return try separations(threads: threads, BuildMonitor(pointCount: pointCount, report: progress))
    } catch { preconditionFailure("Expected a finished build, found a cancelled build") }
  }

  func separations(threads: Int, _ monitor: BuildMonitor) throws(BuildFailure) -> (
    codes: ContiguousArray<UInt16>, work: SeparationWork
  ) {
    try withStorage { storage throws(BuildFailure) in
      let result = try SeparationBuild(
        storage: storage, projection: plane.projection, threads: threads, monitor: monitor
      ).run()
      defer { result.codes.deallocate() }
      return (ContiguousArray(result.codes), result.work)
    }
  }
}

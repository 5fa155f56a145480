import Treeline

/// Computes the separation of every node of a tree: the distance at which it is split into its children.
///
/// Let a distance r fall from infinity to 0. At first only the root is shown. A node is split, so that its two children
/// are shown instead, as soon as the children are at least r from each other and from every other shown node, and the
/// node itself may be split at r (see `TreeStorage.squaredSplitDistance`). Of several such nodes, the first in tree
/// order is split; then all nodes are considered again. The r at which a node is split is its separation, 0 if it never
/// is.
///
/// Distances are measured between mean positions (see `TreeStorage.meanPosition`), rounded to whole units, the shorter
/// way where x is the circle of longitudes. Their squares are exact integers, so a tree has one answer, whatever its
/// rows and the number of threads.
///
/// For any distance T, in plane units, consider the nodes whose own separation is below T and whose parent, if there is
/// one, has a separation of T or more.
/// - They are the nodes that are shown once all splits at r >= T are done, so every point is in exactly one. A child is
///   shown after its parent was split, and r only falls: separations never grow from parent to child.
/// - Any two of them are at least T apart: a split at r >= T removes one node and adds two that are at least r from
///   each other and from all others.
/// - No further split fits: if a node that may be split at T had children that leave all nodes at least T apart, it
///   would have been split at T.
/// - A lesser T only splits nodes, and a greater T only merges them, since there is one order of splits.
///
/// A spacing of p pixels at a scale of u units a pixel is T = p u. So one number for each node serves every spacing at
/// every zoom. `SeparationCode` explains why rounding down keeps all these properties.
///
/// The work is O(n log n) for n points on all measured data: see `SplitSequence`. In addition to the tree, it takes 64
/// bytes a point for nodes, and 30 to 70 for the grid and the queue.
struct SeparationBuild {
  let storage: TreeStorage
  let projection: Plane.Projection
  let threads: Int
  let monitor: BuildMonitor

  /// The code of every node with two children, at the tree index of its right child's first point; zero elsewhere.
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
    // In trees with stacks, fewer nodes are split than there are points.
    let reported = work.splits / SplitSequence.splitsBetweenReports * SplitSequence.splitsBetweenReports
    monitor.advance(.separating, by: codes.count - reported)
    return work
  }

  /// Memory of the computation, deallocated by whichever thread releases it last.
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

/// Work that it took to compute all separations.
package struct SeparationWork: Hashable, Sendable {
  /// Number of nodes that were split.
  package var splits = 0
  /// Number of times that the neighbors of a node's children were looked at.
  package var looks = 0
  /// Number of grid cells that were looked up.
  package var cells = 0
  /// Number of times that the grid was made again, and number of nodes on all these grids together.
  package var grids = 0
  package var nodesOnGrids = 0
}

extension ClusterTree {
  /// Returns the separation of every node with two children, as a code: see `SeparationBuild`.
  ///
  /// - Parameter progress: Called as in a build.
  /// - Complexity: O(n log n) steps on all measured data, and about 100 bytes of memory a point meanwhile.
  package func separations(threads: Int, progress: (@Sendable (BuildProgress) -> Void)? = nil) -> (
    codes: ContiguousArray<UInt16>, work: SeparationWork
  ) {
    do throws(BuildFailure) {
      return try separations(threads: threads, BuildMonitor(pointCount: pointCount, report: progress))
    } catch { preconditionFailure("A build that cannot be cancelled was cancelled") }
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

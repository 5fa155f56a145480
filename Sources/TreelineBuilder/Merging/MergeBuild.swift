import Treeline

/// Grows a tree by merging: positions become leaves, leaves are merged until one cluster is left (`PartMerging`,
/// `ScatterMerging`), and the tree of merges becomes points in tree order, gaps, nodes and merge scales, which are kept
/// like the separations of a tree that was split.
struct MergeBuild {
  let arrays: PointArrays
  let pointCount: Int
  let projection: Plane.Projection
  let metric: MergeMetric
  let stand: ClusterStand
  /// Of a tree that grows for badges.
  let badgeCurve: BadgeCurve
  let threads: Int
  let maximumDepth: Int
  /// Clusters of more leaves are merged in parts.
  let leavesInPart: Int
  let monitor: BuildMonitor

  struct Result {
    var nodes: AssembledNodes
    /// The code of every node with two children, at the tree index of its right child's first point; zero elsewhere.
    /// Nil where merge scales are no distances.
    var separations: UnsafeMutablePointer<UInt16>?
    /// See `TreeStorage.stands`.
    var stands: UnsafeMutablePointer<UInt8>?
    var traits: MergeTraits
  }

  /// Sorts the points into tree order. Of no use once the build is cancelled.
  ///
  /// - Precondition: There are points, and rows are numbered.
  func run() -> Result? {
    let leaves = Leaves(arrays, pointCount: pointCount, threads: threads, monitor)
    if monitor.isCancelled { return nil }
    let box = arrays.box(0..<pointCount, threads: threads, monitor)
    // What is merged across the seam is less than half a world wide, and the gap behind the seam is the widest.
    let crossesSeam = metric.keepsApart && projection.isCyclic && box.width >= Longitudes.halfWorld
    var tree = MergeTree(leaves, threads: threads, monitor)
    defer { monitor.deallocate { [tree] in tree.deallocate() } }
    let merged = metric == .scatter ? mergeByScatter(tree) : mergeByDistance(tree, crossesSeam: crossesSeam)
    monitor.deallocate { [tree] in tree.deallocateContents() }
    guard var root = merged else { return nil }
    var traits: MergeTraits = []
    if tree.height(root) > maximumDepth {
      let coarse = tree.withCoarseScales(of: root, monitor)
      coarse.tree.deallocateContents()
      monitor.deallocate { [tree] in tree.deallocate() }
      (tree, root) = coarse
      traits.insert(.coarseScales)
    }
    if monitor.isCancelled { return nil }
    var layout = MergedLayout(
      tree, root: root, standsAtMembers: standsAtMembers, arrays, pointCount: pointCount, crossesSeam: crossesSeam,
      threads: threads, monitor)
    layout.run()
    layout.deallocate()
    if layout.isAcrossSeam { traits.insert(.acrossSeam) }
    monitor.advance(.merging, by: pointCount)
    if metric.keepsApart {
      if standsAtMembers { traits.insert(.standsAtMembers) }
      return Result(
        nodes: layout.nodes, separations: layout.separations, stands: layout.packedStands(), traits: traits)
    }
    MemoryBlock(layout.separations, count: pointCount).deallocate()
    return Result(nodes: layout.nodes, traits: traits)
  }

  private var standsAtMembers: Bool { metric.keepsApart && stand == .member }

  /// - Returns: the root; nil if the build is cancelled.
  private func mergeByDistance(_ tree: MergeTree, crossesSeam: Bool) -> UInt32? {
    let curve = metric == .badges ? badgeCurve : .distances
    if tree.leafCount > leavesInPart {
      let plan = MergePlan(tree.leaves, leavesInPart: leavesInPart, curve, threads: threads, monitor)
      return PartMerging(
        plan: plan, tree: tree, curve: curve, stand: stand, crossesSeam: crossesSeam, threads: threads,
        monitor: monitor
      ).run()
    }
    var merging = TouchMerging(
      tree.leafCount, curve: curve, stand: stand, crossesSeam: crossesSeam, leafCount: tree.leafCount, monitor
    ) { tree.cluster(UInt32($0)) }
    merging.run()
    if monitor.isCancelled { return nil }
    for merge in merging.merges { tree.add(merge) }
    return merging.merges.last?.cluster.node ?? 0
  }

  /// - Returns: the root; nil if the build is cancelled.
  private func mergeByScatter(_ tree: MergeTree) -> UInt32? {
    ScatterMerging(tree: tree, threads: threads, leavesInPart: leavesInPart, monitor: monitor).run()
  }
}

extension BadgeCurve {
  /// Badges of one size, which touch at the distance that is their scaled distance.
  fileprivate static let distances = BadgeCurve(steps: [Step(pointCount: 1, diameter: 512)])
}

/// The distinct positions of some points in Z-order, and the points at each in the order of their rows.
///
/// They lie in the spare arrays of points.
struct Leaves: @unchecked Sendable {
  private let positions: UnsafeMutablePointer<PlanePoint>
  private let rows: UnsafeMutablePointer<UInt32>
  /// Where each leaf begins among the points, and where the last ends.
  private let starts: ContiguousArray<UInt32>

  var leafCount: Int { starts.count - 1 }

  init(_ arrays: PointArrays, pointCount: Int, threads: Int, _ monitor: BuildMonitor) {
    let (positions, rows) = (arrays.sparePoints, arrays.spareRows)
    nonisolated(unsafe) let placed = UnsafeMutableBufferPointer<CodedNumber>.allocate(capacity: pointCount)
    defer { monitor.deallocate { MemoryBlock(placed.baseAddress!, count: pointCount).deallocate() } }
    _ = inChunks(of: pointCount, threads: threads) { chunk in
      for row in chunk {
        placed.initializeElement(
          at: row, to: CodedNumber(code: ZOrder.code(of: arrays.points[row]), number: UInt32(row)))
      }
    }
    placed.sortByCode(monitor)
    var starts: ContiguousArray<UInt32> = []
    starts.reserveCapacity(pointCount + 1)
    monitor.pass(over: 0..<pointCount) { block in
      for index in block {
        rows[index] = placed[index].number
        if index > 0 && placed[index].code == placed[index - 1].code { continue }
        positions[starts.count] = ZOrder.point(of: placed[index].code)
        starts.append(UInt32(index))
      }
    }
    starts.append(UInt32(pointCount))
    (self.positions, self.rows, self.starts) = (positions, rows, starts)
  }

  @inline(__always) func count(of leaf: Int) -> UInt32 { starts[leaf + 1] - starts[leaf] }

  @inline(__always) func position(of leaf: Int) -> PlanePoint { positions[leaf] }

  /// Writes a leaf's points in tree order, and the gaps and separations between them.
  @inline(__always) func write(
    _ leaf: Int, to arrays: PointArrays, _ separations: UnsafeMutablePointer<UInt16>, at first: Int
  ) {
    let (start, count) = (Int(starts[leaf]), Int(count(of: leaf)))
    (arrays.points + first).update(repeating: positions[leaf], count: count)
    (arrays.rows + first).update(from: rows + start, count: count)
    (arrays.gaps + first).initialize(repeating: Gap.none, count: count - 1)
    (separations + first + 1).initialize(repeating: SeparationCode.zero.rawValue, count: count - 1)
  }
}

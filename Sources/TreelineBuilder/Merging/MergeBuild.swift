import Treeline

/// Grows a tree by merging. Positions become leaves, and leaves are merged until one cluster is left (`PartMerging`,
/// `ScatterMerging`). Then the tree of merges is converted to the form of a stored tree: points in tree order, the
/// gaps between the points, nodes, and merge scales. `TreeStorage.separations` holds the merge scales.
struct MergeBuild {
  let arrays: PointArrays
  let pointCount: Int
  let projection: Plane.Projection
  let metric: MergeMetric
  let anchor: ClusterAnchor
  /// Badge curve of a tree that grows for badges.
  let badgeCurve: BadgeCurve
  let threads: Int
  let maximumDepth: Int
  /// The plane is divided into parts until no part contains more leaves than this number. Nil if `MergePlan` chooses
  /// the number.
  let leavesInPart: Int?
  let monitor: BuildMonitor

  struct Result {
    var nodes: AssembledNodes
    /// For every node with two children, the code of its merge scale. The code is stored at the tree index of the
    /// right child's first point. Other entries are zero. Nil if merge scales are not distances.
    var separations: UnsafeMutablePointer<UInt16>?
    /// See `TreeStorage.anchors`.
    var anchors: UnsafeMutablePointer<UInt8>?
    var traits: MergeTraits
    /// A report on the merging; nil for a tree that was merged by scatter.
    var report: MergeReport?

    func deallocate(pointCount: Int) {
      nodes.deallocate()
      if let separations { MemoryBlock(separations, count: pointCount).deallocate() }
      if let anchors { MemoryBlock(anchors, count: (pointCount + 7) / 8).deallocate() }
    }
  }

  /// Grows the tree and sorts the points into tree order. Returns nil if the build is cancelled. The order of the
  /// points is then arbitrary.
  ///
  /// - Precondition: There are points, and rows are numbered.
  func run() -> Result? {
    let leaves = Leaves(arrays, pointCount: pointCount, threads: threads, monitor)
    defer { MemoryBlock(leaves.starts, count: pointCount + 1).deallocate() }
    if monitor.isCancelled { return nil }
    let box = arrays.box(0..<pointCount, threads: threads, monitor)
    // The seam is the meridian at which the plane begins and ends. It lies in the widest gap between the longitudes of
    // points. If all points are less than half a world apart on the plane, this gap is wider than half a world. A
    // cluster across the seam would contain this gap, but a cluster across the seam is always less than half a world
    // wide. So there is no such cluster.
    let crossesSeam = metric.keepsApart && projection.isCyclic && box.width >= Longitudes.halfWorld
    let tree = MergeTree(leaves, threads: threads, monitor)
    defer { monitor.deallocate { tree.deallocate() } }
    let merged = metric == .scatter ? mergeByScatter(tree) : mergeByDistance(tree, crossesSeam: crossesSeam)
    monitor.deallocate { tree.deallocateContents() }
    guard let merged else { return nil }
    var result = layOut(tree, root: merged.root, crossesSeam: crossesSeam)
    result?.report = merged.report
    monitor.advance(.merging, by: pointCount)
    return result
  }

  /// Writes a tree of merges to the arrays of points, in the form of a stored tree. If the build is cancelled, the
  /// contents of the arrays are unusable.
  ///
  /// - Parameter crossesSeam: Whether clusters may lie across the seam. This is possible only if some points lie half
  ///   a world or more apart.
  func layOut(_ tree: MergeTree, root: UInt32, crossesSeam: Bool) -> Result? {
    if tree.height(root) > maximumDepth {
      let coarse = tree.withCoarseScales(of: root, monitor)
      coarse.tree.deallocateContents()
      defer { monitor.deallocate { coarse.tree.deallocate() } }
      return layOut(coarse.tree, root: coarse.root, [.coarseScales], crossesSeam: crossesSeam)
    }
    return layOut(tree, root: root, [], crossesSeam: crossesSeam)
  }

  private func layOut(_ tree: MergeTree, root: UInt32, _ traits: MergeTraits, crossesSeam: Bool) -> Result? {
    if monitor.isCancelled { return nil }
    var layout = MergedLayout(
      tree, root: root, anchorsAtMembers: anchorsAtMembers, arrays, pointCount: pointCount, crossesSeam: crossesSeam,
      threads: threads, monitor)
    layout.run()
    layout.deallocate()
    var traits = traits
    if layout.isAcrossSeam { traits.insert(.acrossSeam) }
    if metric.keepsApart {
      if anchorsAtMembers { traits.insert(.anchorsAtMembers) }
      return Result(
        nodes: layout.nodes, separations: layout.separations, anchors: layout.packedAnchors(), traits: traits)
    }
    MemoryBlock(layout.separations, count: pointCount).deallocate()
    return Result(nodes: layout.nodes, traits: traits)
  }

  private var anchorsAtMembers: Bool { metric.keepsApart && anchor == .member }

  /// - Returns: nil if the build is cancelled.
  private func mergeByDistance(_ tree: MergeTree, crossesSeam: Bool) -> (root: UInt32, report: MergeReport?)? {
    let curve = metric == .badges ? badgeCurve : .distances
    let plan =
      if let leavesInPart {
        tree.leafCount > leavesInPart
          ? MergePlan(tree.leaves, leavesInPart: leavesInPart, curve, threads: threads, monitor) : nil
      } else {
        MergePlan.fastest(tree.leaves, curve, threads: threads, monitor)
      }
    if monitor.isCancelled { return nil }
    if let plan {
      let parts = PartMerging(
        plan: plan, tree: tree, curve: curve, anchor: anchor, crossesSeam: crossesSeam, threads: threads,
        monitor: monitor)
      if let merged = parts.run() { return merged }
      guard !monitor.isCancelled, monitor.canMergeAtOnce(tree.leafCount) else { return nil }
      tree.removeAll(threads: threads, monitor)
    }
    let start = MergeReport.now
    var merging = TouchMerging(
      tree.leafCount, curve: curve, anchor: anchor, crossesSeam: crossesSeam, leafCount: tree.leafCount, monitor
    ) { tree.cluster(UInt32($0)) }
    merging.run()
    if monitor.isCancelled { return nil }
    for merge in merging.merges { tree.add(merge) }
    let duration = MergeReport.now - start
    return (
      merging.merges.last?.cluster.node ?? 0, MergeReport(partCount: 1, duration: duration, longestPath: duration)
    )
  }

  /// - Returns: nil if the build is cancelled.
  private func mergeByScatter(_ tree: MergeTree) -> (root: UInt32, report: MergeReport?)? {
    let leavesInPart = leavesInPart ?? MergePlan.leavesInPart(threads: threads)
    return ScatterMerging(tree: tree, threads: threads, leavesInPart: leavesInPart, monitor: monitor).run().map {
      ($0, nil)
    }
  }
}

extension MergeReport {
  /// Merges coordinates and reports how they were merged.
  ///
  /// - Precondition: There are coordinates, and the growth is by distance or for badges.
  package init(merging coordinates: [Coordinate], options: BuildOptions) throws(BuildError) {
    let monitor = BuildMonitor(pointCount: coordinates.count)
    let memory = BuildMemory(pointCount: coordinates.count, monitor)
    defer { memory.deallocate() }
    let build = TreeBuild(
      coordinates: coordinates, projection: .webMercator, options: options, monitor: monitor)
    do throws(BuildFailure) {
      _ = try build.project(to: memory.arrays.points)
      memory.numberRows(threads: options.threads, monitor)
      let result = try build.merge(memory, by: options.growth.mergeMetric!)
      result.deallocate(pointCount: coordinates.count)
      self = result.report!
    } catch .invalid(let error) { throw error } catch {
      preconditionFailure("Expected a finished build, found a cancelled build")
    }
  }
}

extension BadgeCurve {
  /// Curve that gives all badges the same diameter. With this diameter, the scaled distance of two clusters equals
  /// their distance.
  static let distances = BadgeCurve(steps: [Step(pointCount: 1, diameter: 512)])
}

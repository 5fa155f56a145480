import Treeline

/// One build of a tree from coordinates. The build projects the coordinates, and splits or merges the points into
/// nodes.
struct TreeBuild {
  let coordinates: [Coordinate]
  let projection: Plane.Projection
  var options: BuildOptions
  /// Group of each point. Points of different groups never share a cluster. Nil if all points may share a cluster.
  var groups: PointGroups?
  /// Number of upper levels at which nodes are split across a principal axis, at most 900. Below these levels, boxes
  /// are halved.
  var principalLevels = TreeStorage.principalLevels
  var monitor: BuildMonitor

  func run() throws(BuildFailure) -> ClusterTree {
    guard coordinates.count <= IndexHeader.maximumPointCount else {
      throw .invalid(.tooManyPoints(found: coordinates.count))
    }
    if let groups { return try run(groups) }
    let memory = BuildMemory(pointCount: coordinates.count, monitor)
    let projected: PointProjection
    do throws(BuildFailure) { projected = try project(to: memory.arrays.points) } catch {
      inBackground { memory.deallocate() }
      throw error
    }
    return tree(try storage(of: memory), on: projected)
  }

  private func run(_ groups: PointGroups) throws(BuildFailure) -> ClusterTree {
    let pointCount = coordinates.count
    precondition(groups.numbers.count == pointCount, "Expected a group for each of \(pointCount) points")
    let grouped = GroupedPoints(groups.header, monitor)
    let projected: PointProjection
    do {
      let points = BuildArray<PlanePoint>(count: pointCount, monitor)
      projected = try project(to: points.start)
      grouped.add(UnsafeBufferPointer(start: points.start, count: pointCount), inParts: groups.numbers)
    }
    return tree(try GroupedBuild(build: self, points: grouped).run(), on: projected)
  }

  /// Projects every coordinate, and writes the resulting positions to `points`.
  func project(to points: UnsafeMutablePointer<PlanePoint>) throws(BuildFailure) -> PointProjection {
    try coordinates.withUnsafeBufferPointer { coordinates throws(BuildFailure) in
      try PointProjection(coordinates, as: projection, to: points, threads: options.threads, monitor)
    }
  }

  func tree(_ storage: TreeStorage, on projected: PointProjection) -> ClusterTree {
    ClusterTree(
      storage: storage, plane: projected.plane, clippedPointCount: projected.clippedPointCount, growth: options.growth)
  }

  /// Builds a tree over the positions in the given memory. The tree takes over the memory. If the build fails, the
  /// memory is deallocated.
  func storage(of memory: BuildMemory) throws(BuildFailure) -> TreeStorage {
    var top: TopNode?
    var merged: MergeBuild.Result?
    do throws(BuildFailure) {
      memory.numberRows(threads: options.threads, monitor)
      if monitor.isCancelled { throw .cancelled }
      if memory.pointCount > 0 {
        switch options.growth {
        case .splitting(let rule): top = try split(memory, by: rule)
        case .merging(let metric): merged = try merge(memory, by: metric)
        }
      }
    } catch {
      inBackground { memory.deallocate() }
      throw error
    }
    return try finish(memory, top, merged)
  }

  private func finish(_ memory: BuildMemory, _ top: TopNode?, _ merged: MergeBuild.Result?) throws(BuildFailure)
    -> TreeStorage
  {
    if let merged { return try memory.finish(merged, badgeCurve, threads: options.threads, monitor) }
    if let top { return try memory.finish(top, threads: options.threads, monitor) }
    return try memory.finishEmpty(options.growth, badgeCurve, monitor)
  }

  /// Badge curve of the tree if it is built by merging with the metric `badges`; otherwise nil.
  private var badgeCurve: BadgeCurve? {
    options.growth == .merging(by: .badges) ? options.badgeCurve : nil
  }

  func merge(_ memory: BuildMemory, by metric: MergeMetric) throws(BuildFailure) -> MergeBuild.Result {
    let build = MergeBuild(
      arrays: memory.arrays, pointCount: memory.pointCount, projection: projection,
      metric: metric, anchor: options.anchor, badgeCurve: options.badgeCurve, threads: options.threads,
      maximumDepth: options.maximumMergeDepth, leavesInPart: options.leavesInPart, monitor: monitor)
    guard let result = build.run() else { throw .cancelled }
    return result
  }

  private func split(_ memory: BuildMemory, by rule: SplitRule) throws(BuildFailure) -> TopNode {
    try SplitBuild(
      rule: rule, solver: options.solver, principalLevels: principalLevels, threads: options.threads, monitor: monitor
    ).split(memory)
  }
}

import Treeline

/// One build from places to a tree.
struct TreeBuild {
  let places: [Coordinate]
  let projection: Plane.Projection
  let options: BuildOptions
  /// At most 900.
  var principalLevels = TreeStorage.principalLevels
  let monitor: BuildMonitor

  func run() throws(BuildFailure) -> ClusterTree {
    guard places.count <= BuildError.maximumPointCount else {
      throw .invalid(.tooManyPoints(found: places.count))
    }
    let memory = BuildMemory(pointCount: places.count)
    let projected: PointProjection
    let top: TopNode?
    do throws(BuildFailure) {
      projected = try places.withUnsafeBufferPointer { places throws(BuildFailure) in
        try PointProjection(
          places, as: projection, to: memory.arrays.points, threads: options.threads, monitor)
      }
      memory.numberRows(threads: options.threads, monitor)
      if monitor.isCancelled { throw .cancelled }
      top = places.isEmpty ? nil : try split(memory)
    } catch {
      inBackground { memory.free() }
      throw error
    }
    return ClusterTree(
      storage: try memory.finish(top, threads: options.threads, monitor) { storage throws(BuildFailure) in
        guard options.computesSeparations else { return nil }
        return try SeparationBuild(
          storage: storage, projection: projection, threads: options.threads, monitor: monitor
        ).run().codes.baseAddress
      }, plane: projected.plane,
      clippedPointCount: projected.clippedPointCount, splitRule: options.splitRule)
  }

  private func split(_ memory: BuildMemory) throws(BuildFailure) -> TopNode {
    let top =
      switch options.splitRule.kind {
      case .mean: nodes(memory, at: AtMean())
      case .leastScatter: nodes(memory, at: AtLeastScatter(monitor: monitor))
      case .gamma where options.splitRule.gammaInEighths == DistanceWeight.evenEighths:
        nodes(memory, at: AtMean())
      case .gamma:
        nodes(
          memory,
          at: AtWeightedMean(
            weight: DistanceWeight(gammaInEighths: options.splitRule.gammaInEighths), monitor: monitor))
      }
    if monitor.isCancelled {
      inBackground { top.removeAll() }
      throw .cancelled
    }
    return top
  }

  private func nodes(_ memory: BuildMemory, at place: some CutPlace) -> TopNode {
    let splitter = Splitter(
      arrays: memory.arrays, place: place, principalLevels: principalLevels, monitor: monitor)
    return TreeBuilder(splitter, threads: options.threads).build(pointCount: places.count)
  }
}

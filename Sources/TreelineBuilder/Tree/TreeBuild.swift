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
    do throws(BuildFailure) {
      let projected = try places.withUnsafeBufferPointer { places throws(BuildFailure) in
        try PointProjection(
          places, as: projection, to: memory.arrays.points, threads: options.threads, monitor)
      }
      memory.numberRows()
      let top = places.isEmpty ? nil : try split(memory)
      return ClusterTree(
        storage: memory.finish(top), plane: projected.plane, clippedPointCount: projected.clippedPointCount,
        splitRule: .mean)
    } catch {
      memory.free()
      throw error
    }
  }

  private func split(_ memory: BuildMemory) throws(BuildFailure) -> TopNode {
    let splitter = Splitter(arrays: memory.arrays, principalLevels: principalLevels, monitor: monitor)
    let top = TreeBuilder(splitter, threads: options.threads).build(pointCount: places.count)
    if monitor.isCancelled { throw .cancelled }
    return top
  }
}

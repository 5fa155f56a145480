import Dispatch
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
      memory.numberRows(monitor)
      if monitor.isCancelled { throw .cancelled }
      top = places.isEmpty ? nil : try split(memory)
    } catch {
      inBackground { memory.free() }
      throw error
    }
    return ClusterTree(
      storage: try memory.finish(top, monitor) { storage throws(BuildFailure) in
        guard options.findsSeparations else { return nil }
        return try SeparationBuild(
          storage: storage, projection: projection, threads: options.threads, monitor: monitor
        ).run().codes.baseAddress
      }, plane: projected.plane,
      clippedPointCount: projected.clippedPointCount, splitRule: .mean)
  }

  private func split(_ memory: BuildMemory) throws(BuildFailure) -> TopNode {
    let splitter = Splitter(arrays: memory.arrays, principalLevels: principalLevels, monitor: monitor)
    let top = TreeBuilder(splitter, threads: options.threads).build(pointCount: places.count)
    if monitor.isCancelled {
      inBackground { withExtendedLifetime(top) {} }
      throw .cancelled
    }
    return top
  }
}

/// Lets memory go on another thread: the system takes some 300 ms for a gigabyte, and whoever cancels does not wait.
func inBackground(_ letGo: @escaping @Sendable () -> Void) {
  DispatchQueue.global(qos: .utility).async(execute: letGo)
}

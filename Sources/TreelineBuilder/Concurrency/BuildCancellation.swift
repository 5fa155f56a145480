import Treeline

/// Stops builds from another thread, where there is no task to cancel.
package final class BuildCancellation: Sendable {
  let monitor = BuildMonitor(pointCount: 0)

  package init() {}

  /// Has all builds that were given it stop within 50 ms, and those to come at once.
  package func cancel() { monitor.cancel() }

  /// Whether it was.
  package var isCancelled: Bool { monitor.isCancelled }
}

extension ClusterTree {
  /// Builds the tree on the calling thread, until another one cancels it.
  ///
  /// - Parameters:
  ///   - coordinates: As of `init`.
  ///   - groups: As of `init`; nil where all points may share a cluster.
  ///   - projection: As of `init`.
  ///   - options: As of `init`.
  ///   - cancellation: What stops it.
  ///   - progress: As of `init`.
  /// - Throws: `BuildError`, or `CancellationError`.
  package static func build(
    _ coordinates: [Coordinate], groupedBy groups: PointGroups?, as projection: Plane.Projection, options: BuildOptions,
    cancellation: BuildCancellation, progress: (@Sendable (BuildProgress) -> Void)?
  ) throws -> ClusterTree {
    let monitor = BuildMonitor(partOf: cancellation.monitor, pointCount: coordinates.count, report: progress)
    if monitor.isCancelled { throw CancellationError() }
    let build = TreeBuild(
      coordinates: coordinates, projection: projection, options: options, groups: groups, monitor: monitor)
    do throws(BuildFailure) { return try build.run() } catch .invalid(let error) { throw error } catch {
      throw CancellationError()
    }
  }
}

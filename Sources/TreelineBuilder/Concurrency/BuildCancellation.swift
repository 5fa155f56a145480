import Treeline

/// Lets a thread stop builds on other threads, for callers that have no task to cancel.
package final class BuildCancellation: Sendable {
  let monitor = BuildMonitor(pointCount: 0)

  package init() {}

  /// Stops all builds that were given this object. Running builds stop within 50 ms. Later builds stop at once.
  package func cancel() { monitor.cancel() }

  /// Whether `cancel` was called.
  package var isCancelled: Bool { monitor.isCancelled }

  /// Does work on another thread, without blocking the calling task. If the task is cancelled, cancels the object that
  /// it passes to the work.
  static func run<Made: Sendable>(
    _ work: @escaping @Sendable (BuildCancellation) throws -> Made
  ) async throws -> Made {
    let cancellation = BuildCancellation()
    return try await withTaskCancellationHandler {
      try Task.checkCancellation()
      return try await withCheckedThrowingContinuation { continuation in
        asynchronously { continuation.resume(with: Result { try work(cancellation) }) }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }
}

extension ClusterTree {
  /// Builds the tree on the calling thread. Another thread can cancel the build.
  ///
  /// - Parameters:
  ///   - coordinates: As in `init`.
  ///   - groups: As in `init`; nil if all points may share a cluster.
  ///   - projection: As in `init`.
  ///   - options: As in `init`.
  ///   - cancellation: Object that can stop the build.
  ///   - progress: As in `init`.
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

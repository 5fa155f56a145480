import Dispatch
import Treeline

extension ClusterTree {
  /// Builds the tree over some places; row numbers count them from 0.
  ///
  /// A function of the set of places: the order of the input, the number of threads and the build of LAPACK change
  /// nothing but row numbers.
  ///
  /// ```swift
  /// let tree = try ClusterTree([Coordinate(longitude: 2.35, latitude: 48.86)])
  /// ```
  ///
  /// - Parameters:
  ///   - places: Longitudes from -180 to 180 and latitudes from -90 to 90, in degrees; or plain x and y.
  ///   - projection: Which of the two.
  ///   - options: How to build.
  ///   - progress: Called on the threads that build, never by two at once, at most once for each percent.
  /// - Throws: `BuildError`
  /// - Complexity: O(n log n) time for all but adversarial data, about 45 bytes a point of memory while building;
  ///   with separations some 100 more than the tree itself takes.
  public init(
    _ places: [Coordinate], as projection: Plane.Projection = .webMercator,
    options: BuildOptions = BuildOptions(), progress: (@Sendable (BuildProgress) -> Void)? = nil
  ) throws(BuildError) {
    try self.init(
      TreeBuild(
        places: places, projection: projection, options: options,
        monitor: BuildMonitor(pointCount: places.count, report: progress)))
  }

  /// For tests of the levels below which boxes are halved.
  ///
  /// - Parameter principalLevels: at most 900.
  package init(
    _ places: [Coordinate], as projection: Plane.Projection, options: BuildOptions, principalLevels: Int
  ) throws(BuildError) {
    try self.init(
      TreeBuild(
        places: places, projection: projection, options: options, principalLevels: principalLevels,
        monitor: BuildMonitor(pointCount: places.count)))
  }

  private init(_ build: TreeBuild) throws(BuildError) {
    do throws(BuildFailure) {
      self = try build.run()
    } catch .invalid(let error) {
      throw error
    } catch {
      preconditionFailure("A build that nobody can cancel was cancelled")
    }
  }

  /// Builds the tree over some places without blocking the task that asks for it.
  ///
  /// ```swift
  /// let tree = try await ClusterTree.build(places) { print($0.stage, $0.fraction) }
  /// ```
  ///
  /// The same tree as `init` makes. Any number of builds and queries may run side by side. A build whose task is cancelled
  /// stops within 50 ms and leaves nothing behind: its memory is let go by another thread meanwhile.
  ///
  /// - Parameter progress: Called on the threads that build, never by two at once, at most once for each percent.
  /// - Throws: `BuildError`, or `CancellationError` where the task was cancelled.
  public static func build(
    _ places: [Coordinate], as projection: Plane.Projection = .webMercator,
    options: BuildOptions = BuildOptions(), progress: (@Sendable (BuildProgress) -> Void)? = nil
  ) async throws -> ClusterTree {
    let monitor = BuildMonitor(pointCount: places.count, report: progress)
    let build = TreeBuild(places: places, projection: projection, options: options, monitor: monitor)
    return try await withTaskCancellationHandler {
      try Task.checkCancellation()
      return try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
          do throws(BuildFailure) {
            continuation.resume(returning: try build.run())
          } catch .invalid(let error) {
            continuation.resume(throwing: error)
          } catch {
            continuation.resume(throwing: CancellationError())
          }
        }
      }
    } onCancel: {
      monitor.cancel()
    }
  }
}

import Treeline

extension ClusterTree {
  /// The separation of every node with two children, as a code, at the place of its right child's first point in tree
  /// order: see `SeparationBuild`.
  ///
  /// - Parameter progress: as that of a build.
  /// - Complexity: O(n log n) steps on all measured data, about 100 bytes a point of memory on the way.
  package func separations(
    threads: Int, progress: (@Sendable (BuildProgress) -> Void)? = nil
  ) -> (codes: ContiguousArray<UInt16>, work: SeparationWork) {
    do throws(BuildFailure) {
      return try separations(
        threads: threads, BuildMonitor(pointCount: pointCount, report: progress))
    } catch {
      preconditionFailure("A search that nobody can cancel was cancelled")
    }
  }

  func separations(
    threads: Int, _ monitor: BuildMonitor
  ) throws(BuildFailure) -> (codes: ContiguousArray<UInt16>, work: SeparationWork) {
    defer { withExtendedLifetime(storage) {} }
    let result = try SeparationBuild(
      storage: storage, projection: plane.projection, threads: threads, monitor: monitor
    ).run()
    defer { result.codes.deallocate() }
    return (ContiguousArray(result.codes), result.work)
  }
}

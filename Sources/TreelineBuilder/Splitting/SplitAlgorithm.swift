import Treeline

/// Chooses the line that splits a node, across its principal axis or near it: one type for each kind of `SplitRule`.
///
/// The builder is generic over it, and so compiled for each by itself: none pays for another. `TreeBuild` picks it.
protocol SplitAlgorithm: Sendable {
  /// The split of some points, whose dot products with the axis are not all equal.
  ///
  /// Both sides of it have points, unless the build is cancelled: then any split will do. The spare arrays may be
  /// written to where the points are. It is the same for any number of threads.
  func split<Sum>(_ points: PointGroup<Sum>, in arrays: PointArrays, across axis: PrincipalAxis, threads: Int) -> Split
}

/// At the mean: `SplitRule.mean`. The least dot product is at most their mean, and the greatest is above it.
struct MeanSplit: SplitAlgorithm {
  @inline(__always) func split<Sum>(
    _ points: PointGroup<Sum>, in arrays: PointArrays, across axis: PrincipalAxis, threads: Int
  ) -> Split { Split(atMeanOf: points.moments, from: points.corner, across: axis) }
}

extension PointArrays {
  /// The split of some points, not all at one position, across their principal axis.
  ///
  /// Both sides of it have points: along the axis the scatter is at least half of all there is, so not all dot
  /// products are equal, which is all that an algorithm asks for.
  @inline(__always) func principalSplit<Sum>(
    _ points: PointGroup<Sum>, _ scatter: Scatter, by algorithm: some SplitAlgorithm,
    solver: PrincipalAxis.Solver, threads: Int = 1
  ) -> Split {
    let axis = PrincipalAxis(of: scatter, by: solver) ?? PrincipalAxis(alongLongerSideOf: box(points.range))
    return algorithm.split(points, in: self, across: axis, threads: threads)
  }
}

extension PrincipalAxis {
  /// Where no direction is the longest.
  init(alongLongerSideOf box: PlaneRect) { self = box.width >= box.height ? .horizontal : .vertical }
}

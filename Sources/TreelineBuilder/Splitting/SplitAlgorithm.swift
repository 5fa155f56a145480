import Treeline

/// Chooses the line that splits a node, across its principal axis or near it. There is one type for each kind of
/// `SplitRule`.
///
/// The builder is generic over the algorithm and compiled separately for each, so no algorithm pays for another.
/// `Splitting` chooses it.
protocol SplitAlgorithm: Sendable {
  /// Returns the split of some points, whose dot products with the axis are not all equal.
  ///
  /// Both sides of the split have points, unless the build is cancelled: then any split will do. The spare arrays may
  /// be overwritten in the range of the points. The split is the same for any number of threads.
  func split<Sum>(_ points: PointGroup<Sum>, in arrays: PointArrays, across axis: PrincipalAxis, threads: Int) -> Split
}

/// Splits at the mean: `SplitRule.mean`. The least dot product is at most their mean, and the greatest is above it.
struct MeanSplit: SplitAlgorithm {
  @inline(__always) func split<Sum>(
    _ points: PointGroup<Sum>, in arrays: PointArrays, across axis: PrincipalAxis, threads: Int
  ) -> Split { Split(atMeanOf: points.moments, from: points.corner, across: axis) }
}

extension PointArrays {
  /// Returns the split of some points, not all at one position, across their principal axis.
  ///
  /// Both sides of the split have points: the scatter along the axis is at least half of all scatter, so not all dot
  /// products are equal, which is all that an algorithm needs.
  @inline(__always) func principalSplit<Sum>(
    _ points: PointGroup<Sum>, _ scatter: Scatter, by algorithm: some SplitAlgorithm,
    solver: PrincipalAxis.Solver, threads: Int = 1
  ) -> Split {
    let axis = PrincipalAxis(of: scatter, by: solver) ?? PrincipalAxis(alongLongerSideOf: box(points.range))
    return algorithm.split(points, in: self, across: axis, threads: threads)
  }
}

extension PrincipalAxis {
  /// Chooses the axis of points without a longest direction.
  init(alongLongerSideOf box: PlaneRect) { self = box.width >= box.height ? .horizontal : .vertical }
}

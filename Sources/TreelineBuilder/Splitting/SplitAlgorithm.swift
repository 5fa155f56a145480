import Treeline

/// Chooses the line that splits a node. The line is perpendicular or nearly perpendicular to the node's principal
/// axis. There is one type for each kind of `SplitRule`.
///
/// The builder is generic over the algorithm and compiled separately for each algorithm. So no algorithm slows down
/// another algorithm. `SplitBuild` chooses the algorithm.
protocol SplitAlgorithm: Sendable {
  /// Returns the split of some points. The dot products of the points with the axis must not all be equal.
  ///
  /// Both sides of the split have points. If the build is cancelled, any split may be returned. The spare arrays may be
  /// overwritten in the range of the points. The split does not depend on the number of threads.
  func split<Sum>(_ points: NodePoints<Sum>, in arrays: PointArrays, across axis: PrincipalAxis, threads: Int)
    -> SplitLine
}

/// Splits at the mean: `SplitRule.mean`. Both sides have points, because the least dot product of a point with the
/// axis is at most the mean of all dot products, and the greatest is above the mean.
struct MeanSplit: SplitAlgorithm {
  @inline(__always) func split<Sum>(
    _ points: NodePoints<Sum>, in arrays: PointArrays, across axis: PrincipalAxis, threads: Int
  ) -> SplitLine { SplitLine(atMeanOf: points.moments, from: points.corner, across: axis) }
}

extension PointArrays {
  /// Splits some points across their principal axis. The points must not all have one position.
  ///
  /// Both sides of the split have points. The only requirement of `split` is that the dot products of the points with
  /// the axis are not all equal. They are not all equal, because the scatter along the principal axis is at least half
  /// of all scatter, which is above 0.
  @inline(__always) func principalSplit<Sum>(
    _ points: NodePoints<Sum>, _ scatter: Scatter, by algorithm: some SplitAlgorithm,
    solver: PrincipalAxis.Solver, threads: Int = 1
  ) -> SplitLine {
    let axis = PrincipalAxis(of: scatter, by: solver) ?? PrincipalAxis(alongLongerSideOf: box(points.range))
    return algorithm.split(points, in: self, across: axis, threads: threads)
  }
}

extension PrincipalAxis {
  /// Makes the axis for points that vary equally in all directions.
  init(alongLongerSideOf box: PlaneRect) { self = box.width >= box.height ? .horizontal : .vertical }
}

import Treeline

/// Where a node is cut, across its principal axis or near it, as `SplitRule` has it.
///
/// The builder is generic over it, and so compiled for each rule by itself: none pays for another.
protocol CutPlace: Sendable {
  /// Whether finding it takes the longest of a split.
  static var looksAtPoints: Bool { get }

  /// The split of some points, whose dot products with the axis are not all equal.
  ///
  /// Both sides of it have points, unless the build is cancelled: then any split will do. Spare memory of the range may be
  /// written to.
  func split<Sum>(
    _ arrays: PointArrays, first: Int, _ moments: Moments<Sum>, from corner: PlanePoint,
    across axis: PrincipalAxis
  ) -> Split
}

/// At the mean. The least dot product is at most their mean, and the greatest is above it.
struct AtMean: CutPlace {
  static var looksAtPoints: Bool { false }

  @inline(__always)
  func split<Sum>(
    _ arrays: PointArrays, first: Int, _ moments: Moments<Sum>, from corner: PlanePoint,
    across axis: PrincipalAxis
  ) -> Split {
    Split(atMeanOf: moments, from: corner, across: axis)
  }
}

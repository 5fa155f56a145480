import Treeline

/// A line that divides points into two parts. Points whose dot product with the axis is at most the threshold are on
/// the left.
///
/// Positions are measured from a corner. All arithmetic is exact, because it uses integers. So a point on the line
/// always counts as left.
struct SplitLine: Hashable, Sendable {
  var corner: PlanePoint
  var axis: PrincipalAxis
  var threshold: Int64

  init(corner: PlanePoint, axis: PrincipalAxis, threshold: Int64) {
    (self.corner, self.axis, self.threshold) = (corner, axis, threshold)
  }

  /// Makes a split across an axis, at the mean of some points. The moments of the points are measured from `corner`.
  ///
  /// For n points with the sums Sx and Sy, the dot product of the mean is (axis.x Sx + axis.y Sy) / n. The threshold
  /// is this number, rounded down. The rounding moves no point to the other side: the dot product of a point is an
  /// integer, and an integer is at most a number if and only if it is at most the number rounded down. Sx and Sy are
  /// divided by n with a remainder before they are multiplied, which keeps every term within 64 bits.
  @inline(__always) init<Sum>(atMeanOf moments: Moments<Sum>, from corner: PlanePoint, across axis: PrincipalAxis) {
    let (quotientX, remainderX) = moments.x.quotientAndRemainder(dividingBy: moments.count)
    let (quotientY, remainderY) = moments.y.quotientAndRemainder(dividingBy: moments.count)
    let whole = axis.x &* Int64(quotientX) &+ axis.y &* Int64(quotientY)
    let rest = axis.x &* Int64(remainderX) &+ axis.y &* Int64(remainderY)
    let count = Int64(moments.count)
    let (restQuotient, restRemainder) = rest.quotientAndRemainder(dividingBy: count)
    (self.corner, self.axis) = (corner, axis)
    threshold = whole &+ restQuotient &- (restRemainder < 0 ? 1 : 0)
  }

  /// Divides a box in the middle of its longer side. If both sides are equally long, divides the horizontal side. If
  /// the box is the smallest box around its points, both halves contain points.
  init(inTheMiddleOf box: PlaneRect, measuredFrom corner: PlanePoint) {
    self.corner = corner
    let isWide = box.width >= box.height
    axis = isWide ? .horizontal : .vertical
    let middle = isWide ? box.minX - corner.x + box.width / 2 : box.minY - corner.y + box.height / 2
    threshold = Int64(middle) * PrincipalAxis.length
  }

  func isLeft(_ point: PlanePoint) -> Bool { leftCount(point) == 1 }

  /// Returns 1 for a point that is left of the line, and 0 for any other point.
  ///
  /// A shift extracts the sign bit. A comparison would be compiled to a branch. In a loop that partitions points, the
  /// processor could not predict this branch. Dot products are below 2^62, so their differences do not overflow.
  @inline(__always) func leftCount(_ point: PlanePoint) -> Int {
    let product = axis.x &* Int64(point.x &- corner.x) &+ axis.y &* Int64(point.y &- corner.y)
    return Int(truncatingIfNeeded: UInt64(bitPattern: product &- threshold &- 1) >> 63)
  }
}

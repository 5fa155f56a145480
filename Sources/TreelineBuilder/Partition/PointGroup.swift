import Treeline

/// The points of a node: where they begin in tree order, and their moments.
struct PointGroup<Sum: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
  var first: Int
  /// Measured from `corner`.
  var moments: Moments<Sum>
  var corner: PlanePoint

  @inline(__always) var count: Int { Int(moments.count) }

  @inline(__always) var range: Range<Int> { first..<first &+ count }

  /// Both parts of the group once its first `leftCount` points are those left of a split.
  ///
  /// - Parameter sum: sums up the part that has fewer points; the other's moments are the difference.
  @inline(__always) func parts(leftCount: Int, summedBy sum: (Range<Int>) -> Moments<Sum>) -> (
    left: PointGroup, right: PointGroup
  ) {
    let (middle, end) = (first &+ leftCount, first &+ count)
    let left = leftCount <= end &- middle ? sum(first..<middle) : moments - sum(middle..<end)
    return (
      PointGroup(first: first, moments: left, corner: corner),
      PointGroup(first: middle, moments: moments - left, corner: corner)
    )
  }
}

import Treeline

/// The points of a node: the index of its first point in tree order, and the moments of its points.
struct NodePoints<Sum: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
  var first: Int
  /// Moments of the points, measured from `corner`.
  var moments: Moments<Sum>
  var corner: PlanePoint

  @inline(__always) var count: Int { Int(moments.count) }

  @inline(__always) var range: Range<Int> { first..<first &+ count }

  /// Returns the range of the smaller part of the group. The first `leftCount` points are one part, and the remaining
  /// points are the other part.
  @inline(__always) func smallerPart(leftCount: Int) -> Range<Int> {
    let (middle, end) = (first &+ leftCount, first &+ count)
    return leftCount <= end &- middle ? first..<middle : middle..<end
  }

  /// Returns both parts of the group.
  ///
  /// - Parameter smaller: Moments of the smaller part. The moments of the larger part are the moments of the whole
  ///   group minus `smaller`.
  @inline(__always) func parts(leftCount: Int, smaller: Moments<Sum>) -> (left: NodePoints, right: NodePoints) {
    let middle = first &+ leftCount
    let left = leftCount <= count &- leftCount ? smaller : moments - smaller
    return (
      NodePoints(first: first, moments: left, corner: corner),
      NodePoints(first: middle, moments: moments - left, corner: corner)
    )
  }

  /// Returns the same points with moments measured from the top left corner of `box`, the box around these points.
  func moved(to box: PlaneRect) -> NodePoints {
    let right = box.minX - corner.x
    let down = box.minY - corner.y
    return NodePoints(
      first: first, moments: moments.moved(right: right, down: down), corner: PlanePoint(x: box.minX, y: box.minY))
  }
}

import Treeline

/// The points being put into tree order, and as much room again to do it in.
///
/// Threads share these arrays and work on disjoint ranges of them; hence a gap is a whole byte here.
struct PointArrays: @unchecked Sendable {
  let points: UnsafeMutablePointer<PlanePoint>
  let rows: UnsafeMutablePointer<UInt32>
  let gaps: UnsafeMutablePointer<UInt8>
  let sparePoints: UnsafeMutablePointer<PlanePoint>
  let spareRows: UnsafeMutablePointer<UInt32>

  /// The smallest box around a range of points that is not empty.
  func box(first: Int, count: Int) -> PlaneRect {
    var box = PlaneRect(points[first])
    for index in first..<first + count { box.formUnion(points[index]) }
    return box
  }
}

extension PointArrays {
  struct Partition<Sum: FixedWidthInteger & UnsignedInteger & Sendable> {
    /// The moments of the left part, measured from the split's corner.
    var left: Moments<Sum>
    /// The smallest box around both parts.
    var box: PlaneRect
  }

  /// Brings the points left of a split to the front of a range; within both parts the order stays as it is.
  ///
  /// One pass does all that the children need: it moves the points without a branch, sums the left part and finds the
  /// box of the whole.
  @inline(__always)
  func partition<Sum>(first: Int, count: Int, by split: Split, _: Sum.Type) -> Partition<Sum> {
    let points = points + first
    let rows = rows + first
    let sparePoints = sparePoints + first
    let spareRows = spareRows + first
    var moments = Moments<Sum>()
    var box = PlaneRect(points[0])
    var leftCount = 0
    for index in 0..<count {
      let point = points[index]
      let row = rows[index]
      let isLeft = split.isLeft(point)
      // Both are written, and only what belongs there is counted; the left end never overtakes the point being read.
      points[leftCount] = point
      rows[leftCount] = row
      sparePoints[index &- leftCount] = point
      spareRows[index &- leftCount] = row
      leftCount &+= isLeft ? 1 : 0
      moments.add(point, from: split.corner, if: isLeft)
      box.formUnion(point)
    }
    (points + leftCount).update(from: sparePoints, count: count &- leftCount)
    (rows + leftCount).update(from: spareRows, count: count &- leftCount)
    precondition(leftCount > 0 && leftCount < count, "A split left one side empty: \(split), \(count) points")
    moments.count = UInt64(leftCount)
    return Partition(left: moments, box: box)
  }
}

extension Moments {
  /// Adds a point to all sums but the count, or adds nothing, without a branch.
  @inline(__always)
  fileprivate mutating func add(_ point: PlanePoint, from corner: PlanePoint, if condition: Bool) {
    let mask: UInt64 = condition ? .max : 0
    let dx = UInt64(point.x &- corner.x) & mask
    let dy = UInt64(point.y &- corner.y) & mask
    x &+= dx
    y &+= dy
    xx &+= Sum(truncatingIfNeeded: dx &* dx)
    xy &+= Sum(truncatingIfNeeded: dx &* dy)
    yy &+= Sum(truncatingIfNeeded: dy &* dy)
  }
}

import Treeline

/// Where the least scatter is left in the two halves: `SplitRule.leastScatter`.
///
/// First the best position of all along the principal axis is found. Then the line is turned: each point goes to the
/// half whose mean is nearer, again and again, as long as that takes off scatter enough (S. Lloyd, 1982,
/// doi:10.1109/TIT.1982.1056489, for two means).
///
/// Scatter that is not within the halves is between them, so the least is left where most is between:
/// |n Sₗ - nₗ S|² / (nₗ nᵣ), for sums S and Sₗ of all points and of the left ones. All but that quotient is exact. The
/// quotient, and the lines, are computed by operations that IEEE 754 defines to the last bit, done one by one, from
/// numbers that depend on the halves alone: nothing fuses a product and a sum unless told to.
struct LeastScatterSplit: SplitAlgorithm {
  static var passesOverPoints: Bool { true }

  let monitor: BuildMonitor

  /// A step goes on if it puts a 2048th more between the halves: so there are few, O(log count) whatever the points.
  private static let leastGrowth = 1 + 0x1p-11

  func split<Sum>(_ points: PointGroup<Sum>, in arrays: PointArrays, across axis: PrincipalAxis) -> Split {
    let corner = points.corner
    let members = UnsafeBufferPointer(start: arrays.points + points.first, count: points.count)
    var search = SplitPositionSearch(of: points.moments, from: corner, along: axis, monitor)
    search.search(members.baseAddress!, count: members.count, keepingIn: arrays.sparePoints + points.first)
    var split = Split(corner: corner, axis: axis, threshold: search.threshold)
    if members.count == 2 || monitor.isCancelled { return split }
    var halves = search.halves
    while let next = halves.bisector(from: corner) {
      let nextHalves = self.halves(of: members, by: next, like: halves)
      if nextHalves.scatterBetween <= halves.scatterBetween * Self.leastGrowth || monitor.isCancelled { break }
      (split, halves) = (next, nextHalves)
    }
    return split
  }

  private func halves(of points: UnsafeBufferPointer<PlanePoint>, by split: Split, like other: Halves) -> Halves {
    var halves = other
    halves.left = Halves.Sums()
    monitor.pass(over: 0..<points.count) { block in
      for index in block {
        let point = points[index]
        // Added whatever the side, so that no branch is guessed wrong.
        let mask: UInt64 = split.isLeft(point) ? .max : 0
        halves.left.count &+= mask & 1
        halves.left.x &+= mask & UInt64(point.x &- split.corner.x)
        halves.left.y &+= mask & UInt64(point.y &- split.corner.y)
      }
    }
    return halves
  }
}

/// The sums over some points and over those of them in the left half.
struct Halves {
  struct Sums {
    var count: UInt64 = 0
    var x: UInt64 = 0
    var y: UInt64 = 0

    @inline(__always) mutating func add(_ point: PlanePoint, from corner: PlanePoint) {
      count &+= 1
      x &+= UInt64(point.x &- corner.x)
      y &+= UInt64(point.y &- corner.y)
    }

    @inline(__always) mutating func add(_ bin: Bin) {
      count &+= UInt64(bin.count)
      x &+= bin.x
      y &+= bin.y
    }
  }

  let all: Sums
  var left = Sums()

  /// Whether what is multiplied is so small that doubles hold the products.
  private let isSmall: Bool

  init<Sum>(of moments: Moments<Sum>) {
    all = Sums(count: moments.count, x: moments.x, y: moments.y)
    let (most, overflows) = all.count.multipliedReportingOverflow(by: max(all.x, all.y))
    isSmall = !overflows && most < 1 << 53
  }

  /// What lies between the halves of the scatter, times the count; 0 where one of them is empty.
  var scatterBetween: Double { scatterBetween(left, squaredDifference(left)) }

  /// The same for other left ones, of which the squared difference is known.
  @inline(__always) func scatterBetween(_ left: Sums, _ squaredDifference: Double) -> Double {
    if left.count == 0 || left.count == all.count { return 0 }
    return squaredDifference / productOfCounts(left.count)
  }

  @inline(__always) func productOfCounts(_ leftCount: UInt64) -> Double {
    Double(leftCount) * Double(all.count &- leftCount)
  }

  /// |n Sₗ - nₗ S|², n times nₗ times what their mean lies away from that of all.
  @inline(__always) func squaredDifference(_ left: Sums) -> Double {
    let (dx, dy) =
      isSmall
      ? (smallDifference(left.count, left.x, all.x), smallDifference(left.count, left.y, all.y))
      : (difference(left.count, left.x, all.x), difference(left.count, left.y, all.y))
    return dx * dx + dy * dy
  }

  /// A component of n Sₗ - nₗ S: exact, at most 2^94, then rounded.
  @inline(never) private func difference(_ leftCount: UInt64, _ left: UInt64, _ all: UInt64) -> Double {
    let a = self.all.count.multipliedFullWidth(by: left)
    let b = leftCount.multipliedFullWidth(by: all)
    return (Int128(a) &- Int128(b)).approximation
  }

  /// The same where it is a double.
  @inline(__always) private func smallDifference(_ leftCount: UInt64, _ left: UInt64, _ all: UInt64) -> Double {
    Double(Int64(bitPattern: self.all.count &* left &- leftCount &* all))
  }

  /// The line on which points are as far from the one mean as from the other; nil where doubles cannot tell these
  /// apart.
  func bisector(from corner: PlanePoint) -> Split? {
    let rightCount = Double(all.count &- left.count)
    let (leftX, leftY) = (Double(left.x) / Double(left.count), Double(left.y) / Double(left.count))
    let (rightX, rightY) = (Double(all.x &- left.x) / rightCount, Double(all.y &- left.y) / rightCount)
    if leftX == rightX && leftY == rightY { return nil }
    let axis = PrincipalAxis(along: rightX - leftX, rightY - leftY)
    let product = Double(axis.x) * (leftX + rightX) + Double(axis.y) * (leftY + rightY)
    return Split(corner: corner, axis: axis, threshold: Int64((product / 2).rounded(.down)))
  }
}

extension Int128 {
  @inline(__always) fileprivate init(_ product: (high: UInt64, low: UInt64)) {
    self = Int128(product.high) << 64 | Int128(product.low)
  }
}

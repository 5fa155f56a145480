import Treeline

/// The sums over all points of a node, and the sums over the points in the node's left half. In formulas, n is the
/// number of all points, and S is the sum of their positions. The left half has nₗ points, whose positions have the
/// sum Sₗ. The right half has nᵣ points.
struct Halves {
  struct Sums: Equatable, Sendable {
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

    @inline(__always) static func + (a: Sums, b: Sums) -> Sums {
      Sums(count: a.count &+ b.count, x: a.x &+ b.x, y: a.y &+ b.y)
    }
  }

  let all: Sums
  var left = Sums()

  /// Whether all products of a count and a sum are so small that doubles represent them exactly.
  private let isSmall: Bool

  init<Sum>(of moments: Moments<Sum>) {
    all = Sums(count: moments.count, x: moments.x, y: moments.y)
    let (most, overflows) = all.count.multipliedReportingOverflow(by: max(all.x, all.y))
    isSmall = !overflows && most < 1 << 53
  }

  /// Scatter between the halves, multiplied by the number of points; 0 if one half is empty.
  var scatterBetween: Double {
    if left.count == 0 || left.count == all.count { return 0 }
    return squaredDifference(left) / productOfCounts(left.count)
  }

  @inline(__always) func productOfCounts(_ leftCount: UInt64) -> Double {
    Self.double(leftCount) * Self.double(all.count &- leftCount)
  }

  /// Converts a sum to a double. Sums are below 2^63, so they can be read as signed integers. This saves time, because
  /// a signed integer is converted by one instruction.
  @inline(__always) private static func double(_ sum: UInt64) -> Double { Double(Int64(bitPattern: sum)) }

  /// Returns |n Sₗ - nₗ S|². The vector n Sₗ - nₗ S is the offset of the left mean from the mean of all points,
  /// multiplied by n nₗ.
  @inline(__always) func squaredDifference(_ left: Sums) -> Double {
    let (dx, dy) = difference(left)
    return dx * dx + dy * dy
  }

  /// Returns n Sₗ - nₗ S.
  @inline(__always) func difference(_ left: Sums) -> (x: Double, y: Double) {
    isSmall
      ? (smallDifference(left.count, left.x, all.x), smallDifference(left.count, left.y, all.y))
      : (difference(left.count, left.x, all.x), difference(left.count, left.y, all.y))
  }

  /// Returns a component of n Sₗ - nₗ S. The component is at most 2^94, and is computed exactly before it is rounded.
  @inline(never) private func difference(_ leftCount: UInt64, _ left: UInt64, _ all: UInt64) -> Double {
    let a = self.all.count.multipliedFullWidth(by: left)
    let b = leftCount.multipliedFullWidth(by: all)
    return (Int128(a) &- Int128(b)).approximation
  }

  /// Returns a component of n Sₗ - nₗ S. Valid only if a double represents the component exactly.
  @inline(__always) private func smallDifference(_ leftCount: UInt64, _ left: UInt64, _ all: UInt64) -> Double {
    Double(Int64(bitPattern: self.all.count &* left &- leftCount &* all))
  }

  /// Returns the line of all positions that are equally far from the means of both halves; nil if the two means,
  /// rounded to doubles, are equal.
  @inline(__always) func bisector(from corner: PlanePoint) -> SplitLine? {
    let (leftCount, rightCount) = (Self.double(self.left.count), Self.double(all.count &- self.left.count))
    // One instruction divides the sums of x and y by the number of points.
    let left = SIMD2(Self.double(self.left.x), Self.double(self.left.y)) / leftCount
    let right = SIMD2(Self.double(all.x &- self.left.x), Self.double(all.y &- self.left.y)) / rightCount
    if left == right { return nil }
    let (between, sum) = (right - left, left + right)
    let axis = PrincipalAxis(along: between.x, between.y)
    let product = Double(axis.x) * sum.x + Double(axis.y) * sum.y
    return SplitLine(corner: corner, axis: axis, threshold: Int64(floor: product / 2))
  }
}

extension Int64 {
  /// Rounds down without calling the C library. On machines that have no instruction for rounding, `rounded(.down)`
  /// would call the C library.
  @inline(__always) init(floor value: Double) {
    let whole = Int64(value)
    self = Double(whole) > value ? whole &- 1 : whole
  }
}

extension Int128 {
  @inline(__always) fileprivate init(_ product: (high: UInt64, low: UInt64)) {
    self = Int128(product.high) << 64 | Int128(product.low)
  }
}

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
  let monitor: BuildMonitor

  /// A step goes on if it puts a 2048th more between the halves: so there are few, O(log count) whatever the points.
  private static let leastGrowth = 1 + 0x1p-11

  func split<Sum>(
    _ points: PointGroup<Sum>, in arrays: PointArrays, across axis: PrincipalAxis, threads: Int
  ) -> Split {
    let corner = points.corner
    let members = UnsafeBufferPointer(start: arrays.points + points.first, count: points.count)
    var halves = Halves(of: points.moments)
    let best = SplitPositionSearch.bestPosition(
      between: members.baseAddress!, of: points.moments, halves, DotProducts(corner: corner, axis: axis),
      linkingIn: arrays.spareRows + points.first, threads: threads, monitor)
    var split = Split(corner: corner, axis: axis, threshold: best.threshold)
    if members.count == 2 || monitor.isCancelled { return split }
    halves.left = best.left
    var between = best.between
    while let next = halves.bisector(from: corner) {
      let left = leftSums(of: members, by: next, threads: threads)
      if left == halves.left { break }
      halves.left = left
      let nextBetween = halves.scatterBetween
      if nextBetween <= between * Self.leastGrowth || monitor.isCancelled { break }
      (split, between) = (next, nextBetween)
    }
    return split
  }

  private func leftSums(of points: UnsafeBufferPointer<PlanePoint>, by split: Split, threads: Int) -> Halves.Sums {
    if threads == 1 && points.count <= BuildMonitor.blockSize {
      return Self.leftSums(of: points.baseAddress!, count: points.count, by: split)
    }
    nonisolated(unsafe) let start = points.baseAddress!
    return inChunks(of: points.count, threads: threads) { chunk in
      var left = Halves.Sums()
      monitor.pass(over: chunk) { block in
        left = left + Self.leftSums(of: start + block.lowerBound, count: block.count, by: split)
      }
      return left
    }.reduce(Halves.Sums(), +)
  }

  /// Written so that the compiler vectorizes the loop, which takes a third of the time: a point is read as one number,
  /// x its lower half; factors have 32 bits and no sign; whatever the side, sums are added to, and there is no branch.
  ///
  /// Coordinates are measured from the plane's corner; along a negative component of the axis, from the opposite one.
  @inline(never) private static func leftSums(
    of points: UnsafePointer<PlanePoint>, count: Int, by split: Split
  ) -> Halves.Sums {
    let (x, y) = (MirroredAxis(split.axis.x, split.corner.x), MirroredAxis(split.axis.y, split.corner.y))
    let end = UInt64(bitPattern: split.threshold) &+ x.productOfCorner &+ y.productOfCorner &+ 1
    let mirror = x.mirror | y.mirror &<< 32
    var (leftCount, sumX, sumY) = (UInt64(0), UInt64(0), UInt64(0))
    let numbers = UnsafeRawPointer(points)
    for index in 0..<count {
      let number =
        numbers.loadUnaligned(fromByteOffset: index &* MemoryLayout<PlanePoint>.stride, as: UInt64.self) ^ mirror
      let (pointX, pointY) = (number & 0xFFFF_FFFF, number &>> 32)
      let product = pointX &* UInt64(x.component) &+ pointY &* UInt64(y.component)
      // Products have 62 bits and a sign, so no difference overflows.
      let isLeft = (product &- end) &>> 63
      leftCount &+= isLeft
      sumX &+= pointX & (0 &- isLeft)
      sumY &+= pointY & (0 &- isLeft)
    }
    return Halves.Sums(count: leftCount, x: x.distances(sumX, leftCount), y: y.distances(sumY, leftCount))
  }
}

/// One component of an axis, made positive by measuring the coordinate from the plane's other end where need be.
private struct MirroredAxis {
  /// All ones where coordinates are mirrored, zero elsewhere.
  let mirror: UInt64
  let component: UInt32
  private let corner: UInt64

  @inline(__always) init(_ component: Int64, _ corner: UInt32) {
    mirror = component < 0 ? 0xFFFF_FFFF : 0
    self.component = UInt32(truncatingIfNeeded: component.magnitude)
    self.corner = UInt64(corner) ^ mirror
  }

  @inline(__always) var productOfCorner: UInt64 { UInt64(component) &* corner }

  /// The sum of distances from the corner, of the sum of some mirrored coordinates.
  @inline(__always) func distances(_ sum: UInt64, _ count: UInt64) -> UInt64 {
    let distances = sum &- count &* corner
    return mirror == 0 ? distances : 0 &- distances
  }
}

/// The sums over some points and over those of them in the left half.
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

  /// Whether what is multiplied is so small that doubles hold the products.
  private let isSmall: Bool

  init<Sum>(of moments: Moments<Sum>) {
    all = Sums(count: moments.count, x: moments.x, y: moments.y)
    let (most, overflows) = all.count.multipliedReportingOverflow(by: max(all.x, all.y))
    isSmall = !overflows && most < 1 << 53
  }

  /// What lies between the halves of the scatter, times the count; 0 where one of them is empty.
  var scatterBetween: Double {
    if left.count == 0 || left.count == all.count { return 0 }
    return squaredDifference(left) / productOfCounts(left.count)
  }

  @inline(__always) func productOfCounts(_ leftCount: UInt64) -> Double {
    Self.double(leftCount) * Self.double(all.count &- leftCount)
  }

  /// Sums are below 2^63, and signed numbers are converted by one instruction.
  @inline(__always) private static func double(_ sum: UInt64) -> Double { Double(Int64(bitPattern: sum)) }

  /// |n Sₗ - nₗ S|², n times nₗ times what their mean lies away from that of all.
  @inline(__always) func squaredDifference(_ left: Sums) -> Double {
    let (dx, dy) = difference(left)
    return dx * dx + dy * dy
  }

  /// n Sₗ - nₗ S.
  @inline(__always) func difference(_ left: Sums) -> (x: Double, y: Double) {
    isSmall
      ? (smallDifference(left.count, left.x, all.x), smallDifference(left.count, left.y, all.y))
      : (difference(left.count, left.x, all.x), difference(left.count, left.y, all.y))
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
  @inline(__always) func bisector(from corner: PlanePoint) -> Split? {
    let (leftCount, rightCount) = (Self.double(self.left.count), Self.double(all.count &- self.left.count))
    // Both components by one instruction.
    let left = SIMD2(Self.double(self.left.x), Self.double(self.left.y)) / leftCount
    let right = SIMD2(Self.double(all.x &- self.left.x), Self.double(all.y &- self.left.y)) / rightCount
    if left == right { return nil }
    let (between, sum) = (right - left, left + right)
    let axis = PrincipalAxis(along: between.x, between.y)
    let product = Double(axis.x) * sum.x + Double(axis.y) * sum.y
    return Split(corner: corner, axis: axis, threshold: Int64(floor: product / 2))
  }
}

extension Int64 {
  /// Without a call of the C library, which rounds where the machine has no instruction for it.
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

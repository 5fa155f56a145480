import Treeline

/// Splits points at their weighted mean, for `SplitRule.gamma`. The weight of a point depends on its distance to the
/// plain mean.
///
/// Consider the dot products of the points with the axis. No weight is 0, so the least dot product is at most the
/// weighted mean of all dot products, and the greatest dot product is above this mean. Therefore both sides of the
/// split have points. Weights are integers, so that sums do not depend on the order of the points. Each weight is
/// computed separately from exact integers. Each step is an operation that IEEE 754 defines to the last bit. A product
/// and a sum are fused into one operation only where the code says so.
struct WeightedMeanSplit: SplitAlgorithm {
  let weight: DistanceWeight
  let monitor: BuildMonitor

  func split<Sum>(
    _ points: NodePoints<Sum>, in arrays: PointArrays, across axis: PrincipalAxis, threads: Int
  ) -> SplitLine {
    let deviation = Deviation(from: points)
    func parts<Result: Sendable>(_ work: @Sendable (Range<Int>) -> Result) -> [Result] {
      threads == 1
        ? [work(points.range)] : inChunks(of: points.count, threads: threads) { work(points.range.chunk($0)) }
    }
    let scale = 1 / parts { greatestSquare(of: $0, in: arrays, deviation) }.max()!
    let sums = parts { self.sums(over: $0, in: arrays, from: points.corner, deviation, scale) }.reduce(
      WeightedSums(), +)
    return SplitLine(corner: points.corner, axis: axis, threshold: sums.meanProduct(with: axis))
  }

  @inline(__always) private func greatestSquare(of range: Range<Int>, in arrays: PointArrays, _ deviation: Deviation)
    -> Double
  {
    var most = 0.0
    monitor.passOverSome(range) { block in
      for index in block { most = max(most, deviation.square(of: arrays.points[index])) }
    }
    return most
  }

  @inline(__always) private func sums(
    over range: Range<Int>, in arrays: PointArrays, from corner: PlanePoint, _ deviation: Deviation, _ scale: Double
  ) -> WeightedSums {
    var sums = WeightedSums()
    monitor.passOverSome(range) { block in
      for index in block {
        let weight = weight.of(deviation.square(of: arrays.points[index]) * scale)
        sums.add(arrays.points[index], from: corner, weight: weight)
      }
    }
    return sums
  }
}

/// The squared distances of points to their mean, multiplied by the square of the number of points.
private struct Deviation: Sendable {
  private let corner: PlanePoint
  private let count: UInt64
  private let x: UInt64
  private let y: UInt64

  @inline(__always) init<Sum>(from points: NodePoints<Sum>) {
    corner = points.corner
    (count, x, y) = (points.moments.count, points.moments.x, points.moments.y)
  }

  /// Returns the squared distance of a point to the mean, multiplied by the square of the number of points. Before
  /// squaring, the x and y components are exact integers with magnitudes below 2^63.
  @inline(__always) func square(of point: PlanePoint) -> Double {
    let dx = Double(Int64(bitPattern: count &* UInt64(point.x &- corner.x) &- x))
    let dy = Double(Int64(bitPattern: count &* UInt64(point.y &- corner.y) &- y))
    return dx * dx + dy * dy
  }
}

/// The weight of a point. It is proportional to (d / D)^(gamma - 1). Here d is the distance of the point to the mean,
/// and D is the distance of the farthest point to the mean.
struct DistanceWeight: Sendable {
  /// The weight is proportional to a power of the squared distance. This property is the absolute value of the
  /// exponent, in sixteenths. The exponent is negative if `isInverse` is true.
  private let exponent: Int
  private let isInverse: Bool
  private let scale: Double

  /// The value of gamma, in eighths, at which all points have equal weights. Their weighted mean is then the plain
  /// mean.
  static let evenEighths: UInt32 = 8

  /// The greatest weight. The least weight is 1.
  private static let most = 0x1p30

  init(gammaInEighths: UInt32) {
    let excess = Int(gammaInEighths) - Int(Self.evenEighths)
    (exponent, isInverse) = (abs(excess), excess < 0)
    // If weights grow with the distance, the farthest point has the greatest weight. If weights fall with the distance,
    // the farthest point has the geometric mean of the least and the greatest weight.
    scale = isInverse ? 0x1p15 : Self.most
  }

  /// - Parameter square: The squared distance to the mean, divided by the squared distance of the farthest point. The
  ///   quotient is between 0 and 1, apart from rounding errors.
  @inline(__always) func of(_ square: Double) -> UInt64 {
    var power = exponent & 16 != 0 ? square : 1
    var root = square
    var (bit, rest) = (8, exponent & 15)
    while rest != 0 {
      root = root.squareRoot()
      if rest & bit != 0 { power *= root }
      rest &= bit &- 1
      bit &>>= 1
    }
    // For a point at the mean, the quotient `scale / power` is infinite. The weight is then limited to `most`, like all
    // large weights.
    let weight = isInverse ? scale / power : scale * power
    return UInt64(max(1, min(weight, Self.most)))
  }
}

private struct WeightedSums: Sendable {
  private var weight: UInt128 = 0
  private var x: UInt128 = 0
  private var y: UInt128 = 0

  /// Adds a point. For 2^31 points of weight 2^30 on a plane of 2^32 units, the sums need 93 bits.
  @inline(__always) mutating func add(_ point: PlanePoint, from corner: PlanePoint, weight: UInt64) {
    self.weight &+= UInt128(weight)
    x &+= UInt128(weight &* UInt64(point.x &- corner.x))
    y &+= UInt128(weight &* UInt64(point.y &- corner.y))
  }

  static func + (a: WeightedSums, b: WeightedSums) -> WeightedSums {
    var sums = a
    sums.weight &+= b.weight
    sums.x &+= b.x
    sums.y &+= b.y
    return sums
  }

  /// Returns the dot product of an axis and the weighted mean of the added points. The product is rounded down.
  func meanProduct(with axis: PrincipalAxis) -> Int64 {
    let sum = Int128(axis.x) * Int128(x) + Int128(axis.y) * Int128(y)
    let (quotient, remainder) = sum.quotientAndRemainder(dividingBy: Int128(weight))
    return Int64(quotient) - (remainder < 0 ? 1 : 0)
  }
}

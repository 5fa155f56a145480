import Treeline

/// Facts about a node that are computed from its points alone, in integers.
struct NodeFacts {
  let points: PointBlocks
  let box: PlaneRect
  /// The sums of the coordinates, measured from the corner of the box.
  let sums: NodeSums
  /// The covariance matrix, in squared units of the plane.
  let spread: NodeSpread
  /// The unit vector of the principal axis, with the same orientation as the builder's axis.
  ///
  /// Each component of the vector is correct except for rounding. This holds even for points on a circle, whose two
  /// eigenvalues may differ by only one part in 10^15.
  let principalAxis: (x: Double, y: Double)
  let mean: (x: Double, y: Double)

  /// - Parameter shorterWayAround: Whether the box may cross the seam, where the plane begins and ends. If true, the
  ///   box across the seam is used whenever it is less than half a world wide.
  /// - Precondition: There is at least one point.
  init(of points: PointBlocks, shorterWayAround: Bool = false) {
    let box = shorterWayAround ? PlaneRect(shorterWayAround: points.points) : points.box
    var sums = NodeSums(x: 0, y: 0)
    var (sumXX, sumXY, sumYY) = (0 as UInt128, 0 as UInt128, 0 as UInt128)
    points.forEach { point in
      let (dx, dy) = (UInt64(point.x &- box.minX), UInt64(point.y - box.minY))
      sums.x &+= dx
      sums.y &+= dy
      sumXX &+= UInt128(dx &* dx)
      sumXY &+= UInt128(dx &* dy)
      sumYY &+= UInt128(dy &* dy)
    }
    // The covariance, multiplied by the square of the number of points. For 2^31 points, it is at most 2^126.
    let count = Int128(points.count)
    let (x, y) = (Int128(sums.x), Int128(sums.y))
    let xx = count &* Int128(truncatingIfNeeded: sumXX) &- x &* x
    let xy = count &* Int128(truncatingIfNeeded: sumXY) &- x &* y
    let yy = count &* Int128(truncatingIfNeeded: sumYY) &- y &* y
    let square = Double(points.count) * Double(points.count)
    (self.points, self.box, self.sums) = (points, box, sums)
    spread = NodeSpread(
      xx: Float(xx.rounded / square), xy: Float(xy.rounded / square), yy: Float(yy.rounded / square))
    principalAxis = Self.axis(difference: xx &- yy, double: xy << 1, box)
    mean = (Double(sums.x) / Double(points.count), Double(sums.y) / Double(points.count))
  }

  /// Returns the principal axis: a unit vector at half the angle of the vector (`difference`, `double`). The longer
  /// component of the axis is positive. If `difference` and `double` are 0, both eigenvalues of the covariance are
  /// equal. In this case, the axis is parallel to the longer side of the box, or to x if the sides are equal.
  private static func axis(difference: Int128, double: Int128, _ box: PlaneRect) -> (x: Double, y: Double) {
    if difference == 0 && double == 0 { return box.width >= box.height ? (1, 0) : (0, 1) }
    let (a, b) = (difference.rounded, double.rounded)
    // The longer component is computed from a sum of numbers that are not negative, so no digits cancel. The product
    // of both components is `b / (2 * radius)`. The shorter component is this product, divided by the longer
    // component.
    let radius = squaredLength(a, b).squareRoot()
    let longer = ((1 + abs(a) / radius) / 2).squareRoot()
    let shorter = b / (2 * radius * longer)
    return a >= 0 ? (longer, shorter) : (shorter, longer)
  }

  /// Returns whether a given covariance equals this covariance in every bit. The format defines how each step rounds,
  /// so the bits can be compared.
  func agrees(with spread: NodeSpread) -> Bool {
    zip(self.spread.entries, spread.entries).allSatisfy { $0.bitPattern == $1.bitPattern }
  }

  /// Returns the distance from the mean to a point, in plane units, measured along the principal axis.
  func product(_ point: PlanePoint) -> Double {
    principalAxis.x * (Double(point.x - box.minX) - mean.x) + principalAxis.y * (Double(point.y - box.minY) - mean.y)
  }

  /// The greatest possible error of `product`. The error is not 0, because the components of the builder's axis are
  /// rounded to integers of 29 bits.
  var tolerance: Double { 0x1p-27 * Double(max(box.width, box.height)) + 1e-3 }
}

extension PointBlocks {
  /// The smallest box around the points.
  ///
  /// - Precondition: There is at least one point.
  var box: PlaneRect {
    var box = PlaneRect(points[0])
    forEach { box.formUnion($0) }
    return box
  }
}

extension NodeSpread { fileprivate var entries: [Float] { [xx, xy, yy] } }

extension Int128 {
  /// The value as a double. The value may be rounded twice, so the result need not be the nearest double. This
  /// computation is far faster than the generic conversion of the standard library.
  var rounded: Double {
    let (high, low) = (UInt64(truncatingIfNeeded: magnitude >> 64), UInt64(truncatingIfNeeded: magnitude))
    let value = Double(high) * 0x1p64 + Double(low)
    return self < 0 ? -value : value
  }
}

// The following methods compute where a node must be split along its principal axis (see `SplitRule`). They use only
// the node's points. The builder rounds differently, so the position of a split is known only to within `tolerance`.

// MARK: - Gamma

extension NodeFacts {
  /// Returns the distance along the axis from the unweighted mean to the weighted mean, in plane units.
  func weightedMean(gammaInEighths: UInt32) -> Double {
    var greatest = 0.0
    points.forEach { greatest = max(greatest, squaredDistance(of: $0)) }
    let scale = 1 / greatest
    var (sum, weights) = (0.0, 0.0)
    points.forEach { point in
      let weight = Self.weight(squaredDistance(of: point) * scale, gammaInEighths: gammaInEighths)
      sum += weight * product(point)
      weights += weight
    }
    return sum / weights
  }

  /// Multiplies a point's distance to the mean by the number of points, and returns the square of this product.
  private func squaredDistance(of point: PlanePoint) -> Double {
    let count = Int64(points.count)
    return squaredLength(
      Double(count * Int64(point.x - box.minX) - Int64(sums.x)),
      Double(count * Int64(point.y - box.minY) - Int64(sums.y)))
  }

  /// Returns the weight of a point, which is a whole number from 1 to 2^30. `square` is the squared distance to the
  /// mean, divided by the greatest squared distance.
  private static func weight(_ square: Double, gammaInEighths: UInt32) -> Double {
    let exponent = Int(gammaInEighths) - 8
    var power = abs(exponent) & 16 == 0 ? 1 : square
    var root = square
    for bit in [8, 4, 2, 1] {
      root = root.squareRoot()
      if abs(exponent) & bit != 0 { power *= root }
    }
    let weight = exponent < 0 ? 0x1p15 / power : 0x1p30 * power
    return max(1, min(weight, 0x1p30)).rounded(.down)
  }
}

// MARK: - Least scatter

extension NodeFacts {
  /// Returns the scatter between two parts, multiplied by the number of all points. One part has the first `leftCount`
  /// points, and the other part has the remaining points. The scatter of some points is the sum of their squared
  /// distances from their mean. The scatter between two parts is the scatter of all points, minus the sum of the
  /// scatters of the two parts.
  func scatterBetween(_ leftCount: Int) -> Double { scatterBetween(leftCount, sums(of: points[0..<leftCount])) }

  /// If each point were moved to the part whose mean is nearer, the scatter between the two parts would grow. Returns
  /// a lower bound of this growth. The parts are the first `leftCount` points and the remaining points. As in
  /// `scatterBetween`, the scatter is multiplied by the number of all points. Ignores a point if rounding makes it
  /// uncertain which mean is nearer.
  func scatterToGain(_ leftCount: Int) -> Double {
    let parts = (points[0..<leftCount], points[leftCount..<points.count])
    let (left, right) = (mean(of: parts.0), mean(of: parts.1))
    let uncertainty = 2 * tolerance * squaredLength(right.x - left.x, right.y - left.y).squareRoot()
    var sum = 0.0
    for (part, own, other) in [(parts.0, left, right), (parts.1, right, left)] {
      part.forEach { point in
        let gain = squaredDistance(point, own) - squaredDistance(point, other)
        if gain > uncertainty { sum += gain }
      }
    }
    return sum * Double(points.count)
  }

  /// Returns the mean of some points, measured from the corner of the box.
  private func mean(of points: PointBlocks) -> (x: Double, y: Double) {
    let sums = sums(of: points)
    return (Double(sums.x) / Double(points.count), Double(sums.y) / Double(points.count))
  }

  private func sums(of points: PointBlocks) -> NodeSums {
    var sums = NodeSums(x: 0, y: 0)
    points.forEach { add($0, to: &sums) }
    return sums
  }

  private func squaredDistance(_ point: PlanePoint, _ mean: (x: Double, y: Double)) -> Double {
    squaredLength(Double(point.x - box.minX) - mean.x, Double(point.y - box.minY) - mean.y)
  }

  /// Adds a point to sums. Sums of 2^31 points on a plane of 2^32 units do not overflow.
  @inline(__always) func add(_ point: PlanePoint, to sums: inout NodeSums) {
    sums.x &+= UInt64(point.x &- box.minX)
    sums.y &+= UInt64(point.y &- box.minY)
  }

  func scatterBetween(_ leftCount: Int, _ left: NodeSums) -> Double {
    let offset = offset(leftCount, left)
    return squaredLength(offset.x, offset.y) / (Double(leftCount) * Double(points.count - leftCount))
  }

  /// Computes the sum of the first `leftCount` points, and subtracts `leftCount` times the mean of all points. Returns
  /// this difference, multiplied by the number of all points.
  func offset(_ leftCount: Int, _ left: NodeSums) -> (x: Double, y: Double) {
    let (count, part) = (Int128(points.count), Int128(leftCount))
    return (
      (count &* Int128(left.x) &- part &* Int128(sums.x)).rounded,
      (count &* Int128(left.y) &- part &* Int128(sums.y)).rounded
    )
  }
}

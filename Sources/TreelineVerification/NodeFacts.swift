import Treeline

/// What the points of a node say about it, computed from them alone, in integers.
struct NodeFacts {
  let points: PointBlocks
  let box: PlaneRect
  /// From the corner of the box.
  let sums: NodeSums
  /// The covariance matrix in plane units squared.
  let spread: NodeSpread
  /// The unit vector of the principal axis, pointing as the builder's does.
  ///
  /// Exact but for the rounding of its components, even if two eigenvalues differ by one in 10^15, as a circle's may.
  let principalAxis: (x: Double, y: Double)
  let mean: (x: Double, y: Double)

  /// - Parameter shorterWayAround: whether the points are laid across the seam where that makes them narrower than
  ///   half the world.
  /// - Precondition: there are points.
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
    // The covariance times the square of the count: at most 2^126 for 2^31 points.
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

  /// At half the angle of the vector (`difference`, `double`); its longer component is positive. Of equal eigenvalues
  /// the longer side of the box decides, of equal sides x.
  private static func axis(difference: Int128, double: Int128, _ box: PlaneRect) -> (x: Double, y: Double) {
    if difference == 0 && double == 0 { return box.width >= box.height ? (1, 0) : (0, 1) }
    let (a, b) = (difference.rounded, double.rounded)
    // The longer component from the sum, which loses no digits; the shorter from their product, which is b / 2r.
    let radius = squaredLength(a, b).squareRoot()
    let longer = ((1 + abs(a) / radius) / 2).squareRoot()
    let shorter = b / (2 * radius * longer)
    return a >= 0 ? (longer, shorter) : (shorter, longer)
  }

  /// To the last bit: the format says how each step rounds.
  func agrees(with spread: NodeSpread) -> Bool {
    zip(self.spread.entries, spread.entries).allSatisfy { $0.bitPattern == $1.bitPattern }
  }

  /// How far a point lies along the principal axis from the mean, in plane units.
  func product(_ point: PlanePoint) -> Double {
    principalAxis.x * (Double(point.x - box.minX) - mean.x) + principalAxis.y * (Double(point.y - box.minY) - mean.y)
  }

  /// How far products may be off: the builder's axis is one of integers of 29 bits.
  var tolerance: Double { 0x1p-27 * Double(max(box.width, box.height)) + 1e-3 }
}

extension PointBlocks {
  /// The smallest box around the points.
  ///
  /// - Precondition: There are points.
  var box: PlaneRect {
    var box = PlaneRect(points[0])
    forEach { box.formUnion($0) }
    return box
  }
}

extension NodeSpread { fileprivate var entries: [Float] { [xx, xy, yy] } }

extension Int128 {
  /// The nearest double but for one more rounding; far faster than the standard library's generic conversion.
  var rounded: Double {
    let (high, low) = (UInt64(truncatingIfNeeded: magnitude >> 64), UInt64(truncatingIfNeeded: magnitude))
    let value = Double(high) * 0x1p64 + Double(low)
    return self < 0 ? -value : value
  }
}

// Where a node is to be split along its principal axis, computed from its points alone: see `SplitRule`. Rounding
// differs from the builder's, so a split is known to within `tolerance`.

// MARK: - Gamma

extension NodeFacts {
  /// How far along the axis from the mean the weighted mean lies, in plane units.
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

  /// The distance to the mean times the count.
  private func squaredDistance(of point: PlanePoint) -> Double {
    let count = Int64(points.count)
    return squaredLength(
      Double(count * Int64(point.x - box.minX) - Int64(sums.x)),
      Double(count * Int64(point.y - box.minY) - Int64(sums.y)))
  }

  /// A whole number from 1 to 2^30.
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
  /// The scatter between the first `leftCount` points and the others: all of it but that within the two, times the
  /// count.
  func scatterBetween(_ leftCount: Int) -> Double { scatterBetween(leftCount, sums(of: points[0..<leftCount])) }

  /// How much more of it there would be, at least, if each point that is certain to be nearer to the other part's mean
  /// went there.
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

  /// From the corner of the box.
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

  /// 2^31 points times 2^32 units fit.
  @inline(__always) func add(_ point: PlanePoint, to sums: inout NodeSums) {
    sums.x &+= UInt64(point.x &- box.minX)
    sums.y &+= UInt64(point.y &- box.minY)
  }

  func scatterBetween(_ leftCount: Int, _ left: NodeSums) -> Double {
    let offset = offset(leftCount, left)
    return squaredLength(offset.x, offset.y) / (Double(leftCount) * Double(points.count - leftCount))
  }

  /// How far the sums of the first `leftCount` points are from what the mean of all would make them, times the count.
  func offset(_ leftCount: Int, _ left: NodeSums) -> (x: Double, y: Double) {
    let (count, part) = (Int128(points.count), Int128(leftCount))
    return (
      (count &* Int128(left.x) &- part &* Int128(sums.x)).rounded,
      (count &* Int128(left.y) &- part &* Int128(sums.y)).rounded
    )
  }
}

import Treeline

/// What the points of a node say about it, computed from them alone, in integers.
struct NodeFacts {
  let points: UnsafeBufferPointer<PlanePoint>
  let box: PlaneRect
  /// From the corner of the box.
  let sums: NodeSums
  /// The covariance matrix in plane units squared.
  let spread: NodeSpread
  /// The unit vector of the principal axis, pointing as the builder's does.
  ///
  /// Exact but for the rounding of its components, even if two eigenvalues differ by one in 10^15, as a circle's may.
  let principalAxis: (x: Double, y: Double)
  private let mean: (x: Double, y: Double)

  /// - Precondition: there are points.
  init(of points: UnsafeBufferPointer<PlanePoint>) {
    let box = points.reduce(into: PlaneRect(points[0])) { $0.formUnion($1) }
    var sums = NodeSums(x: 0, y: 0)
    var (sumXX, sumXY, sumYY) = (0 as UInt128, 0 as UInt128, 0 as UInt128)
    for point in points {
      let (dx, dy) = (UInt64(point.x - box.minX), UInt64(point.y - box.minY))
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

extension NodeSpread { fileprivate var entries: [Float] { [xx, xy, yy] } }

extension Int128 {
  /// The nearest double but for one more rounding; far faster than the standard library's generic conversion.
  var rounded: Double {
    let (high, low) = (UInt64(truncatingIfNeeded: magnitude >> 64), UInt64(truncatingIfNeeded: magnitude))
    let value = Double(high) * 0x1p64 + Double(low)
    return self < 0 ? -value : value
  }
}

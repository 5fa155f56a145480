/// What is true of some points, computed from them alone.
struct NodeFacts {
  let box: PlaneRect
  /// From the corner of the box.
  let sums: NodeSums
  let xx: Double
  let xy: Double
  let yy: Double
  private let meanX: Double
  private let meanY: Double

  /// - Precondition: there are points.
  init(of points: UnsafeBufferPointer<PlanePoint>) {
    var box = PlaneRect(points[0])
    for point in points { box.formUnion(point) }
    var sums = NodeSums(x: 0, y: 0)
    for point in points {
      sums.x &+= UInt64(point.x - box.minX)
      sums.y &+= UInt64(point.y - box.minY)
    }
    let count = Double(points.count)
    let (meanX, meanY) = (Double(sums.x) / count, Double(sums.y) / count)
    var (xx, xy, yy) = (0.0, 0.0, 0.0)
    for point in points {
      let (dx, dy) = (Double(point.x - box.minX) - meanX, Double(point.y - box.minY) - meanY)
      xx += dx * dx
      xy += dx * dy
      yy += dy * dy
    }
    self.box = box
    self.sums = sums
    (self.xx, self.xy, self.yy) = (xx / count, xy / count, yy / count)
    (self.meanX, self.meanY) = (meanX, meanY)
  }

  /// Within the rounding of single precision.
  func agrees(with spread: NodeSpread) -> Bool {
    let allowance = (xx + yy) * 1e-6
    return abs(Double(spread.xx) - xx) <= allowance && abs(Double(spread.xy) - xy) <= allowance
      && abs(Double(spread.yy) - yy) <= allowance
  }

  /// The unit vector of the principal axis in the sense in which the builder takes it; nil where the eigenvalues are so
  /// close that doubles do not tell the axis.
  var principalAxis: (x: Double, y: Double)? {
    let (difference, double) = (xx - yy, 2 * xy)
    let radius = (difference * difference + double * double).squareRoot()
    guard radius > 1e-5 * (xx + yy) else { return nil }
    let cosine = difference / radius
    let x = ((1 + cosine) / 2).squareRoot()
    let y = ((1 - cosine) / 2).squareRoot()
    // The longer component is positive.
    if difference >= 0 { return (x, double < 0 ? -y : y) }
    return (double < 0 ? -x : x, y)
  }

  /// How far a point lies along an axis from the mean, in plane units.
  func product(_ point: PlanePoint, _ axis: (x: Double, y: Double)) -> Double {
    axis.x * (Double(point.x - box.minX) - meanX) + axis.y * (Double(point.y - box.minY) - meanY)
  }

  var tolerance: Double { 1e-6 * Double(max(box.width, box.height)) + 1e-3 }
}

import Treeline

/// Where some points are to be split along their principal axis, computed from them alone: see `SplitRule`.
///
/// What is rounded is rounded otherwise than by the builder, so a split is known but for `NodeFacts.tolerance`.
struct SplitFacts {
  private let points: UnsafeBufferPointer<PlanePoint>
  private let facts: NodeFacts

  init(of points: UnsafeBufferPointer<PlanePoint>, _ facts: NodeFacts) { (self.points, self.facts) = (points, facts) }
}

// MARK: - Gamma

extension SplitFacts {
  /// How far along the axis from the mean the weighted mean lies, in plane units.
  func weightedMean(gammaInEighths: UInt32) -> Double {
    let squares = points.map(squaredDistance)
    let scale = 1 / squares.max()!
    var (sum, weights) = (0.0, 0.0)
    for (point, square) in zip(points, squares) {
      let weight = Self.weight(square * scale, gammaInEighths: gammaInEighths)
      sum += weight * facts.product(point, facts.principalAxis)
      weights += weight
    }
    return sum / weights
  }

  /// To the mean, times the count.
  private func squaredDistance(of point: PlanePoint) -> Double {
    let count = Int64(points.count)
    let dx = Double(count * Int64(point.x - facts.box.minX) - Int64(facts.sums.x))
    let dy = Double(count * Int64(point.y - facts.box.minY) - Int64(facts.sums.y))
    return dx * dx + dy * dy
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

extension SplitFacts {
  /// The scatter between two parts of the points, the left one having so many: what is not left within them, times the
  /// count.
  func scatterBetween(_ leftCount: Int) -> Double {
    var left = (x: 0 as Int128, y: 0 as Int128)
    for point in points[..<leftCount] { add(point, to: &left) }
    return scatterBetween(leftCount, left)
  }

  /// The most of it that any split across the axis would have, of those that are certain to be possible: the points on
  /// either side lie so far apart that it is known which is which.
  func mostScatterBetween() -> Double {
    let sorted = points.map { (product: facts.product($0, facts.principalAxis), point: $0) }.sorted {
      $0.product < $1.product
    }
    var left = (x: 0 as Int128, y: 0 as Int128)
    var most = 0.0
    for (index, next) in sorted.indices.dropFirst().enumerated() {
      add(sorted[index].point, to: &left)
      guard sorted[next].product - sorted[index].product > 2 * facts.tolerance else { continue }
      most = max(most, scatterBetween(next, left))
    }
    return most
  }

  /// How much more of it there would be, at least, if each point that is certain to be nearer to the mean of the other
  /// part went there.
  func scatterToGain(_ leftCount: Int) -> Double {
    let (left, right) = (mean(of: points[..<leftCount]), mean(of: points[leftCount...]))
    let (dx, dy) = (right.x - left.x, right.y - left.y)
    let uncertainty = 2 * facts.tolerance * (dx * dx + dy * dy).squareRoot()
    var sum = 0.0
    for (index, point) in points.enumerated() {
      let nearer = squaredDistance(point, left) - squaredDistance(point, right)
      let gain = index < leftCount ? nearer : -nearer
      if gain > uncertainty { sum += gain }
    }
    return sum * Double(points.count)
  }

  /// From the corner of the box.
  private func mean(of points: Slice<UnsafeBufferPointer<PlanePoint>>) -> (x: Double, y: Double) {
    var sums = (x: 0 as Int128, y: 0 as Int128)
    for point in points { add(point, to: &sums) }
    return (sums.x.rounded / Double(points.count), sums.y.rounded / Double(points.count))
  }

  private func squaredDistance(_ point: PlanePoint, _ mean: (x: Double, y: Double)) -> Double {
    let (dx, dy) = (Double(point.x - facts.box.minX) - mean.x, Double(point.y - facts.box.minY) - mean.y)
    return dx * dx + dy * dy
  }

  private func add(_ point: PlanePoint, to sums: inout (x: Int128, y: Int128)) {
    sums.x += Int128(point.x - facts.box.minX)
    sums.y += Int128(point.y - facts.box.minY)
  }

  private func scatterBetween(_ leftCount: Int, _ left: (x: Int128, y: Int128)) -> Double {
    let (count, part) = (Int128(points.count), Int128(leftCount))
    let dx = (count * left.x - part * Int128(facts.sums.x)).rounded
    let dy = (count * left.y - part * Int128(facts.sums.y)).rounded
    return (dx * dx + dy * dy) / (Double(leftCount) * Double(points.count - leftCount))
  }
}

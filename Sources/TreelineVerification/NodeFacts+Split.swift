import Treeline

// Where a node is to be split along its principal axis, computed from its points alone: see `SplitRule`. Rounding
// differs from the builder's, so a split is known to within `tolerance`.

// MARK: - Gamma

extension NodeFacts {
  /// How far along the axis from the mean the weighted mean lies, in plane units.
  func weightedMean(gammaInEighths: UInt32) -> Double {
    let squares = points.map(squaredDistance)
    let scale = 1 / squares.max()!
    var (sum, weights) = (0.0, 0.0)
    for (point, square) in zip(points, squares) {
      let weight = Self.weight(square * scale, gammaInEighths: gammaInEighths)
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
  func scatterBetween(_ leftCount: Int) -> Double { scatterBetween(leftCount, sums(of: points[..<leftCount])) }

  /// The most of it that a split across the axis could have, among splits that rounding leaves no doubt about.
  func mostScatterBetween() -> Double {
    let sorted = points.map { (product: product($0), point: $0) }.sorted { $0.product < $1.product }
    var left = (x: 0 as Int128, y: 0 as Int128)
    var most = 0.0
    for (index, next) in sorted.indices.dropFirst().enumerated() {
      add(sorted[index].point, to: &left)
      if sorted[next].product - sorted[index].product > 2 * tolerance { most = max(most, scatterBetween(next, left)) }
    }
    return most
  }

  /// How much more of it there would be, at least, if each point that is certain to be nearer to the other part's mean
  /// went there.
  func scatterToGain(_ leftCount: Int) -> Double {
    let (left, right) = (mean(of: points[..<leftCount]), mean(of: points[leftCount...]))
    let uncertainty = 2 * tolerance * squaredLength(right.x - left.x, right.y - left.y).squareRoot()
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
    let sums = sums(of: points)
    return (sums.x.rounded / Double(points.count), sums.y.rounded / Double(points.count))
  }

  private func sums(of points: Slice<UnsafeBufferPointer<PlanePoint>>) -> (x: Int128, y: Int128) {
    points.reduce(into: (0, 0)) { add($1, to: &$0) }
  }

  private func squaredDistance(_ point: PlanePoint, _ mean: (x: Double, y: Double)) -> Double {
    squaredLength(Double(point.x - box.minX) - mean.x, Double(point.y - box.minY) - mean.y)
  }

  private func add(_ point: PlanePoint, to sums: inout (x: Int128, y: Int128)) {
    sums.x += Int128(point.x - box.minX)
    sums.y += Int128(point.y - box.minY)
  }

  private func scatterBetween(_ leftCount: Int, _ left: (x: Int128, y: Int128)) -> Double {
    let (count, part) = (Int128(points.count), Int128(leftCount))
    return squaredLength(
      (count * left.x - part * Int128(sums.x)).rounded, (count * left.y - part * Int128(sums.y)).rounded)
      / (Double(leftCount) * Double(points.count - leftCount))
  }
}

import Foundation
import Treeline

extension SplitRule {
  /// The discrimination power; nil if the rule gives all points equal weights.
  var power: Double? {
    guard description.hasPrefix("gamma:"), self != .gamma(1) else { return nil }
    return Double(description.dropFirst("gamma:".count))
  }
}

// MARK: - Gamma

extension PrincipalSplit {
  /// Returns the weighted mean of the members along the axis, multiplied by the number of members. The weight of a
  /// member is a power of its distance from the mean.
  func weightedMean(_ power: Double) -> Double {
    let distances = members.map { point in
      let (dx, dy) = deviation(of: point)
      return hypot(dx, dy)
    }
    let most = distances.max()!
    let scale: Double = power < 1 ? 0x1p15 : 0x1p30
    var (sum, weights) = (0.0, 0.0)
    for (point, distance) in zip(members, distances) {
      let weight = min(max(pow(distance / most, power - 1) * scale, 1), 0x1p30).rounded(.down)
      sum += weight * self.distance(of: point).along
      weights += weight
    }
    return sum / weights
  }

  /// Uncertainty of the weighted mean. If a weight is nearly a whole number, rounding by `pow` may make the weight one
  /// less.
  var uncertaintyOfWeights: Double {
    let reach = members.map { abs(distance(of: $0).along) }.max()!
    return reach * Double(members.count) * 0x1p-28
  }
}

// MARK: - Least scatter

extension PrincipalSplit {
  /// Tries every cut across the axis that is possible despite rounding. Then checks whether the result would be better
  /// if points moved to the part with the nearer mean.
  func faultsOfLeastScatter(left: Range<Int>) -> [String] {
    let sorted = members.indices.map { (index: $0, distance: distance(of: members[$0])) }.sorted {
      $0.distance.along < $1.distance.along
    }
    let found = scatterBetween(members[left], leftCount: left.count)
    var faults: [String] = []
    let gain = gainOfNearerMeans(left)
    if gain > found * 0x1p-10 {
      faults.append("the split would remove \(gain) more than \(found) if points moved to the nearer mean")
    }
    var sums: (x: Int128, y: Int128) = (0, 0)
    for (count, (one, next)) in zip(1..., zip(sorted, sorted.dropFirst())) {
      sums.x += Int128(members[one.index].x)
      sums.y += Int128(members[one.index].y)
      let apart = next.distance.along - one.distance.along
      guard apart > one.distance.uncertainty + next.distance.uncertainty else { continue }
      let between = scatterBetween(sums, leftCount: count)
      if between > found * (1 + 0x1p-46) {
        faults.append("a split after \(count) points removes \(between), a split after \(left.count) only \(found)")
      }
    }
    return faults
  }

  /// Returns how much the sum of squared distances would decrease if each point went to the part with the nearer mean,
  /// multiplied by the number of points. Leaves out decreases that are too small to be certain.
  private func gainOfNearerMeans(_ left: Range<Int>) -> Double {
    let (one, other) = (mean(of: members[left]), mean(of: members[left.upperBound...]))
    return members.indices.reduce(0) { sum, index in
      let (own, far) = left.contains(index) ? (one, other) : (other, one)
      let point = members[index]
      let (toOwn, toOther) = (
        hypot(Double(point.x) - own.x, Double(point.y) - own.y), hypot(Double(point.x) - far.x, Double(point.y) - far.y)
      )
      return sum + (toOwn > toOther + 64 ? (toOwn - toOther) * (toOwn + toOther) : 0)
    } * Double(members.count)
  }

  private func mean(of points: ArraySlice<PlanePoint>) -> (x: Double, y: Double) {
    let count = Double(points.count)
    return (Double(points.reduce(0) { $0 + Int($1.x) }) / count, Double(points.reduce(0) { $0 + Int($1.y) }) / count)
  }

  private func scatterBetween(_ left: ArraySlice<PlanePoint>, leftCount: Int) -> Double {
    var sums: (x: Int128, y: Int128) = (0, 0)
    for point in left { sums = (sums.x + Int128(point.x), sums.y + Int128(point.y)) }
    return scatterBetween(sums, leftCount: leftCount)
  }

  /// Returns nₗ nᵣ |mₗ - mᵣ|², multiplied by the total number of points. n are the counts and m the means of the two
  /// halves. This is the scatter that the split removes.
  private func scatterBetween(_ left: (x: Int128, y: Int128), leftCount: Int) -> Double {
    let (count, part) = (Int128(members.count), Int128(leftCount))
    let x = Double(count * left.x - part * Int128(sum.x))
    let y = Double(count * left.y - part * Int128(sum.y))
    return (x * x + y * y) / Double(part * (count - part))
  }
}

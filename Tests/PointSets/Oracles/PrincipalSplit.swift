import Foundation
import Treeline

/// The split of some points, computed independently of the engine: with the closed form of the angle and with exact
/// deviations.
///
/// Deviations from the mean are multiplied by the number of points, so that they are exact. The angle has the accuracy
/// of a double. The engine rounds its axis to 29 bits. So the side of a point is certain if the point is farther from
/// the line than this rounding. If the axis is known exactly, as for points on one meridian, all sides are certain. In
/// this case, points on the line are on the left.
public struct PrincipalSplit {
  /// The axis as a unit vector.
  public let x: Double
  public let y: Double
  /// Whether the axis is known exactly, because it is parallel to (1, 0), (0, 1), (1, 1) or (1, -1).
  public let isExact: Bool

  let members: ArraySlice<PlanePoint>
  let sum: (x: Int64, y: Int64)

  /// - Parameter members: At most 2^20 points, so that deviations are exact doubles.
  public init(of members: ArraySlice<PlanePoint>) {
    self.members = members
    var sum: (x: Int64, y: Int64) = (0, 0)
    for point in members { sum = (sum.x + Int64(point.x), sum.y + Int64(point.y)) }
    self.sum = sum
    var (xx, xy, yy): (Int128, Int128, Int128) = (0, 0, 0)
    var box = PlaneRect(members.first!)
    for point in members {
      let x = Int128(Int64(members.count) * Int64(point.x) - sum.x)
      let y = Int128(Int64(members.count) * Int64(point.y) - sum.y)
      (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y)
      box.formUnion(point)
    }
    if xy == 0 {
      // If the eigenvalues are equal, there is no principal axis. In this case, the axis is parallel to the longer side
      // of the box, or to x if both sides are equal.
      let isFlat = xx == yy ? box.width >= box.height : xx > yy
      (x, y, isExact) = (isFlat ? 1 : 0, isFlat ? 0 : 1, true)
    } else if xx == yy {
      (x, y, isExact) = (1, xy > 0 ? 1 : -1, true)
    } else {
      let angle = atan2(2 * Double(xy), Double(xx - yy)) / 2
      // The axis points in the positive direction of its longer component. The left half is the half at the start of
      // the axis.
      let sign: Double = xx < yy && angle < 0 ? -1 : 1
      (x, y, isExact) = (sign * cos(angle), sign * sin(angle), false)
    }
  }

  /// Returns the faults of a split; empty if the rule allows a split with the members of `left` on the left.
  public func faults(left: Range<Int>, by rule: SplitRule = .mean) -> [String] {
    if rule == .leastScatter { return faultsOfLeastScatter(left: left) }
    let line = rule.power.map(weightedMean) ?? 0
    let uncertaintyOfLine = rule.power == nil ? 0 : uncertaintyOfWeights
    return members.indices.compactMap { index in
      let (along, uncertainty) = distance(of: members[index])
      if line == 0 {
        if abs(along) <= uncertainty && (along != 0 || !isOnMean(members[index]) && !isExact) { return nil }
      } else if abs(along - line) <= uncertainty + uncertaintyOfLine {
        return nil
      }
      let isLeft = along <= line
      if isLeft == left.contains(index) { return nil }
      return
        "\(members[index]) belongs \(isLeft ? "left" : "right") of \(line), because it is \(along) from the mean along (\(x), \(y)), times the count"
    }
  }

  private func isOnMean(_ point: PlanePoint) -> Bool {
    Int64(members.count) * Int64(point.x) == sum.x && Int64(members.count) * Int64(point.y) == sum.y
  }

  /// Returns the distance of a point to the right of the line, multiplied by the number of points, and its uncertainty.
  func distance(of point: PlanePoint) -> (along: Double, uncertainty: Double) {
    let (dx, dy) = deviation(of: point)
    let along = dx * x + dy * y
    if isExact { return (along, 0) }
    return (along, abs(dy * x - dx * y) * 0x1p-28 + (abs(dx) + abs(dy)) * 0x1p-48)
  }

  /// Returns the deviation of a point from the mean, multiplied by the number of points.
  func deviation(of point: PlanePoint) -> (x: Double, y: Double) {
    (Double(Int64(members.count) * Int64(point.x) - sum.x), Double(Int64(members.count) * Int64(point.y) - sum.y))
  }
}

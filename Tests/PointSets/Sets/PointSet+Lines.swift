import Foundation
import Treeline

extension PointSet {
  /// Returns points at equal steps on a line through the middle of the plane, except for rounding. The angle of the
  /// line is in degrees, from east towards south.
  public static func line(_ count: Int, angle: Double, step: Double = 1e6) -> PointSet {
    let (x, y) = (cos(angle * .pi / 180), sin(angle * .pi / 180))
    return PointSet(
      "line of \(count) at \(angle) degrees",
      onPlane: (0..<count).map { index in
        let distance = (Double(index) - Double(count - 1) / 2) * step
        return PlanePoint(x: UInt32((0x1p31 + distance * x).rounded()), y: UInt32((0x1p31 + distance * y).rounded()))
      })
  }

  /// Returns points on one meridian or on one parallel. Their steps are uneven, and some points occur twice.
  public static func straight(_ count: Int, alongMeridian: Bool, seed: UInt64) -> PointSet {
    var random = SplitMix64(seed: seed)
    let coordinates = (0..<count).map { _ in
      let place = (random.number(from: -60, to: 60) * 2).rounded() / 2
      return alongMeridian ? Coordinate(longitude: 12.5, latitude: place) : Coordinate(longitude: place, latitude: 12.5)
    }
    return PointSet("\(count) on one \(alongMeridian ? "meridian" : "parallel"), seed \(seed)", coordinates)
  }

  /// Returns points exactly on a diagonal of the plane.
  public static func diagonal(_ count: Int, falling: Bool) -> PointSet {
    PointSet(
      "\(falling ? "falling" : "rising") diagonal of \(count)",
      onPlane: (0..<count).map { index in
        let x = UInt32(1 << 30 + index * index * 999)
        return PlanePoint(x: x, y: falling ? x : 0 &- x)
      })
  }

  /// Returns points all around a circle. Except for rounding, their variance is equal in all directions.
  public static func circle(_ count: Int, radius: Double = 0x1p28) -> PointSet {
    PointSet(
      "circle of \(count)",
      onPlane: (0..<count).map { index in
        let angle = 2 * .pi * Double(index) / Double(count)
        return PlanePoint(
          x: UInt32((0x1p31 + radius * cos(angle)).rounded()), y: UInt32((0x1p31 + radius * sin(angle)).rounded()))
      })
  }

  /// Returns a square lattice on the plane. In many nodes, both eigenvalues are exactly equal.
  public static func lattice(columns: Int, rows: Int, step: UInt32 = 1 << 20) -> PointSet {
    PointSet(
      "lattice of \(columns) by \(rows)",
      onPlane: (0..<columns * rows).map { index in
        PlanePoint(x: 1 << 31 + UInt32(index % columns) * step, y: 1 << 30 + UInt32(index / columns) * step)
      })
  }

  public static let lines: [PointSet] =
    [0, 0.001, 1, 30, 44.9999, 45, 89, 90, 91, 135, 179].map { line(200, angle: $0) } + straightLines + evenShapes

  private static let straightLines: [PointSet] = [
    straight(300, alongMeridian: true, seed: 2), straight(300, alongMeridian: false, seed: 3),
    diagonal(300, falling: true), diagonal(300, falling: false),
  ]

  private static let evenShapes: [PointSet] = [
    circle(360), circle(4), circle(1000, radius: 40), lattice(columns: 32, rows: 32),
    lattice(columns: 16, rows: 31, step: 1), lattice(columns: 4, rows: 4, step: 1),
  ]
}

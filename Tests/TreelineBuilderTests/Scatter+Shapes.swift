import Foundation
import PointSets
import Treeline
@testable import TreelineBuilder

extension Scatter {
  init(xx: Int128, xy: Int128, yy: Int128) {
    self.init(Moments<UInt64>())
    (self.xx, self.xy, self.yy) = (xx, xy, yy)
  }

  /// Returns the scatter of an ellipse whose longer axis has a given angle.
  static func ellipse(angle: Double, aspect: Double) -> Scatter {
    let (x, y) = (cos(angle), sin(angle))
    let (long, short) = (aspect * aspect * 1e28, 1e28)
    return Scatter(
      xx: Int128(long * x * x + short * y * y), xy: Int128((long - short) * x * y),
      yy: Int128(long * y * y + short * x * x))
  }

  init(of points: [PlanePoint], from corner: PlanePoint = PlanePoint(x: 0, y: 0)) {
    self.init(points.withUnsafeBufferPointer { Moments<UInt128>($0, from: corner) })
  }
}

extension PrincipalAxis {
  /// Returns the absolute value of the sine of the angle between the axis and a unit vector.
  func turn(from vector: (x: Double, y: Double)) -> Double {
    abs(Double(x) * vector.y - Double(y) * vector.x) / hypot(Double(x), Double(y))
  }
}

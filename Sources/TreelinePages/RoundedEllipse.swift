import Treeline

/// The ellipse of a cluster in two bytes. A map uses these bytes to compute the color of a badge, and to draw the
/// ellipse.
struct RoundedEllipse {
  /// The area of the ellipse on a logarithmic scale, with four steps per factor of two; 0 if all points have the same
  /// position.
  var size: UInt8
  /// Elongation of the ellipse along x, and its elongation along a diagonal, in 16 steps each.
  var shape: UInt8

  /// The least ratio of width to length that is used to compute the area. The area of a narrower ellipse is computed
  /// as if its width had this ratio to its length. Maps use the same least ratio.
  private static let leastWidth = 0.25
  /// The squared area is converted to a `Float`. The highest 10 bits of this `Float`, minus `base`, give `size`.
  private static let base: UInt32 = 253

  init(_ spread: NodeSpread) {
    let (xx, xy, yy) = (Double(spread.xx), Double(spread.xy), Double(spread.yy))
    let (mean, half) = ((xx + yy) / 2, (xx - yy) / 2)
    let radius = (half * half + xy * xy).squareRoot()
    guard mean > 0, (mean + radius).isFinite else { (size, shape) = (0, 0); return }
    let major = mean + radius
    let square = Float(major * max(mean - radius, Self.leastWidth * Self.leastWidth * major))
    size = UInt8(min(max(Int(square.bitPattern >> 22) - Int(Self.base), 1), 255))
    shape = Self.step(half / mean) | Self.step(xy / mean) << 4
  }

  /// Rounds a number from -1 to 1 to one of 16 steps. Returns the step, from 0 to 15.
  private static func step(_ value: Double) -> UInt8 { UInt8(min(max((value + 1) * 7.5 + 0.5, 0), 15)) }
}

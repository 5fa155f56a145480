import Treeline

/// The ellipse of a cluster in two bytes. A map uses these bytes to compute the color of a badge, and to draw the
/// ellipse.
struct RoundedEllipse {
  /// The area on a logarithmic scale, with four steps per factor of two; 0 if all points have the same position.
  var size: UInt8
  /// Elongation of the ellipse along x, and its elongation along a diagonal, in 16 steps each.
  var shape: UInt8

  /// Least width, relative to the length of the ellipse, that is used to compute the area. The area of a narrower
  /// ellipse is computed as if it had this width. Maps use the same number.
  private static let leastWidth = 0.25
  /// To get `size`, this number is subtracted from the highest bits of the squared area, stored as a `Float`.
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

  /// Returns a number from -1 to 1 as one of 16 steps.
  private static func step(_ value: Double) -> UInt8 { UInt8(min(max((value + 1) * 7.5 + 0.5, 0), 15)) }
}

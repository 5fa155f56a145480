import Treeline

/// The covariance matrix times the square of the count, exact: n Sxx - Sx Sx and so on, whatever corner the sums have.
struct Scatter: Hashable, Sendable {
  var xx: Int128
  var xy: Int128
  var yy: Int128

  /// Complexity: O(1). At most 2^126 for 2^31 points.
  @inline(__always)
  init<Sum>(_ moments: Moments<Sum>) {
    let n = Int128(moments.count)
    let x = Int128(moments.x)
    let y = Int128(moments.y)
    xx = n &* Int128(truncatingIfNeeded: moments.xx) &- x &* x
    xy = n &* Int128(truncatingIfNeeded: moments.xy) &- x &* y
    yy = n &* Int128(truncatingIfNeeded: moments.yy) &- y &* y
  }

  /// Whether all points have one position.
  var isZero: Bool { xx == 0 && yy == 0 }

  /// The covariance matrix, each entry rounded.
  @inline(__always)
  func spread(count: UInt64) -> NodeSpread {
    let square = Double(count) * Double(count)
    return NodeSpread(
      xx: Float(xx.approximation / square), xy: Float(xy.approximation / square),
      yy: Float(yy.approximation / square))
  }
}

extension Int128 {
  /// The nearest double but for one rounding more; the same on every machine.
  var approximation: Double {
    let magnitude = self.magnitude
    let value =
      Double(UInt64(truncatingIfNeeded: magnitude >> 64)) * 0x1p64
      + Double(UInt64(truncatingIfNeeded: magnitude))
    return self < 0 ? -value : value
  }
}

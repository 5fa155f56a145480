/// Spherical Web Mercator, and powers and logarithms of 2. The results have the same bits on every platform.
///
/// The code uses only operations that IEEE 754 defines, in a fixed order, without fused multiply-add. The functions of
/// C libraries are not used, because their results differ in the last bit between platforms, so whole trees would
/// differ, too. The coefficients come from interpolation of each function at Chebyshev nodes.
package enum Mercator {
  /// The width of the world in units.
  package static let worldWidth = 0x1p32

  /// Returns the distance of a latitude from the northern edge, in units. The distance is not rounded, and is accurate
  /// to a ten-thousandth of a unit. A latitude beyond an edge counts as the latitude of the edge.
  ///
  /// The distance from the equator is ln((1 + u) / (1 - u)) / π, in units of half the world's width. Here, u is the
  /// tangent of half the latitude. The code computes u as `odd / even`, so (1 + u) / (1 - u) is
  /// `(even + odd) / (even - odd)`. The logarithm of this quotient comes from the nearest power of 2 and a remainder.
  @inline(__always) package static func y(latitude: Double) -> Double {
    let part = min(abs(latitude), Plane.maximumLatitude) * (1 / 90)
    let square = part * part
    let odd =
      part
      * (0.7853981633974483
        + square * (-0.062145352039566705 + square * (0.0008382296683324081 + square * -1.3777072437601478e-06)))
    let even =
      1 + square * (-0.2847426780942919 + square * (0.008881232016430318 + square * -4.889060316775422e-05))
    let (numerator, denominator) = (even + odd, even - odd)
    // The denominator is doubled until the quotient is no longer above the square root of 2. `doublings` is the number
    // of doublings, at most five. It is the binary logarithm of `numerator / limit`, rounded up. The code computes it
    // from the bit patterns of `numerator` and `limit` instead of by comparisons, because processors would often
    // mispredict the branches.
    let limit = denominator * 1.4142135623730951
    let doublings = (Int64(bitPattern: numerator.bitPattern &- limit.bitPattern) &- 1) &>> 52 &+ 1
    let power = denominator * Double(bitPattern: UInt64(bitPattern: 1023 &+ doublings) &<< 52)
    let remainder = (numerator - power) / (numerator + power)
    let height = Double(doublings) * 473811343.4944856 + remainder * heightOfRemainder(remainder * remainder)
    return worldWidth / 2 + (latitude < 0 ? height : -height)
  }

  /// Returns 2^32 / π × atanh(r) / r for a remainder r, given the square of r.
  @inline(__always) private static func heightOfRemainder(_ square: Double) -> Double {
    let high = 195309406.2532113 + square * (151575472.50482783 + square * 134034132.99516822)
    return 1367130551.152827 + square * (455710183.805887 + square * (273426075.3129126 + square * high))
  }

  /// Returns the latitude in degrees at `y` units from the northern edge, accurate to 3e-12 degrees. A `y` beyond an
  /// edge counts as the `y` of the edge.
  @inline(__always) package static func latitude(y: Double) -> Double {
    let height = min(max(1 - y * (2 / worldWidth), -1), 1)
    let z = height * height
    var odd = 106.33541022953081 + z * 0.9664572686250515
    odd = 17997.094038867355 + z * (8767.160003102932 + z * (1728.2789883039677 + z * odd))
    odd = 179.99999999999778 + z * (2004.3963709410161 + z * (8532.402038610662 + z * (17507.030935487255 + z * odd)))
    var even = 5.61535797303942 + z * 0.1611690007432005
    even = 219.20128720666466 + z * (152.74401722578062 + z * (49.33933538071875 + z * even))
    even = 1 + z * (12.780469460957695 + z * (64.36655102885277 + z * (162.90363037971449 + z * even)))
    return height * odd / even
  }
}

extension Int64 {
  /// Makes the integer nearest to a number below 2^52. Halves are rounded away from 0. `rounded()` gives the same
  /// result, but calls the C library on processors without an instruction for rounding, such as x86-64.
  @inline(__always) init(nearest number: Double) {
    // The constant is one half minus one unit in the last place. With this constant, the sum stays below 1 even for
    // the number just below one half.
    self.init(number + Double(signOf: number, magnitudeOf: 0x1.fffffffffffffp-2))
  }
}

/// Powers and logarithms of 2, for zooms.
enum Binary {
  /// Returns 2 to some power, accurate to 1.25 units in the last place.
  ///
  /// The result is exact for whole exponents. For zooms, the exponents are `24 - zoom`, which are multiples of 2^-49.
  /// Among these exponents, a greater exponent never gives a smaller power. The reason is that neighboring powers
  /// differ by 2^-50 of their value, and the significand, `1 + x * sum`, is accurate to 2^-53.
  static func power(_ exponent: Double) -> Double {
    guard exponent.isFinite else { return exponent < 0 ? 0 : exponent }
    let whole = exponent.rounded()
    let x = exponent - whole
    var sum = 1.0178062445845774e-07 + x * (7.072585949269223e-09 + x * 4.4549605981865186e-10)
    sum = 0.0001540353044173605 + x * (1.525273382983612e-05 + x * (1.321544258792169e-06 + x * sum))
    sum = 0.0555041086648216 + x * (0.009618129107606888 + x * (0.0013333558146416936 + x * sum))
    sum = 0.6931471805599453 + x * (0.24022650695910097 + x * sum)
    return Double(sign: .plus, exponent: Int(max(min(whole, 2000), -2000)), significand: 1 + x * sum)
  }

  /// Returns the binary logarithm of a number above 0. Infinity counts as the greatest finite number.
  static func logarithm(_ number: Double) -> Double {
    let number = min(number, .greatestFiniteMagnitude)
    var (whole, part) = (Double(number.exponent), number.significand)
    if part > 1.4142135623730951 { (whole, part) = (whole + 1, part / 2) }
    let remainder = (part - 1) / (part + 1)
    let z = remainder * remainder
    var sum = 0.262334352504183 + z * (0.2209130842311768 + z * 0.2136589569431927)
    sum = 0.5770780163455203 + z * (0.4121985858409005 + z * (0.32059853491395984 + z * sum))
    return whole + remainder * (2.8853900817779268 + z * (0.9617966939259898 + z * sum))
  }
}

/// `mantissa * 10^exponent`, correctly rounded, where plain arithmetic can do that; `nil` elsewhere.
///
/// - A mantissa up to 2^53 and a power up to 10^22 are both exact as Double, so one operation rounds once
///   (Clinger 1990, doi:10.1145/93542.93557).
/// - Any 64-bit mantissa over a power up to 10^19 is an exact quotient of integers. This is the usual case of
///   coordinates written with 17 digits, which strtod takes ten times as long for.
@inline(__always)
func exactlyScaled(_ mantissa: UInt64, _ exponent: Int) -> Double? {
  if mantissa <= 1 << 53 {
    if exponent <= 0 && exponent >= -22 { return Double(mantissa) / powersOfTen[-exponent] }
    if exponent > 0 && exponent <= 22 { return Double(mantissa) * powersOfTen[exponent] }
    return mantissa == 0 ? 0 : nil
  }
  guard exponent < 0 && exponent >= -19 else { return exponent == 0 ? Double(mantissa) : nil }
  return quotient(mantissa, integerPowersOfTen[-exponent])
}

/// `dividend / divisor`, correctly rounded; both are positive.
private func quotient(_ dividend: UInt64, _ divisor: UInt64) -> Double {
  let dividendShift = dividend.leadingZeroBitCount
  let divisorShift = divisor.leadingZeroBitCount
  let wide = dividend << dividendShift
  // wide * 2^63 in two words; its upper word is below 2^63 and so below the shifted divisor, hence no overflow,
  // and the quotient has at least 62 bits.
  let (bits, remainder) = (divisor << divisorShift).dividingFullWidth((wide >> 1, wide << 63))
  // A remainder only matters to break a tie, for which the lowest of 62 bits, 9 below the last kept, will do.
  let rounded = Double(bits | (remainder == 0 ? 0 : 1))
  // A power of two within Double's normal range, so the product is exact.
  let exponent = divisorShift - dividendShift - 63
  return rounded * Double(bitPattern: UInt64(1023 + exponent) << 52)
}

private let powersOfTen: [Double] = [
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
  1e19,
  1e20, 1e21, 1e22,
]

private let integerPowersOfTen: [UInt64] = [
  1, 10, 100, 1000, 10000, 100000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
  100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
  10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
]

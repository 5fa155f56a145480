import Treeline

/// Parses a decimal number. The result is correctly rounded and does not depend on the locale.
///
/// Accepts spaces and tabs around the number, a leading `+`, an exponent, and a point without digits before or after
/// it, as in `.5` and `5.`. Does not accept names such as `nan` and `inf`.
///
/// - Returns: nil if the bytes are not a number; infinity if the number is too large for a Double.
@inline(__always) func parseDecimal(_ bytes: Bytes) -> Double? {
  var position = 0
  var end = bytes.count
  while position < end, bytes[position] == Byte.space || bytes[position] == Byte.tab { position += 1 }
  while end > position, bytes[end - 1] == Byte.space || bytes[end - 1] == Byte.tab { end -= 1 }
  let start = position
  var isNegative = false
  if position < end, bytes[position] == Byte.minus || bytes[position] == Byte.plus {
    isNegative = bytes[position] == Byte.minus
    position += 1
  }

  // The mantissa overflows after 19 digits. An overflowed mantissa is not used.
  var mantissa: UInt64 = 0
  let integerStart = position
  while position < end, Byte.isDigit(bytes[position]) {
    mantissa = mantissa &* 10 &+ UInt64(bytes[position] &- Byte.zero)
    position += 1
  }
  var digits = position - integerStart
  var exponent = 0
  if position < end, bytes[position] == Byte.point {
    position += 1
    let fractionStart = position
    while position < end, Byte.isDigit(bytes[position]) {
      mantissa = mantissa &* 10 &+ UInt64(bytes[position] &- Byte.zero)
      position += 1
    }
    exponent = fractionStart - position
    digits -= exponent
  }
  guard digits > 0 else { return nil }
  if position < end {
    guard let written = parseExponent(bytes, from: position, to: end) else { return nil }
    exponent += written
  }

  if digits <= 19, let magnitude = exactlyScaled(mantissa, exponent) { return isNegative ? -magnitude : magnitude }
  // Calls strtod through the standard library, in the C locale. The text is a valid number.
  return Double(String(decoding: bytes[start..<end], as: UTF8.self))
}

/// Parses a number with a decimal comma; nil if it contains a point.
func parseDecimalComma(_ bytes: Bytes) -> Double? { withDecimalPoint(bytes) { parseDecimal($0) } ?? nil }

/// Parses a number with thousands separators, such as `1.234,56`; nil for other texts.
func parseGrouped(_ bytes: Bytes, _ mark: DecimalMark) -> Double? {
  CellNumber(trimmed(bytes), mark: mark).flatMap { $0.hasGroups ? Double($0.literal) : nil }
}

/// Returns whether bytes are a number with a decimal comma.
func hasDecimalComma(_ bytes: Bytes) -> Bool {
  bytes.contains(Byte.comma) && (parseDecimalComma(bytes) ?? parseGrouped(bytes, .comma)) != nil
}

/// Replaces commas by points in a copy of the bytes, and calls `work` with this copy. Returns nil if the bytes already
/// contain a point.
func withDecimalPoint<Result>(_ bytes: Bytes, _ work: (Bytes) -> Result) -> Result? {
  if bytes.contains(Byte.point) { return nil }
  return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { copy in
    for index in bytes.indices {
      copy.initializeElement(at: index, to: bytes[index] == Byte.comma ? Byte.point : bytes[index])
    }
    return work(Bytes(copy))
  }
}

/// Parses an exponent that begins with `e` at `start`, and clamps it to a million. With a larger exponent, every
/// number of 19 digits is 0 or infinite.
private func parseExponent(_ bytes: Bytes, from start: Int, to end: Int) -> Int? {
  var position = start
  guard bytes[position] | 0x20 == UInt8(ascii: "e") else { return nil }
  position += 1
  var isNegative = false
  if position < end, bytes[position] == Byte.minus || bytes[position] == Byte.plus {
    isNegative = bytes[position] == Byte.minus
    position += 1
  }
  guard position < end else { return nil }
  var value = 0
  while position < end {
    guard Byte.isDigit(bytes[position]) else { return nil }
    value = min(value * 10 + Int(bytes[position] &- Byte.zero), 1_000_000)
    position += 1
  }
  return isNegative ? -value : value
}

/// Returns `mantissa * 10^exponent`, correctly rounded, if simple arithmetic can compute it; otherwise nil.
///
/// - A mantissa up to 2^53 and a power up to 10^22 are both exact as Double, so a single operation rounds once
///   (Clinger 1990, doi:10.1145/93542.93557).
/// - For a negative exponent down to -19, the result is a quotient of two 64-bit integers, which `quotient` computes.
///   This is the usual case for coordinates with 17 digits, for which strtod takes ten times as long.
@inline(__always) private func exactlyScaled(_ mantissa: UInt64, _ exponent: Int) -> Double? {
  if mantissa <= 1 << 53 {
    if exponent <= 0 && exponent >= -22 { return Double(mantissa) / powersOfTen[-exponent] }
    if exponent > 0 && exponent <= 22 { return Double(mantissa) * powersOfTen[exponent] }
    return mantissa == 0 ? 0 : nil
  }
  guard exponent < 0 && exponent >= -19 else { return exponent == 0 ? Double(mantissa) : nil }
  return quotient(mantissa, integerPowersOfTen[-exponent])
}

/// Returns `dividend / divisor`, correctly rounded. Both numbers must be positive.
private func quotient(_ dividend: UInt64, _ divisor: UInt64) -> Double {
  let dividendShift = dividend.leadingZeroBitCount
  let divisorShift = divisor.leadingZeroBitCount
  let wide = dividend << dividendShift
  // The shifted dividend is `wide * 2^63`, stored in two words. Its upper word is less than 2^63, and so less than the
  // shifted divisor. So nothing overflows, and the quotient has at least 62 bits.
  let (bits, remainder) = (divisor << divisorShift).dividingFullWidth((wide >> 1, wide << 63))
  // The remainder matters only if `bits` is halfway between two Doubles. In this case, setting the lowest bit of
  // `bits` breaks the tie. The lowest bit is at least 9 bits below the last bit of a Double.
  let rounded = Double(bits | (remainder == 0 ? 0 : 1))
  // 2^`exponent` is in the normal range of Double, so the multiplication by it is exact.
  let exponent = divisorShift - dividendShift - 63
  return rounded * Double(bitPattern: UInt64(1023 + exponent) << 52)
}

private let powersOfTen: [Double] = [
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21, 1e22,
]

private let integerPowersOfTen: [UInt64] = [
  1, 10, 100, 1000, 10000, 100000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000, 100_000_000_000,
  1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000, 10_000_000_000_000_000,
  100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
]

/// Reads a decimal number, correctly rounded and independent of the locale.
///
/// Spaces and tabs around it are accepted, and a leading `+`, a bare point as in `.5` and `5.`, and an exponent.
/// Names such as `nan` and `inf` are not numbers.
///
/// - Returns: `nil` if the bytes are anything else; infinite if the number exceeds the range of Double.
@inline(__always)
func parseDecimal(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
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

  // Wraps around after 19 digits, in which case it is not used.
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

  if digits <= 19, let magnitude = exactlyScaled(mantissa, exponent) {
    return isNegative ? -magnitude : magnitude
  }
  // The standard library's strtod runs in the C locale; what it sees is a valid number by now.
  return Double(String(decoding: bytes[start..<end], as: UTF8.self))
}

/// The exponent from its `e` to the end, clamped: beyond a million all numbers of 19 digits are 0 or infinite.
private func parseExponent(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int? {
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

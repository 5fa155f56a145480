/// An exact decimal number: a significand times a power of ten.
package struct DecimalNumber: Hashable, Sendable {
  /// The significand: 0, or a number of at most 38 digits without trailing zeros.
  let significand: Int128
  /// The exponent; 0 for the number 0.
  package let exponent: Int

  package init(significand: Int128, exponent: Int) {
    var (significand, exponent) = (significand, exponent)
    // Nearly all significands fit into 64 bits, and 64-bit integers can be divided faster than 128-bit integers.
    if let small = Int64(exactly: significand) {
      var digits = small.magnitude
      while digits != 0 {
        let (quotient, remainder) = digits.quotientAndRemainder(dividingBy: 10)
        if remainder != 0 { break }
        (digits, exponent) = (quotient, exponent + 1)
      }
      significand = small < 0 ? -Int128(digits) : Int128(digits)
    }
    while significand != 0, significand % 10 == 0 { (significand, exponent) = (significand / 10, exponent + 1) }
    (self.significand, self.exponent) = (significand, significand == 0 ? 0 : exponent)
  }

  /// Parses a number in the number format of JSON. Returns nil for any other text. Also returns nil if the number has
  /// more than 38 digits, or if its exponent is beyond ±9,999.
  package init?(_ text: some StringProtocol) {
    guard var number = Digits(Array(text.utf8)) else { return nil }
    guard number.count <= 38, number.exponent.magnitude < 10_000 else { return nil }
    if number.isNegative { number.significand.negate() }
    self.init(significand: number.significand, exponent: number.exponent)
  }

  /// Makes the shortest decimal that rounds to a given double; nil if the double is not finite.
  package init?(_ double: Double) {
    guard double.isFinite else { return nil }
    // The description of a double has the form `1.5`, `1e+20` or `5e-324`. It has at most 17 digits, not counting zeros
    // at its ends.
    self.init("\(double)")
  }

  /// The nearest double; infinite if the number is beyond the greatest double.
  package var double: Double { Double("\(significand)e\(exponent)")! }

  /// Returns the product of the number and 10^`digits`, rounded down. Also returns whether the exact product is whole.
  /// A product beyond ±2^126 is replaced by ±2^126.
  package func scaled(by digits: Int) -> (floor: Int128, isWhole: Bool) {
    let bound = Int128(1) << 126
    var (value, power) = (significand, exponent + digits)
    while power > 0, value.magnitude < UInt128(bound) / 10 { (value, power) = (value * 10, power - 1) }
    if power > 0, value != 0 { return (value < 0 ? -bound : bound, false) }
    var isWhole = true
    while power < 0, value != 0, value != -1 || isWhole {
      let (quotient, remainder) = value.quotientAndRemainder(dividingBy: 10)
      if remainder != 0 { isWhole = false }
      (value, power) = (remainder < 0 ? quotient - 1 : quotient, power + 1)
    }
    return (min(max(value, -bound), bound), isWhole)
  }
}

/// The parts of a JSON number.
private struct Digits {
  var significand: Int128 = 0
  var exponent = 0
  var count = 0
  var isNegative = false

  init?(_ bytes: [UInt8]) {
    guard bytes.withUnsafeBytes(JSONSyntax.isNumber) else { return nil }
    var isFraction = false
    for (position, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): isFraction = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        // An exponent of 1,000,000 or beyond is out of range, whatever the digits are.
        guard let power = Int(String(decoding: bytes[(position + 1)...], as: UTF8.self)), power.magnitude < 1_000_000
        else { return nil }
        exponent += power
        return
      default:
        if isFraction { exponent -= 1 }
        let digit = Int128(byte - UInt8(ascii: "0"))
        if significand == 0 && digit == 0 { continue }
        count += 1
        if count <= 38 { significand = significand * 10 + digit }
      }
    }
  }
}

extension DecimalNumber: CustomStringConvertible {
  package var description: String {
    if exponent >= 0, exponent <= 20 { return "\(significand)" + String(repeating: "0", count: exponent) }
    guard exponent < 0, exponent >= -40 else { return "\(significand)e\(exponent)" }
    let digits = "\(significand.magnitude)"
    let padded = String(repeating: "0", count: max(1 - exponent - digits.count, 0)) + digits
    return (significand < 0 ? "-" : "") + padded.dropLast(-exponent) + "." + padded.suffix(-exponent)
  }
}

import Treeline

/// A decimal number with at most 18 digits after the point. Without the point, the digits are a 64-bit integer. A
/// column with a fixed number of decimals stores its numbers as such integers.
struct SmallDecimal {
  static let mostDecimals = 18

  let significand: Int64
  /// Number of digits after the point. The last of these digits is not 0.
  let decimals: Int

  private init(significand: Int64, decimals: Int) { (self.significand, self.decimals) = (significand, decimals) }

  init(_ integer: Int64) { self.init(significand: integer, decimals: 0) }

  /// Makes the shortest decimal whose nearest double is the given number; nil if the decimal has too many digits.
  init?(_ number: Double) {
    // Nearly all doubles in real data have few digits after the point. Two different decimal numbers with at most 15
    // digits never have the same nearest double. So if such a decimal number is found for a double, it is the
    // shortest one.
    var power = 1.0
    for decimals in 0...15 {
      let scaled = number * power
      let whole = scaled.rounded()
      guard whole.magnitude < 1e15 else { break }
      // Powers of ten up to 10^22 are doubles, so the quotient is the double that is nearest to the decimal. The test
      // before the division avoids most divisions.
      if abs(scaled - whole) <= whole.magnitude * 0x1p-51, whole / power == number {
        self.init(significand: Int64(whole), decimals: decimals)
        return
      }
      power *= 10
    }
    self.init("\(number)")
  }

  /// - Parameter literal: A JSON number.
  init?(_ literal: String) {
    // First tries a faster reader, which handles only numbers in the usual spelling.
    if let number = SmallDecimal(plain: literal) {
      self = number
      return
    }
    if literal.utf8.count <= 19, let integer = Int64(literal) {
      self.init(integer)
      return
    }
    guard let number = DecimalNumber(literal), number.exponent >= -Self.mostDecimals else { return nil }
    let whole = number.scaled(by: max(-number.exponent, 0)).floor
    guard let significand = Int64(exactly: whole) else { return nil }
    self.init(significand: significand, decimals: max(-number.exponent, 0))
  }

  /// Reads a JSON number of at most 18 digits without an exponent; nil for any other number.
  private init?(plain literal: String) {
    var (significand, digits, decimals) = (0 as Int64, 0, 0)
    var (isNegative, isFraction) = (false, false)
    for byte in literal.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        (digits, decimals) = (digits + 1, isFraction ? decimals + 1 : 0)
        guard digits <= 18 else { return nil }
        significand = significand * 10 + Int64(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): isFraction = true
      default: return nil
      }
    }
    while decimals > 0, significand % 10 == 0 { (significand, decimals) = (significand / 10, decimals - 1) }
    (self.significand, self.decimals) = (isNegative ? -significand : significand, decimals)
  }
}

extension AttributeValue {
  /// The meaning of a value in a column of numbers.
  enum Number {
    /// Null or NaN. Databases and Parquet files use NaN for unknown values.
    case missing
    /// A JSON number.
    case literal(String)
    case none
  }

  /// - Parameter mark: Decimal mark of numbers in texts.
  func number(mark: DecimalMark) -> Number {
    switch self {
    case .null: return .missing
    case .string(let text):
      let words = text.split { $0 == " " || $0 == "\t" }
      if words.count == 1 && words[0].utf8.count == 3 && words[0].lowercased() == "nan" { return .missing }
      return CellNumber.literal(text, mark: mark, allowsPlus: true).map { .literal($0) } ?? .none
    case .number(var literal):
      return literal.withUTF8({ JSONSyntax.isNumber(UnsafeRawBufferPointer($0)) }) ? .literal(literal) : .none
    case .bool, .json: return .none
    }
  }

  /// Returns an error if the value is not the JSON that its type promises; nil if it is.
  func problem(ofPoint point: Int) -> UnsuitableValue? {
    switch self {
    case .number(var text):
      if text.withUTF8({ JSONSyntax.isNumber(UnsafeRawBufferPointer($0)) }) { return nil }
      return UnsuitableValue(
        at: point, expected: "a JSON number, such as 1.5", found: "\"\(text.visible)\"",
        remedy: "give the value as a string, or leave the value out")
    case .json(var text):
      if text.withUTF8({ JSONSyntax.isValue(UnsafeRawBufferPointer($0)) }) { return nil }
      return UnsuitableValue(
        at: point, expected: "valid JSON, nested at most 1,024 levels deep and without space around it",
        found: "\"\(text.visible)\"", remedy: "correct the JSON, or give the value as a string")
    case .string, .bool, .null: return nil
    }
  }

  /// The value as a boolean in a column without a declared kind; nil if the value is not a boolean.
  var foundBoolean: Bool? {
    switch self {
    case .bool(let value): value
    case .string(let text): text.utf8.count > 5 ? nil : ["true": true, "false": false][text.lowercased()]
    default: nil
    }
  }

  var declaredBoolean: Bool? {
    switch self {
    case .bool(let value): value
    case .string(let text):
      switch text.lowercased() {
      case "true", "yes", "t", "1": true
      case "false", "no", "f", "0": false
      default: nil
      }
    case .number(let literal):
      switch DecimalNumber(literal) {
      case DecimalNumber(significand: 1, exponent: 0): true
      case DecimalNumber(significand: 0, exponent: 0): false
      default: nil
      }
    default: nil
    }
  }

  /// The text of a value that is not nested.
  var plainText: String? {
    switch self {
    case .string(let text), .number(let text): text
    case .bool(let value): "\(value)"
    case .null, .json: nil
    }
  }

  /// - Parameter numbersPerSecond: 1 if numbers are seconds, 1000 if they are milliseconds; nil if they are not times.
  func instant(numbersPerSecond: Int?) -> Instant? {
    switch self {
    case .string(let text): Instant(text)
    case .number(let literal): numbersPerSecond.flatMap { Instant(DecimalNumber(literal), perSecond: $0) }
    case .bool, .null, .json: nil
    }
  }
}

extension Instant {
  /// Makes an instant from a number of seconds or milliseconds since the beginning of 1970, rounded down to the
  /// nanosecond. Nil if the seconds do not fit into 64 bits.
  fileprivate init?(_ number: DecimalNumber?, perSecond: Int) {
    guard let number else { return nil }
    let nanoseconds = number.scaled(by: perSecond == 1 ? 9 : 6).floor
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    guard let seconds = Int64(exactly: remainder < 0 ? quotient - 1 : quotient) else { return nil }
    self.init(seconds: seconds, nanoseconds: UInt32(remainder < 0 ? remainder + 1_000_000_000 : remainder))
  }
}

extension AttributeColumn {
  /// Returns the bits that represent a value in a column of numbers; nil if no bits represent exactly this value.
  static func bits(of value: AttributeValue?) -> UInt64? {
    switch value {
    case nil: absentBits
    case .null: nullBits
    case .number(let literal): Double(literal).flatMap { text(of: $0) == literal ? $0.bitPattern : nil }
    default: nil
    }
  }
}

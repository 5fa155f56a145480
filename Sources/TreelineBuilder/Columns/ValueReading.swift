import Treeline

/// A decimal number with at most 18 digits after the point. Without the point it is an integer of 64 bits. Only such a
/// number can be stored as an integer in a column whose values all have the same number of decimals.
struct SmallDecimal {
  static let mostDecimals = 18

  let significand: Int64
  let decimals: Int

  init(_ integer: Int64) { (significand, decimals) = (integer, 0) }

  /// - Parameter literal: A JSON number.
  init?(_ literal: String) {
    // Reads integers in the usual spelling here, which is faster.
    if literal.utf8.count <= 19, let integer = Int64(literal) {
      (significand, decimals) = (integer, 0)
      return
    }
    guard let number = DecimalNumber(literal), number.exponent >= -Self.mostDecimals else { return nil }
    let whole = number.scaled(by: max(-number.exponent, 0)).floor
    guard let significand = Int64(exactly: whole) else { return nil }
    (self.significand, decimals) = (significand, max(-number.exponent, 0))
  }
}

extension AttributeValue {
  /// The meaning of a value in a column of numbers.
  enum Number {
    /// Null, or NaN, which databases and Parquet use for unknown values.
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
      if text.utf8.count == 3 && text.lowercased() == "nan" { return .missing }
      return CellNumber.literal(text, mark: mark, allowsPlus: true).map { .literal($0) } ?? .none
    case .number(var literal):
      return literal.withUTF8({ JSONSyntax.isNumber(UnsafeRawBufferPointer($0)) }) ? .literal(literal) : .none
    case .bool, .json: return .none
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

  /// - Parameter numbersPerSecond: Unit of numbers: 1 for seconds, 1000 for milliseconds; nil if numbers are not times.
  func instant(numbersPerSecond: Int?) -> Instant? {
    switch self {
    case .string(let text): Instant(text)
    case .number(let literal): numbersPerSecond.flatMap { Instant(DecimalNumber(literal), perSecond: $0) }
    case .bool, .null, .json: nil
    }
  }
}

extension Instant {
  /// Converts a number of seconds or milliseconds since the beginning of 1970, rounded down to the nanosecond. Nil if
  /// the seconds do not fit 64 bits.
  fileprivate init?(_ number: DecimalNumber?, perSecond: Int) {
    guard let number else { return nil }
    let nanoseconds = number.scaled(by: perSecond == 1 ? 9 : 6).floor
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    guard let seconds = Int64(exactly: remainder < 0 ? quotient - 1 : quotient) else { return nil }
    self.init(seconds: seconds, nanoseconds: UInt32(remainder < 0 ? remainder + 1_000_000_000 : remainder))
  }
}

extension AttributeColumn {
  /// Returns the bits that represent a value in a column of numbers; nil if no bits represent it.
  static func bits(of value: AttributeValue?) -> UInt64? {
    switch value {
    case nil: absentBits
    case .null: nullBits
    case .number(let literal): Double(literal).flatMap { text(of: $0) == literal ? $0.bitPattern : nil }
    default: nil
    }
  }
}

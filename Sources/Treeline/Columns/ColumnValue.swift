/// A type of property that a column of a ``ClusterMap`` can hold: whole numbers, `Double`, `Float`, `Bool`, `String`,
/// ``Instant``, enumerations with raw values, and the optionals of all these types. `import TreelineFoundation` adds
/// `Date`.
///
/// To use an enumeration, or another type with raw values of these types, declare the conformance:
///
/// ```swift
/// enum Kind: String, ColumnValue { case hotel, hostel }
/// ```
///
/// Filters and aggregates compare the raw values of such a type.
///
/// A column stores whole numbers exactly if all of them are from -2^63 to 2^63 - 1, and if the greatest and the least
/// number differ by at most 2^64 - 2. Otherwise the column stores all its numbers as the nearest doubles. Different
/// numbers may then become equal.
public protocol ColumnValue: Sendable {
  /// The type without nil: `Int` for both `Int` and `Int?`.
  associatedtype Present: ColumnValue where Present.Present == Present, Present.Stored == Stored

  /// The standard type in which a column stores the values: `String` for an enumeration of strings.
  associatedtype Stored: StoredColumnValue

  /// Returns the stored form of a value; nil if the value is missing.
  static func stored(_ value: Self) -> Stored?

  /// Returns the value that has a given stored form; nil if no value has this form.
  static func restored(_ stored: Stored) -> Present?
}

/// A standard type in which columns keep values: whole numbers, `Double`, `Float`, `Bool`, `String` and ``Instant``.
/// Other types must not conform, because a column cannot keep their values.
public protocol StoredColumnValue: ColumnValue, Hashable where Present == Self, Stored == Self {
  /// Returns a value in the form in which a column stores it.
  @_spi(Server) static func storedValue(of value: Self) -> StoredValue

  /// Returns a stored value as a value of this type; nil if the type has no such value.
  @_spi(Server) static func value(of stored: StoredValue) -> Self?
}

/// A type whose values can be added up: numbers and booleans. The sum of booleans is the number of true values.
public protocol SummableColumnValue: StoredColumnValue {
  /// The type of a sum: `Int` for whole numbers and booleans, `Double` for other numbers.
  associatedtype Sum: StoredColumnValue
}

/// A value in the form in which a column of a ``ClusterMap`` stores it.
@_spi(Server) public enum StoredValue: Hashable, Sendable {
  /// A whole number.
  case integer(Int64)
  /// A double. It stands for the shortest decimal that rounds to this double, such as 0.1. A number that is not finite
  /// counts as a missing value.
  case real(Double)
  /// A text.
  case text(String)
  /// True or false.
  case boolean(Bool)
  /// A moment in time.
  case instant(Instant)
}

// Some requirements of the protocol are marked `@_spi`. Other packages do not see these requirements, so the
// requirements need default implementations.
extension StoredColumnValue {
  @_spi(Server) public static func storedValue(of value: Self) -> StoredValue { .text("\(value)") }

  @_spi(Server) public static func value(of stored: StoredValue) -> Self? { nil }
}

// MARK: - Whole numbers

extension StoredColumnValue where Self: FixedWidthInteger {
  /// Returns the number. A number that 64 bits cannot hold becomes the nearest double.
  @_spi(Server) public static func storedValue(of value: Self) -> StoredValue {
    Int64(exactly: value).map { .integer($0) } ?? .real(Double(value))
  }

  /// Returns the number; nil if the type cannot hold the number.
  @_spi(Server) public static func value(of stored: StoredValue) -> Self? {
    switch stored {
    case .integer(let integer): Self(exactly: integer)
    case .real(let real): Self(exactly: real)
    default: nil
    }
  }
}

extension Int: SummableColumnValue { public typealias Sum = Int }
extension Int8: SummableColumnValue { public typealias Sum = Int }
extension Int16: SummableColumnValue { public typealias Sum = Int }
extension Int32: SummableColumnValue { public typealias Sum = Int }
extension Int64: SummableColumnValue { public typealias Sum = Int }
extension UInt: SummableColumnValue { public typealias Sum = Int }
extension UInt8: SummableColumnValue { public typealias Sum = Int }
extension UInt16: SummableColumnValue { public typealias Sum = Int }
extension UInt32: SummableColumnValue { public typealias Sum = Int }
extension UInt64: SummableColumnValue { public typealias Sum = Int }

// MARK: - Other numbers

extension Double: SummableColumnValue {
  public typealias Sum = Double

  @_spi(Server) public static func storedValue(of value: Double) -> StoredValue { .real(value) }

  @_spi(Server) public static func value(of stored: StoredValue) -> Double? {
    switch stored {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    default: nil
    }
  }
}

extension Float: SummableColumnValue {
  public typealias Sum = Double

  @_spi(Server) public static func storedValue(of value: Float) -> StoredValue {
    // The float 0.1 must become the decimal 0.1, not 0.100000001. The loop tries decimals of at most 6 digits. At most
    // one of these decimals rounds to the float. If there is one, it is the shortest decimal that rounds to the float.
    var power = 1.0
    for _ in 0...6 {
      let whole = (Double(value) * power).rounded()
      guard whole.magnitude < 1e6 else { break }
      if Float(whole / power) == value { return .real(whole / power) }
      power *= 10
    }
    return .real(Double("\(value)") ?? .nan)
  }

  @_spi(Server) public static func value(of stored: StoredValue) -> Float? {
    Double.value(of: stored).map { Float($0) }
  }
}

// MARK: - Other values

extension Bool: SummableColumnValue {
  public typealias Sum = Int

  @_spi(Server) public static func storedValue(of value: Bool) -> StoredValue { .boolean(value) }

  @_spi(Server) public static func value(of stored: StoredValue) -> Bool? {
    if case .boolean(let value) = stored { value } else { nil }
  }
}

extension String: StoredColumnValue {
  @_spi(Server) public static func storedValue(of value: String) -> StoredValue { .text(value) }

  @_spi(Server) public static func value(of stored: StoredValue) -> String? {
    if case .text(let text) = stored { text } else { nil }
  }
}

extension Instant: StoredColumnValue {
  @_spi(Server) public static func storedValue(of value: Instant) -> StoredValue { .instant(value) }

  @_spi(Server) public static func value(of stored: StoredValue) -> Instant? {
    switch stored {
    case .instant(let instant): instant
    case .text(let text): Instant(text)
    default: nil
    }
  }
}

// MARK: - Standard types, enumerations and optionals

extension StoredColumnValue {
  /// Returns the value itself.
  public static func stored(_ value: Self) -> Self? { value }

  /// Returns the value itself.
  public static func restored(_ stored: Self) -> Self? { stored }
}

extension ColumnValue where Self: RawRepresentable, RawValue: StoredColumnValue {
  /// Returns the raw value.
  public static func stored(_ value: Self) -> RawValue? { value.rawValue }

  /// Returns the value that has a given raw value; nil if there is no such value.
  public static func restored(_ stored: RawValue) -> Self? { Self(rawValue: stored) }
}

extension Optional: ColumnValue where Wrapped: ColumnValue, Wrapped.Present == Wrapped {
  public typealias Present = Wrapped
  public typealias Stored = Wrapped.Stored

  public static func stored(_ value: Wrapped?) -> Wrapped.Stored? { value.flatMap { Wrapped.stored($0) } }

  public static func restored(_ stored: Wrapped.Stored) -> Wrapped? { Wrapped.restored(stored) }
}

extension ColumnValue {
  /// Returns a value in the form in which a column stores it; nil if the value is missing.
  package static func storedValue(ofAny value: Self) -> StoredValue? {
    stored(value).map { Stored.storedValue(of: $0) }
  }
}

// MARK: - Filters and aggregates

extension StoredValue {
  /// Makes a stored value from a value that an aggregate returns; nil for null and for nested values.
  init?(_ value: AttributeValue) {
    switch value {
    case .number(let literal):
      guard let number = Int64(literal).map(StoredValue.integer) ?? Double(literal).map(StoredValue.real) else {
        return nil
      }
      self = number
    case .string(let text): self = .text(text)
    case .bool(let value): self = .boolean(value)
    case .null, .json: return nil
    }
  }
}

extension FilterValue {
  /// Makes a filter value from the value of a property.
  init<Value: ColumnValue>(of value: Value) {
    switch Value.storedValue(ofAny: value) {
    case .integer(let integer): self.init(.number(DecimalNumber(significand: Int128(integer), exponent: 0)))
    case .real(let number): self = .number(number)
    case .text(let text): self = .text(text)
    case .boolean(let value): self = .boolean(value)
    case .instant(let instant): self = .instant(instant)
    // The description of a `Date` that is NaN stops the program.
    case nil where Value.Stored.self == Instant.self: self = .unusable("a time that is NaN or too far from 1970")
    case nil: self = .unusable("\(value)")
    }
  }
}

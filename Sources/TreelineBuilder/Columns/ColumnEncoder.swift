import Treeline

/// Encodes the values of one column.
///
/// Each kind is encoded in one reading of the values, which may mean decoding the input's rows again; so are found
/// kinds but for the few first values that rule a kind out.
struct ColumnEncoder {
  let name: String
  let pointCount: Int
  /// The value of the point at a tree index.
  let value: (Int) -> AttributeValue?

  /// A category that is found has no more entries than these, or a 16th of the points.
  static let fewEntries = 256
  static let mostEntries = 65_536

  func encoded(as kind: IndexColumn.Kind?) throws(UnsuitableValue) -> EncodedColumn {
    switch kind {
    case nil: found()
    case .number: try numbers()
    case .category: try categories { $0.plainText }
    case .boolean: try booleans { $0.declaredBoolean }
    case .time: try times(numbersPerSecond: 1)
    case .timeInMilliseconds: try times(numbersPerSecond: 1000)
    case .text: texts()
    }
  }

  private func found() -> EncodedColumn {
    if let numbers = try? numbers() {
      // Nothing tells what a column without a value is of; as texts, null and absent values stay apart.
      return numbers.valueCount > 0 ? numbers : texts()
    }
    let greatest = min(max(Self.fewEntries, pointCount / 16), Self.mostEntries)
    return (try? booleans { $0.foundBoolean }) ?? (try? times(numbersPerSecond: nil))
      ?? (try? categories(greatestCount: greatest) { $0.string }) ?? texts()
  }

  /// The value at a tree index, unless it is missing.
  private func present(_ index: Int) -> AttributeValue? {
    let value = value(index)
    return value == .null ? nil : value
  }
}

// MARK: - Numbers

extension ColumnEncoder {
  private func numbers() throws(UnsuitableValue) -> EncodedColumn {
    // Decimals with up to 18 decimals whose digits fit 64 bits; nothing else can be integers of one scale.
    var significands = OptionalIntegers(capacity: pointCount)
    var decimals: [UInt8] = []
    decimals.reserveCapacity(pointCount)
    for index in 0..<pointCount {
      let literal = try literal(index)
      guard let literal else {
        significands.append(nil)
        decimals.append(0)
        continue
      }
      guard let number = SmallDecimal(literal) else { return try reals() }
      significands.append(number.significand)
      decimals.append(number.decimals)
    }
    let digits = decimals.max() ?? 0
    var integers = OptionalIntegers(capacity: pointCount)
    for index in 0..<pointCount {
      guard let significand = significands[index] else {
        integers.append(nil)
        continue
      }
      let power = Int64(powerOfTen(Int(digits - decimals[index])))
      let (integer, overflows) = significand.multipliedReportingOverflow(by: power)
      if overflows { return try reals() }
      integers.append(integer)
    }
    guard let column = EncodedColumn(name: name, kind: .number, digits: Int(digits), integers) else {
      return try reals()
    }
    return column
  }

  private func reals() throws(UnsuitableValue) -> EncodedColumn {
    var bits: [UInt64] = []
    bits.reserveCapacity(pointCount)
    var (valueCount, inexactCount) = (0, 0)
    for index in 0..<pointCount {
      guard let literal = try literal(index) else {
        bits.append(AttributeColumn.nullBits)
        continue
      }
      guard let double = Double(literal), double.isFinite else {
        throw UnsuitableValue(at: index, expected: "a number below 1.8e308", found: .number(literal))
      }
      // -0 is 0.
      bits.append((double + 0).bitPattern)
      valueCount += 1
      if DecimalNumber(literal) != DecimalNumber(double) { inexactCount += 1 }
    }
    return EncodedColumn(name: name, bits: bits, valueCount: valueCount, inexactCount: inexactCount)
  }

  /// A JSON number; NaN, which databases and Parquet have for what is not known, is missing.
  private func literal(_ index: Int) throws(UnsuitableValue) -> String? {
    guard let value = present(index) else { return nil }
    if case .string(let text) = value, text.lowercased() == "nan" { return nil }
    guard case .number(var literal) = value, literal.withUTF8({ JSONSyntax.isNumber(UnsafeRawBufferPointer($0)) })
    else { throw UnsuitableValue(at: index, expected: "a number", found: value) }
    return literal
  }
}

/// A decimal whose digits, up to 18 of them behind the point, fit 64 bits.
private struct SmallDecimal {
  let significand: Int64
  let decimals: UInt8

  /// - Parameter literal: A JSON number.
  init?(_ literal: String) {
    // Of the integers as they are usually written.
    if literal.utf8.count <= 19, let integer = Int64(literal) {
      (significand, decimals) = (integer, 0)
      return
    }
    guard let number = DecimalNumber(literal), number.exponent >= -18 else { return nil }
    let whole = number.scaled(by: max(-number.exponent, 0)).floor
    guard let significand = Int64(exactly: whole) else { return nil }
    (self.significand, decimals) = (significand, UInt8(max(-number.exponent, 0)))
  }
}

// MARK: - Booleans

extension ColumnEncoder {
  private func booleans(_ boolean: (AttributeValue) -> Bool?) throws(UnsuitableValue) -> EncodedColumn {
    var integers = OptionalIntegers(capacity: pointCount)
    for index in 0..<pointCount {
      guard let value = present(index) else {
        integers.append(nil)
        continue
      }
      guard let boolean = boolean(value) else {
        throw UnsuitableValue(at: index, expected: "true or false, yes or no, 1 or 0", found: value)
      }
      integers.append(boolean ? 1 : 0)
    }
    return EncodedColumn(name: name, kind: .boolean, digits: 0, integers)!
  }
}

extension AttributeValue {
  /// What is a boolean without anybody saying so.
  fileprivate var foundBoolean: Bool? {
    switch self {
    case .bool(let value): value
    case .string(let text): ["true": true, "false": false][text.lowercased()]
    default: nil
    }
  }

  fileprivate var declaredBoolean: Bool? {
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

  fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The text of what is not nested.
  fileprivate var plainText: String? {
    switch self {
    case .string(let text), .number(let text): text
    case .bool(let value): "\(value)"
    case .null, .json: nil
    }
  }
}

// MARK: - Times

extension ColumnEncoder {
  /// - Parameter numbersPerSecond: What numbers count, 1 or 1000; nil where they are not taken for times.
  private func times(numbersPerSecond: Int?) throws(UnsuitableValue) -> EncodedColumn {
    try times { index throws(UnsuitableValue) in
      guard let value = present(index) else { return nil }
      switch value {
      case .string(let text): if let instant = Instant(text) { return instant }
      case .number(let literal):
        if let numbersPerSecond, let instant = Instant(DecimalNumber(literal), perSecond: numbersPerSecond) {
          return instant
        }
      default: break
      }
      throw UnsuitableValue(
        at: index, expected: "a time of ISO 8601, such as 2024-05-01 or 2024-05-01T12:30:00Z", found: value)
    }
  }

  func times(_ instant: (Int) throws(UnsuitableValue) -> Instant?) throws(UnsuitableValue) -> EncodedColumn {
    var seconds = OptionalIntegers(capacity: pointCount)
    var nanoseconds: [UInt32] = []
    nanoseconds.reserveCapacity(pointCount)
    var (digits, areMidnights) = (0, true)
    for index in 0..<pointCount {
      let instant = try instant(index)
      seconds.append(instant?.seconds)
      nanoseconds.append(instant?.nanoseconds ?? 0)
      guard let instant else { continue }
      if instant.nanoseconds > 0 { digits = max(digits, instant.digits) }
      areMidnights = areMidnights && instant.isMidnight
    }
    var ticks = OptionalIntegers(capacity: pointCount)
    for index in 0..<pointCount {
      let instant = seconds[index].map { Instant(seconds: $0, nanoseconds: nanoseconds[index]) }
      let tick = instant.flatMap { Int64(exactly: $0.ticks(digits: digits)) }
      if let instant, tick == nil { throw beyond(instant, at: index, digits: digits) }
      ticks.append(tick)
    }
    let isDates = areMidnights && ticks.valueCount > 0
    if let column = EncodedColumn(name: name, kind: .time, digits: digits, isDates: isDates, ticks) { return column }
    let index = (0..<pointCount).first { ticks[$0] == ticks.range!.upperBound }!
    throw beyond(Instant(seconds: seconds[index]!, nanoseconds: nanoseconds[index]), at: index, digits: digits)
  }

  private func beyond(_ instant: Instant, at index: Int, digits: Int) -> UnsuitableValue {
    UnsuitableValue(
      at: index,
      expected: "a time within 2^63 of what the column counts, "
        + (digits == 0 ? "seconds" : "seconds with \(digits) \(digits == 1 ? "decimal" : "decimals")"),
      found: "\(instant)",
      remedy: "give times with fewer decimals, declare it as category or text, or leave the cell empty")
  }
}

extension Instant {
  /// Seconds, or parts of them, since the beginning of 1970, rounded down to the nanosecond; nil beyond 64 bits.
  fileprivate init?(_ number: DecimalNumber?, perSecond: Int) {
    guard let number else { return nil }
    let nanoseconds = number.scaled(by: perSecond == 1 ? 9 : 6).floor
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    guard let seconds = Int64(exactly: remainder < 0 ? quotient - 1 : quotient) else { return nil }
    self.init(seconds: seconds, nanoseconds: UInt32(remainder < 0 ? remainder + 1_000_000_000 : remainder))
  }
}

// MARK: - Texts

extension ColumnEncoder {
  private func categories(
    greatestCount: Int = .max, _ text: (AttributeValue) -> String?
  ) throws(UnsuitableValue) -> EncodedColumn {
    var entries = GatheredEntries(capacity: pointCount)
    for index in 0..<pointCount {
      guard let value = present(index) else {
        entries.appendMissing()
        continue
      }
      guard let text = text(value) else {
        throw UnsuitableValue(
          at: index, expected: "a text, a number or a boolean", found: value,
          remedy: "declare it as text, or leave the cell empty")
      }
      entries.append(.string, text)
      guard entries.entries.count <= greatestCount else {
        throw UnsuitableValue(at: index, expected: "at most \(greatestCount) distinct texts", found: value)
      }
    }
    return EncodedColumn(name: name, kind: .category, entries)
  }

  /// Whatever there is, missing values included, which are null or absent.
  private func texts() -> EncodedColumn {
    var entries = GatheredEntries(capacity: pointCount)
    for index in 0..<pointCount {
      let value = value(index)
      entries.append(value?.tag ?? .absent, value?.text ?? "")
    }
    return EncodedColumn(name: name, kind: .text, entries)
  }
}

/// A moment in time with a precision of one nanosecond. A moment is the time since the beginning of 1970 in UTC,
/// without leap seconds, like Unix time.
public struct Instant: Hashable, Sendable {
  /// The whole seconds since the beginning of 1970; negative before 1970.
  public let seconds: Int64
  /// The nanoseconds after the whole seconds, below 1,000,000,000.
  public let nanoseconds: UInt32

  /// - Parameters:
  ///   - seconds: The whole seconds since the beginning of 1970, negative before 1970.
  ///   - nanoseconds: The nanoseconds after the whole seconds. Each full 1,000,000,000 nanoseconds add 1 to
  ///     `seconds`. If the seconds overflow, the instant is the last possible moment.
  public init(seconds: Int64, nanoseconds: UInt32 = 0) {
    let (sum, overflows) = seconds.addingReportingOverflow(Int64(nanoseconds / 1_000_000_000))
    (self.seconds, self.nanoseconds) = overflows ? (.max, 999_999_999) : (sum, nanoseconds % 1_000_000_000)
  }

  /// Returns the seconds, including their fraction, multiplied by 10^`digits` and rounded down.
  package func ticks(digits: Int) -> Int128 {
    Int128(seconds) * Int128(powerOfTen(digits)) + Int128(nanoseconds) / Int128(powerOfTen(9 - digits))
  }

  /// - Parameter digits: A number from 0 to 9. A tick is one second divided by 10^`digits`. For example, a tick is a
  ///   millisecond if `digits` is 3.
  package init(ticks: Int64, digits: Int) {
    let parts = Int64(powerOfTen(digits))
    let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: parts)
    let part = rest < 0 ? rest + parts : rest
    self.init(
      seconds: rest < 0 ? seconds - 1 : seconds, nanoseconds: UInt32(part * Int64(powerOfTen(9 - digits))))
  }

  /// The least number of decimals with which the fraction of a second is exact.
  package var digits: Int { (0...9).first { nanoseconds % UInt32(powerOfTen(9 - $0)) == 0 }! }

  /// Whether the instant is the first moment of a day in UTC.
  package var isMidnight: Bool { nanoseconds == 0 && seconds % Self.secondsOfDay == 0 }

  static let secondsOfDay: Int64 = 86_400
}

extension Instant: Comparable {
  public static func < (a: Instant, b: Instant) -> Bool {
    (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds)
  }
}

// MARK: - ISO 8601

extension Instant {
  /// Parses a date, or a date and a time of day, in the format of ISO 8601 and RFC 3339: `2024-05-01`,
  /// `2024-05-01T12:30:15.25Z`, `2024-05-01 12:30+02:00`. The date may also have slashes, as in CSV files that GDAL
  /// writes: `2024/05/01 12:30:15+02`. A date alone stands for its first moment. A time without an offset is in UTC.
  /// The 60th second of a minute, a leap second, counts as the first second of the next minute. A year before 0 or
  /// beyond 9999 has a sign and 6 to 12 digits. Returns nil for any other text.
  public init?(_ text: some StringProtocol) {
    var scanner = DigitScanner(bytes: Array(text.utf8))
    guard let year = scanner.year() else { return nil }
    let hasSlashes = scanner.take("/")
    guard hasSlashes || scanner.take("-"), let month = scanner.number(2), scanner.take(hasSlashes ? "/" : "-"),
      let day = scanner.number(2), 1...12 ~= month, 1...Self.days(ofMonth: month, year: year) ~= day
    else { return nil }
    // The last year has moments beyond the range of `Int64`.
    var seconds = Int128(Self.days(since1970: year, month, day)) * Int128(Self.secondsOfDay)
    var nanoseconds: UInt32 = 0
    if !scanner.isAtEnd {
      guard scanner.take("T") || scanner.take("t") || scanner.take(" "), let hour = scanner.number(2), 0...23 ~= hour,
        scanner.take(":"), let minute = scanner.number(2), 0...59 ~= minute
      else { return nil }
      seconds += Int128(hour * 3600 + minute * 60)
      if scanner.take(":") {
        guard let second = scanner.number(2), 0...60 ~= second else { return nil }
        seconds += Int128(second)
        if scanner.take(".") || scanner.take(",") {
          guard let fraction = scanner.fraction() else { return nil }
          nanoseconds = fraction
        }
      }
      guard let offset = scanner.offset() else { return nil }
      seconds -= Int128(offset)
    }
    guard scanner.isAtEnd, let seconds = Int64(exactly: seconds) else { return nil }
    self.init(seconds: seconds, nanoseconds: nanoseconds)
  }

  private static func days(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Returns the number of days from 1970-01-01 to a date. All dates are in the Gregorian calendar, even dates before
  /// its introduction. In the computation, years begin in March, so that a leap day is the last day of a year.
  static func days(since1970 year: Int, _ month: Int, _ day: Int) -> Int64 {
    let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * month + 2) / 5 + day - 1
    return Int64(era * 146_097 + dayOfEra - 719_468)
  }

  /// Returns the date of a day, given the number of days since 1970-01-01.
  static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let day = day + 719_468
    let era = (day >= 0 ? day : day - 146_096) / 146_097
    let dayOfEra = day - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    return (
      yearOfEra + era * 400 + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9,
      dayOfYear - (153 * month + 2) / 5 + 1
    )
  }

  /// The date of the moment's day, such as `2024-05-01`.
  var dateText: String {
    let day = seconds / Self.secondsOfDay - (seconds % Self.secondsOfDay < 0 ? 1 : 0)
    let date = Self.date(ofDay: day)
    // A year outside 0 to 9999 has a sign and at least six digits, as in JavaScript.
    let year =
      0...9999 ~= date.year ? Self.padded(date.year, 4) : (date.year < 0 ? "" : "+") + Self.padded(date.year, 6)
    return "\(year)-\(Self.padded(date.month, 2))-\(Self.padded(date.day, 2))"
  }

  private static func padded(_ number: Int64, _ count: Int) -> String {
    let digits = String(number.magnitude)
    return (number < 0 ? "-" : "") + String(repeating: "0", count: max(count - digits.count, 0)) + digits
  }
}

extension Instant: CustomStringConvertible {
  /// The moment in UTC as RFC 3339 writes it: `2024-05-01T10:30:15.25Z`.
  public var description: String {
    let second = (seconds % Self.secondsOfDay + Self.secondsOfDay) % Self.secondsOfDay
    let time = [second / 3600, second / 60 % 60, second % 60].map { Self.padded($0, 2) }.joined(separator: ":")
    let fraction = Self.padded(Int64(nanoseconds) / Int64(powerOfTen(9 - digits)), digits)
    return "\(dateText)T\(time)\(nanoseconds == 0 ? "" : ".\(fraction)")Z"
  }
}

private struct DigitScanner {
  let bytes: [UInt8]
  private var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: scalar) else { return false }
    position += 1
    return true
  }

  private mutating func digit() -> Int? {
    guard position < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[position] else { return nil }
    defer { position += 1 }
    return Int(bytes[position] - UInt8(ascii: "0"))
  }

  /// Reads a year: four digits, or a sign and 6 to 12 digits.
  mutating func year() -> Int? {
    let isNegative = take("-")
    guard isNegative || take("+") else { return number(4) }
    guard var year = number(6) else { return nil }
    for _ in 6..<12 {
      guard let digit = digit() else { break }
      year = year * 10 + digit
    }
    // The seconds since 1970 do not fit into an Int64 in a later year.
    guard year <= 292_277_026_596 else { return nil }
    return isNegative ? -year : year
  }

  /// Reads a number of `count` digits.
  mutating func number(_ count: Int) -> Int? {
    var number = 0
    for _ in 0..<count {
      guard let digit = digit() else { return nil }
      number = number * 10 + digit
    }
    return number
  }

  /// Reads one or more digits: a fraction of a second. Returns the fraction in nanoseconds, rounded down.
  mutating func fraction() -> UInt32? {
    guard var nanoseconds = digit().map({ UInt32($0) * 100_000_000 }) else { return nil }
    var weight: UInt32 = 10_000_000
    while let digit = digit() {
      nanoseconds += UInt32(digit) * weight
      weight /= 10
    }
    return nanoseconds
  }

  /// Reads an offset as seconds east of Greenwich: `Z`, `+02:00`, `+0200`, `+02`, or nothing for 0. After another
  /// colon, seconds may follow. PostgreSQL writes seconds for local mean times, which were used before there were time
  /// zones.
  mutating func offset() -> Int64? {
    if isAtEnd || take("Z") || take("z") { return 0 }
    let isWest = take("-")
    guard isWest || take("+"), let hours = number(2), 0...23 ~= hours else { return nil }
    var (minutes, rest) = (0, 0)
    if !isAtEnd {
      let hasColon = take(":")
      guard let number = number(2), 0...59 ~= number else { return nil }
      minutes = number
      if hasColon && take(":") {
        guard let number = self.number(2), 0...59 ~= number else { return nil }
        rest = number
      }
    }
    let seconds = Int64(hours * 3600 + minutes * 60 + rest)
    return isWest ? -seconds : seconds
  }
}

/// Returns 10 to a power from 0 to 18.
package func powerOfTen(_ exponent: Int) -> UInt64 { (0..<exponent).reduce(1) { power, _ in power * 10 } }

import Foundation
import PointSets
import TestSupport
import Testing

@testable import Treeline

/// Checks instants and decimals against slow and simple code.
@Suite struct ExactValueTests {
  // MARK: Instants

  private static func days(inYear year: Int) -> Int {
    year % 400 == 0 || year % 4 == 0 && year % 100 != 0 ? 366 : 365
  }

  private static func days(ofMonth month: Int, _ year: Int) -> Int {
    [31, days(inYear: year) - 337, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }

  /// Returns the number of days since 1970, counted year by year and month by month.
  private static func days(since1970 year: Int, _ month: Int, _ day: Int) -> Int {
    var days = day - 1
    for month in 1..<month { days += Self.days(ofMonth: month, year) }
    if year >= 1970 { return (1970..<year).reduce(days) { $0 + Self.days(inYear: $1) } }
    return (year..<1970).reduce(days) { $0 - Self.days(inYear: $1) }
  }

  private static func padded(_ number: Int, _ count: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(count - text.count, 0)) + text
  }

  @Test func instantsAreCountedFromTheCalendar() {
    var random = SplitMix64(seed: 61)
    for _ in 0..<Trials.count(20_000) {
      let year = [random.index(below: 10_000), 1890 + random.index(below: 160), 0, 1, 1582, 1970][
        random.index(below: 6)]
      let month = 1 + random.index(below: 12)
      let day = 1 + random.index(below: Self.days(ofMonth: month, year))
      // Second 60 of a minute is the same instant as second 0 of the next minute.
      let (hour, minute, second) = (random.index(below: 24), random.index(below: 60), random.index(below: 61))
      let offset = random.index(below: 2) == 0 ? 0 : random.index(below: 2 * 1439) - 1439
      let digitCount = random.index(below: 13)
      let fraction = (0..<digitCount).map { _ in "\(random.index(below: 10))" }.joined()
      let zone =
        offset == 0
        ? ["Z", "", "+00:00", "z"][random.index(below: 4)]
        : (offset < 0 ? "-" : "+") + Self.padded(abs(offset) / 60, 2) + [":", ""][random.index(below: 2)]
          + Self.padded(abs(offset) % 60, 2)
      let date = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
      let text =
        date + ["T", " ", "t"][random.index(below: 3)] + "\(Self.padded(hour, 2)):\(Self.padded(minute, 2)):"
        + Self.padded(second, 2) + (digitCount > 0 ? [".", ","][random.index(below: 2)] + fraction : "") + zone
      let seconds =
        Self.days(since1970: year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset * 60
      // Digits finer than a nanosecond are rounded down.
      let nanoseconds = UInt32((fraction + "000000000").prefix(9))!
      let expected = Instant(seconds: Int64(seconds), nanoseconds: nanoseconds)
      #expect(Instant(text) == expected, "\(text)")
      #expect(Instant(date)?.seconds == Int64(Self.days(since1970: year, month, day) * 86_400), "\(date)")
      #expect(expected.isMidnight == (seconds % 86_400 == 0 && nanoseconds == 0))
      #expect(Instant(expected.description) == expected, "\(expected)")
      for digits in expected.digits...9 {
        guard let ticks = Int64(exactly: expected.ticks(digits: digits)) else { continue }
        #expect(Instant(ticks: ticks, digits: digits) == expected, "\(text)")
      }
      let digits = random.index(below: 10)
      // Ticks are rounded down, also before 1970.
      let unit = NSDecimalNumber(decimal: pow(Decimal(10), digits)).int64Value
      let whole = Int128(seconds) * 1_000_000_000 + Int128(nanoseconds)
      let step = Int128(1_000_000_000 / unit)
      let floor = whole >= 0 ? whole / step : -((-whole + step - 1) / step)
      #expect(expected.ticks(digits: digits) == floor, "\(text), \(digits) digits")
    }
  }

  /// Checks years of more than four digits. They have a sign, as in ISO 8601, and at least six digits, as in
  /// JavaScript.
  @Test func yearsOfMoreDigitsAreWrittenAndRead() {
    #expect("\(Instant(seconds: 253_402_300_799))" == "9999-12-31T23:59:59Z")
    #expect("\(Instant(seconds: 253_402_300_800))" == "+010000-01-01T00:00:00Z")
    #expect("\(Instant(seconds: -62_167_219_201))" == "-000001-12-31T23:59:59Z")
    var random = SplitMix64(seed: 77)
    for _ in 0..<Trials.count(2000) {
      let instant = Instant(
        seconds: Int64(bitPattern: random.next()) >> (2 + random.index(below: 30)),
        nanoseconds: UInt32(random.index(below: 1_000_000_000)))
      #expect(Instant("\(instant)") == instant, "\(instant)")
    }
    for text in ["10000-01-01", "+10000-01-01", "+1234567890123-01-01", "+999999999999-01-01", "--2024-01-01"] {
      #expect(Instant(text) == nil, "\(text)")
    }
  }

  /// Checks times in the forms in which programs write them into CSV.
  @Test func timesOfDatabasesAreRead() {
    let noon = Instant("2024-05-01T10:00:00Z")
    #expect(Instant("2024-05-01 12:00:00+02") == noon)
    #expect(Instant("2024/05/01 12:00:00.000+02") == noon)
    #expect(Instant("2024/05/01") == Instant("2024-05-01"))
    #expect(Instant("1890-05-01 12:09:21+00:09:21") == Instant("1890-05-01T12:00:00Z"))
    #expect(Instant("1890-05-01 11:50:39-00:09:21") == Instant("1890-05-01T12:00:00Z"))
    for text in [
      "2024/05-01", "2024-05/01", "01/05/2024", "2024-05-01 12:00+0009:21", "2024-05-01 12:00+00:09:60", "infinity",
    ] {
      #expect(Instant(text) == nil, "\(text)")
    }
  }

  @Test func whatIsNoTimeIsRefused() {
    for text in [
      "", "2024", "2024-13-01", "2023-02-29", "1900-02-29", "2024-00-01", "2024-04-31", "2024-05-01T24:00:00Z",
      "2024-05-01T12:60", "2024-05-01T12:00:61", "2024-05-01T12:00:00.", "2024-05-01T12:00:00+",
      "2024-05-01T12:00:00+24",
      "2024-05-01T12:00:00Zz", "-2024-05-01", "2024-05-01T", "2024-5-1", " 2024-05-01", "2024-05-01 ", "20240501",
    ] { #expect(Instant(text) == nil, "\(text)") }
  }

  // MARK: Decimals

  /// A decimal number: its digits, without zeros at the start or the end, and a power of ten.
  private struct Written: Equatable {
    let isNegative: Bool
    let digits: String
    let exponent: Int

    init(isNegative: Bool, digits: String, exponent: Int) {
      var (digits, exponent) = (String(digits.drop { $0 == "0" }), exponent)
      while digits.hasSuffix("0") {
        digits.removeLast()
        exponent += 1
      }
      self.isNegative = isNegative && !digits.isEmpty
      (self.digits, self.exponent) = (digits, digits.isEmpty ? 0 : exponent)
    }

    init(_ number: DecimalNumber) {
      self.init(
        isNegative: number.significand < 0, digits: "\(number.significand.magnitude)", exponent: number.exponent)
    }
  }

  @Test func decimalsAreWhatIsWritten() throws {
    var random = SplitMix64(seed: 62)
    func digits(_ count: Int) -> String {
      (0..<count).map { _ in "\(random.index(below: 3) == 0 ? 0 : random.index(below: 10))" }.joined()
    }
    for _ in 0..<Trials.count(20_000) {
      let first = random.index(below: 3) == 0 ? "0" : "\(1 + random.index(below: 9))" + digits(random.index(below: 20))
      let decimals = digits(random.index(below: 18))
      let power = random.index(below: 2) == 0 ? 0 : random.index(below: 60) - 30
      let isNegative = random.index(below: 2) == 0
      let text =
        (isNegative ? "-" : "") + first + (decimals.isEmpty ? "" : "." + decimals) + (power == 0 ? "" : "e\(power)")
      let expected = Written(isNegative: isNegative, digits: first + decimals, exponent: power - decimals.count)
      guard let number = DecimalNumber(text) else {
        #expect(expected.digits.count > 37, "\(text)")
        continue
      }
      #expect(Written(number) == expected, "\(text)")
      // Zeros before the decimal point count as digits, too.
      if expected.digits.count + max(expected.exponent, 0) <= 38 {
        #expect(number == DecimalNumber("\(number)"), "\(text)")
      }
      #expect(number.double == Double(text), "\(text)")
      // Rounds the number down to `scale` decimals, by dropping digits.
      let scale = random.index(below: 12)
      let shift = expected.exponent + scale
      guard expected.digits.count + max(shift, 0) < 36 else { continue }
      let shifted = shift >= 0 ? expected.digits + String(repeating: "0", count: shift) : expected.digits
      let dropped = min(max(-shift, 0), shifted.count)
      let kept = shifted.dropLast(dropped)
      let isWhole =
        shifted.suffix(dropped).allSatisfy { $0 == "0" } && (shift >= 0 || -shift <= shifted.count || shifted.isEmpty)
      let magnitude = kept.isEmpty ? Int128(0) : Int128(kept)!
      let floor = expected.isNegative ? -magnitude - (isWhole ? 0 : 1) : magnitude
      let found = number.scaled(by: scale)
      #expect(found.floor == floor && found.isWhole == isWhole, "\(text) by \(scale)")
    }
  }

  @Test func decimalsLoseTheirZerosWhateverTheirSize() {
    var random = SplitMix64(seed: 63)
    for _ in 0..<Trials.count(20_000) {
      let significand = Int128(Int64(bitPattern: random.next())) >> Int128(random.index(below: 64))
      let zeros = random.index(below: 19)
      let number = DecimalNumber(significand: significand * Int128(powerOfTen(zeros)), exponent: -zeros)
      #expect(Written(number) == Written(isNegative: significand < 0, digits: "\(significand.magnitude)", exponent: 0))
    }
    #expect(DecimalNumber(significand: Int128(Int64.min), exponent: 0).significand == Int128(Int64.min))
    #expect(DecimalNumber(significand: 0, exponent: 5).exponent == 0)
  }
}

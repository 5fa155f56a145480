import Treeline

/// A summary of the numbers of a column. Surveys of different parts of the points can be added up in any order.
struct NumberSurvey: Sendable {
  /// At index i, the range of the numbers with i decimals. The bounds of the range are integers: the least and the
  /// greatest number, both without the decimal point.
  private var ranges = [ClosedRange<Int64>?](repeating: nil, count: SmallDecimal.mostDecimals + 1)
  /// Whether any number is not a `SmallDecimal`. Then all numbers are stored as doubles.
  private var areReals = false
  /// Whether any value is not a number (NaN). Such values are missing, but they show that the column has numbers.
  private var hasNaN = false

  /// Whether the values show that the column has numbers.
  var hasNumbers: Bool { areReals || hasNaN || ranges.contains { $0 != nil } }

  mutating func add(_ number: SmallDecimal) { add(number.significand...number.significand, decimals: number.decimals) }

  mutating func addReal() { areReals = true }

  mutating func addNaN() { hasNaN = true }

  mutating func add(_ other: NumberSurvey) {
    (areReals, hasNaN) = (areReals || other.areReals, hasNaN || other.hasNaN)
    for (decimals, range) in other.ranges.enumerated() { if let range { add(range, decimals: decimals) } }
  }

  private mutating func add(_ range: ClosedRange<Int64>, decimals: Int) {
    ranges[decimals] =
      ranges[decimals].map {
        min($0.lowerBound, range.lowerBound)...max($0.upperBound, range.upperBound)
      } ?? range
  }

  /// The encoding of all numbers.
  var form: ColumnForm {
    guard !areReals else { return .reals }
    let digits = ranges.lastIndex { $0 != nil } ?? 0
    var all: ClosedRange<Int64>?
    for (decimals, range) in ranges.enumerated() {
      guard let range else { continue }
      let power = Int64(powerOfTen(digits - decimals))
      let (low, lowOverflows) = range.lowerBound.multipliedReportingOverflow(by: power)
      let (high, highOverflows) = range.upperBound.multipliedReportingOverflow(by: power)
      if lowOverflows || highOverflows { return .reals }
      all = all.map { min($0.lowerBound, low)...max($0.upperBound, high) } ?? low...high
    }
    return ColumnForm(.number, integersIn: all, digits: digits) ?? .reals
  }
}

extension NumberSurvey: BinaryCodable {
  func write(to bytes: inout PlainBytes) {
    bytes.append((areReals ? 1 : 0) | (hasNaN ? 2 : 0) as UInt8)
    bytes.append(ranges.map { $0 == nil ? 0 : 1 as UInt8 })
    bytes.append(ranges.flatMap { [$0?.lowerBound ?? 0, $0?.upperBound ?? 0] })
  }

  init(from bytes: inout PlainBytes) throws(PieceError) {
    let flags = try bytes.read(UInt8.self)
    (areReals, hasNaN) = (flags & 1 != 0, flags & 2 != 0)
    let areThere: [UInt8] = try bytes.readArray()
    let bounds: [Int64] = try bytes.readArray()
    guard areThere.count == ranges.count, bounds.count == 2 * ranges.count else { throw Self.unsound }
    for index in ranges.indices where areThere[index] != 0 {
      guard bounds[2 * index] <= bounds[2 * index + 1] else { throw Self.unsound }
      ranges[index] = bounds[2 * index]...bounds[2 * index + 1]
    }
  }

  private static let unsound = PieceError.damaged(
    what: "a survey of numbers", expected: "a range for 0 decimals, for 1 decimal and so on", found: "other values")
}

/// Returns the index of a point among all points.
///
/// - Parameters:
///   - point: Index of the point in a batch.
///   - first: Number of points before the batch.
/// - Throws: `PieceError.rowOutOfRange` if the index among all points is greater than 2^53.
func numberedPoint(_ point: Int, from first: Int) throws(PieceError) -> Int {
  let (number, overflows) = point.addingReportingOverflow(first)
  guard !overflows, number <= StoredRows.greatest else { throw .rowOutOfRange }
  return number
}

/// A summary of the times of a column. Surveys of different parts of the points can be added up in any order.
struct TimeSurvey: Sendable {
  /// Greatest number of decimals that any of the added times has in its seconds.
  private var digits = 0
  private var areMidnights = true
  /// Whether any time was given as a number and lies before 1971 or after 2100. This happens if a date such as
  /// 20240501, or a time in milliseconds, is read as a number of seconds.
  private(set) var hasOddNumbers = false
  /// The first and the last time, each with the first point at that time.
  private var least: (instant: Instant, point: Int)?
  private var greatest: (instant: Instant, point: Int)?

  mutating func add(_ instant: Instant, ofPoint point: Int) {
    if instant.nanoseconds > 0 { digits = max(digits, instant.digits) }
    areMidnights = areMidnights && instant.isMidnight
    widen((instant, point), (instant, point))
  }

  /// Seconds from the beginning of 1971 to the end of 2100.
  private static let usualSeconds: Range<Int64> = 31_536_000..<4_133_980_800

  /// Records that a time was given as a number.
  mutating func noteNumber(_ instant: Instant) {
    if !(Self.usualSeconds ~= instant.seconds) { hasOddNumbers = true }
  }

  mutating func add(_ other: TimeSurvey) {
    hasOddNumbers = hasOddNumbers || other.hasOddNumbers
    digits = max(digits, other.digits)
    areMidnights = areMidnights && other.areMidnights
    if let least = other.least, let greatest = other.greatest { widen(least, greatest) }
  }

  /// Returns this survey with `first` added to its point numbers.
  func numbered(from first: Int) throws(PieceError) -> TimeSurvey {
    var survey = self
    survey.least?.point = try numberedPoint(least?.point ?? 0, from: first)
    survey.greatest?.point = try numberedPoint(greatest?.point ?? 0, from: first)
    return survey
  }

  private mutating func widen(_ low: (instant: Instant, point: Int), _ high: (instant: Instant, point: Int)) {
    if let least, (least.instant, least.point) <= low {} else { least = low }
    // If several points have the least time, keeps the first of them. This also holds for the greatest time.
    if let greatest, (high.instant, greatest.point) <= (greatest.instant, high.point) {} else { greatest = high }
  }

  /// Returns the encoding of all times.
  func form() throws(UnsuitableValue) -> ColumnForm {
    guard let least, let greatest else { return ColumnForm(.time, integersIn: nil, digits: 0)! }
    guard let low = Int64(exactly: least.instant.ticks(digits: digits)) else { throw beyond(least) }
    guard let high = Int64(exactly: greatest.instant.ticks(digits: digits)),
      let form = ColumnForm(.time, integersIn: low...high, digits: digits, areDates: areMidnights)
    else { throw beyond(greatest) }
    return form
  }

  private func beyond(_ found: (instant: Instant, point: Int)) -> UnsuitableValue {
    UnsuitableValue(
      at: found.point,
      expected: "a time that can be stored in 64 bits as "
        + (digits == 0 ? "whole seconds" : "seconds with \(digits) \(digits == 1 ? "decimal" : "decimals")"),
      found: "\(found.instant)",
      remedy: "give times with fewer decimals, declare the column as category or text, or leave the value out")
  }
}

extension TimeSurvey: BinaryCodable {
  func write(to bytes: inout PlainBytes) {
    bytes.append([UInt8(digits), PlainBytes.bits([areMidnights, hasOddNumbers])])
    let ends = [least, greatest].compactMap { $0 }
    bytes.append(ends.flatMap { [$0.instant.seconds, Int64($0.instant.nanoseconds), Int64($0.point)] })
  }

  init(from bytes: inout PlainBytes) throws(PieceError) {
    let flags: [UInt8] = try bytes.readArray()
    let ends: [Int64] = try bytes.readArray()
    guard flags.count == 2, flags[0] <= 9, ends.isEmpty || ends.count == 6 else { throw Self.unsound }
    (digits, areMidnights, hasOddNumbers) = (Int(flags[0]), flags[1] & 1 != 0, flags[1] & 2 != 0)
    if ends.isEmpty { return }
    guard 0..<1_000_000_000 ~= ends[1], 0..<1_000_000_000 ~= ends[4] else { throw Self.unsound }
    least = (Instant(seconds: ends[0], nanoseconds: UInt32(ends[1])), Int(ends[2]))
    greatest = (Instant(seconds: ends[3], nanoseconds: UInt32(ends[4])), Int(ends[5]))
    guard (ends[0], ends[1]) <= (ends[3], ends[4]), 0...Int64(StoredRows.greatest) ~= ends[2],
      0...Int64(StoredRows.greatest) ~= ends[5]
    else { throw Self.unsound }
  }

  private static let unsound = PieceError.damaged(
    what: "a survey of times", expected: "its first and its last time", found: "other values")
}

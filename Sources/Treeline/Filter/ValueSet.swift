/// A set of values of a column, without missing values.
enum ValueSet {
  /// Ranges of the codes of integers. A code is an integer minus the base of the column. The ranges are sorted and do
  /// not touch.
  case codes([ClosedRange<UInt64>])
  /// Ranges of doubles. The ranges are sorted and do not touch.
  case reals([ClosedRange<Double>])
  /// A flag for each entry of a dictionary. The flag is true if the entry is in the set.
  case entries([Bool])

  static let finite = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude

  /// Returns the union of ranges of codes, which may be in any order.
  static func union(_ ranges: [ClosedRange<UInt64>]) -> ValueSet {
    .codes(union(ranges) { $0 < .max ? $0 + 1 : $0 })
  }

  /// Returns the union of ranges of doubles, which may be in any order.
  static func union(_ ranges: [ClosedRange<Double>]) -> ValueSet { .reals(union(ranges, \.nextUp)) }

  private static func union<Value>(_ parts: [ClosedRange<Value>], _ next: (Value) -> Value) -> [ClosedRange<Value>] {
    var ranges: [ClosedRange<Value>] = []
    for range in parts.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = ranges.last, range.lowerBound <= next(last.upperBound) {
        ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        ranges.append(range)
      }
    }
    return ranges
  }

  func intersection(_ other: ValueSet) -> ValueSet {
    switch (self, other) {
    case (.codes(let a), .codes(let b)): .codes(Self.intersection(a, b))
    case (.reals(let a), .reals(let b)): .reals(Self.intersection(a, b))
    case (.entries(let a), .entries(let b)): .entries(zip(a, b).map { $0 && $1 })
    default: preconditionFailure("Expected values of the same column, found values of different columns")
    }
  }

  private static func intersection<Value>(_ a: [ClosedRange<Value>], _ b: [ClosedRange<Value>]) -> [ClosedRange<Value>]
  {
    a.flatMap { a in b.filter { $0.overlaps(a) }.map { $0.clamped(to: a) } }
  }

  /// Returns the values of the column that are neither in this set nor missing.
  func complement(in column: Column) -> ValueSet {
    switch (self, column.values) {
    case (.codes(let ranges), .integers(let integers)):
      .codes(
        Self.complement(ranges, in: 0...integers.missingCode - 1, before: { $0 - 1 }, after: { $0 + 1 }))
    case (.reals(let ranges), _):
      .reals(Self.complement(ranges, in: Self.finite, before: \.nextDown, after: \.nextUp))
    case (.entries(let isIn), .entries(let entries)): .entries(zip(isIn, entries.isPresent).map { !$0 && $1 })
    default: preconditionFailure("Expected values of this column, found values of another column")
    }
  }

  private static func complement<Value>(
    _ ranges: [ClosedRange<Value>], in all: ClosedRange<Value>, before: (Value) -> Value, after: (Value) -> Value
  ) -> [ClosedRange<Value>] {
    var others: [ClosedRange<Value>] = []
    var start: Value? = all.lowerBound
    for range in ranges {
      if let start, start < range.lowerBound { others.append(start...before(range.lowerBound)) }
      start = range.upperBound < all.upperBound ? after(range.upperBound) : nil
    }
    if let start { others.append(start...all.upperBound) }
    return others
  }
}

extension EntryValues {
  /// Returns the entries that pass a test. Each entry is tested once.
  func set(where passes: (Int) -> Bool) throws(FilterError) -> ValueSet {
    var isIn: [Bool] = []
    isIn.reserveCapacity(dictionary.entryCount)
    for entry in 0..<dictionary.entryCount {
      if entry & 0xFFF == 0, Cancellation.isCancelled { throw .cancelled }
      isIn.append(passes(entry))
    }
    return .entries(isIn)
  }
}

extension IntegerValues {
  /// Returns the codes of the integers from `least` through `greatest`.
  private func codes(from least: Int128, through greatest: Int128) -> [ClosedRange<UInt64>] {
    let start = max(code(clamping: least), 0)
    let end = min(code(clamping: greatest), Int128(missingCode) - 1)
    return start <= end ? [UInt64(start)...UInt64(end)] : []
  }

  /// Returns the codes of the integers for which a comparison with the interval from `least` through `greatest` is
  /// true. If `least` is one above `greatest`, the interval is empty and lies between these two integers.
  func codes(_ comparison: Filter.Comparison, from least: Int128, through greatest: Int128)
    -> [ClosedRange<UInt64>]
  {
    let (lowest, highest) = (-Int128(1) << 126, Int128(1) << 126)
    return switch comparison {
    case .equals: codes(from: least, through: greatest)
    case .isNot: codes(from: lowest, through: least - 1) + codes(from: greatest + 1, through: highest)
    case .isLess: codes(from: lowest, through: least - 1)
    case .isAtMost: codes(from: lowest, through: greatest)
    case .isGreater: codes(from: greatest + 1, through: highest)
    case .isAtLeast: codes(from: least, through: highest)
    }
  }

  /// Returns the first tick at or after a moment. A tick is 10^-`digits` seconds.
  func ceiling(_ instant: Instant) -> Int128 {
    instant.ticks(digits: digits) + (instant.digits > digits ? 1 : 0)
  }

  func codes(_ relation: Filter.TemporalRelation, _ interval: TimeInterval) -> [ClosedRange<UInt64>] {
    let (lowest, highest) = (-Int128(1) << 126, Int128(1) << 126)
    let start = interval.start.map(ceiling) ?? lowest
    let end = interval.end?.ticks(digits: digits) ?? highest
    func strictly(_ instant: Instant?) -> Bool { instant.map { $0.digits <= digits } ?? false }
    switch relation {
    case .isAfter: return codes(from: end + 1, through: highest)
    case .isBefore: return codes(from: lowest, through: start - 1)
    case .isIn: return codes(from: start, through: end)
    case .isOutside: return codes(from: lowest, through: start - 1) + codes(from: end + 1, through: highest)
    case .isDuring:
      return codes(from: start + (strictly(interval.start) ? 1 : 0), through: end - (strictly(interval.end) ? 1 : 0))
    case .startsIt: return strictly(interval.start) ? codes(from: start, through: start) : []
    case .finishesIt: return strictly(interval.end) ? codes(from: end, through: end) : []
    case .equals: return interval.isMomentOrDay ? codes(from: start, through: end) : []
    }
  }
}

extension TimeInterval {
  /// Creates the interval of all moments of a day.
  init(ofDay start: Instant) {
    let (end, isBeyond) = start.seconds.addingReportingOverflow(Instant.secondsOfDay - 1)
    self.init(start, Instant(seconds: isBeyond ? .max : end, nanoseconds: 999_999_999))
  }

  /// Whether the interval is a single moment or a whole day. Only such an interval can equal a time.
  fileprivate var isMomentOrDay: Bool {
    guard let start, let end else { return false }
    return start == end || start.isMidnight && TimeInterval(ofDay: start) == self
  }
}

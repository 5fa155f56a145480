/// Finds the plan of a filter over a tree.
struct FilterPlanner {
  let tree: ClusterTree

  /// How many bytes of text a pattern is compared with at most.
  static let maximumTextBytes = 1 << 28

  func plan(_ expression: Filter.Expression, isNegated: Bool) throws(FilterError) -> FilterPlan {
    switch expression {
    case .all(let parts): return try combined(parts, isNegated, isAll: !isNegated)
    case .any(let parts): return try combined(parts, isNegated, isAll: isNegated)
    case .not(let part): return try plan(part, isNegated: !isNegated)
    case .comparison(let name, let comparison, let value):
      return try plan(column(name), isNegated) { column throws(FilterError) in
        try values(of: column, comparison, value)
      }
    case .between(let name, let least, let greatest):
      return try plan(column(name), isNegated) { column throws(FilterError) in
        try values(of: column, .isAtLeast, least).intersection(values(of: column, .isAtMost, greatest))
      }
    case .isIn(let name, let list):
      return try plan(column(name), isNegated) { column throws(FilterError) in
        try values(of: column, in: list)
      }
    case .temporal(let name, let relation, let interval):
      return try plan(column(name), isNegated) { column throws(FilterError) in
        guard column.kind == .time, case .integers(let integers) = column.values else {
          throw .unsuited(
            column: name, kind: column.kind, expected: "a column of kind time", found: relation.rawValue)
        }
        return .codes(integers.codes(relation, interval))
      }
    case .like(let name, let pattern):
      return try plan(column(name), isNegated) { column throws(FilterError) in try values(of: column, like: pattern) }
    case .isMissing(let name):
      let column = try column(name)
      switch column.values {
      case .reals(let reals):
        return .test(isNegated ? .reals(reals, ValueSet.finite) : .missingReals(reals))
      case .integers(let integers):
        let missing = integers.missingCode
        return isNegated
          ? .test(.codes(integers.codes, 0, through: missing - 1))
          : .test(.codes(integers.codes, missing, through: missing))
      case .entries(let entries):
        let present = entries.isPresent
        return table(present.map { $0 != isNegated ? 0 : 1 } + [isNegated ? 0 : 1], of: entries)
      }
    case .intersects(let area): return .bits(try bits(of: area, isNegated: isNegated))
    }
  }

  private func combined(_ parts: [Filter.Expression], _ isNegated: Bool, isAll: Bool) throws(FilterError) -> FilterPlan
  {
    var plans: [FilterPlan] = []
    for part in parts { plans.append(try plan(part, isNegated: isNegated)) }
    return isAll ? .all(plans) : .any(plans)
  }

  private func column(_ name: String) throws(FilterError) -> Column {
    guard let column = tree.column(name) else {
      throw .unknownColumn(name: name, known: tree.columns.map(\.name))
    }
    return column
  }

  /// A test of the values of a column, or of its other values.
  private func plan(
    _ column: Column, _ isNegated: Bool, _ values: (Column) throws(FilterError) -> ValueSet
  ) throws(FilterError) -> FilterPlan {
    var set = try values(column)
    if isNegated { set = set.complement(in: column) }
    switch (set, column.values) {
    case (.codes(let ranges), .integers(let integers)):
      if ranges.count > ColumnTest.fewRanges { return .test(.codeRanges(integers.codes, ranges)) }
      return .any(of: ranges.map { .test(.codes(integers.codes, $0.lowerBound, through: $0.upperBound)) })
    case (.reals(let ranges), .reals(let reals)):
      if ranges.count > ColumnTest.fewRanges { return .test(.realRanges(reals, ranges)) }
      return .any(of: ranges.map { .test(.reals(reals, $0)) })
    case (.entries(let isIn), .entries(let entries)): return table(isIn.map { $0 ? 1 : 0 } + [0], of: entries)
    default: preconditionFailure("A set of values of another column")
    }
  }

  /// - Parameter table: Of all entries, and of missing values.
  private func table(_ table: [UInt8], of entries: EntryValues) -> FilterPlan {
    guard let first = table.firstIndex(of: 1) else { return .nothing }
    let last = table.lastIndex(of: 1)!
    // Whatever codes a damaged file has above the last one, they are missing values, too.
    if last < table.count - 1, table[first...last].allSatisfy({ $0 == 1 }) {
      return .test(.codes(entries.codes, UInt64(first), through: UInt64(last)))
    }
    return .test(.table(entries.codes, table))
  }
}

extension FilterPlan {
  fileprivate static func any(of plans: [FilterPlan]) -> FilterPlan {
    plans.count > 1 ? .any(plans) : plans.first ?? .nothing
  }
}

// MARK: - Sets of values

/// Some of the values of a column, missing ones left out.
private enum ValueSet {
  /// Of integers: ranges of codes in order, which do not touch.
  case codes([ClosedRange<UInt64>])
  /// The same of doubles.
  case reals([ClosedRange<Double>])
  /// Whether each entry is one.
  case entries([Bool])

  static let finite = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude

  /// The codes of any of some ranges, in whatever order.
  static func union(_ ranges: [ClosedRange<UInt64>]) -> ValueSet {
    .codes(union(ranges) { $0 < .max ? $0 + 1 : $0 })
  }

  /// The doubles of any of some ranges, in whatever order.
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
    default: preconditionFailure("Sets of values of two columns")
    }
  }

  private static func intersection<Value>(_ a: [ClosedRange<Value>], _ b: [ClosedRange<Value>]) -> [ClosedRange<Value>]
  {
    a.flatMap { a in b.filter { $0.overlaps(a) }.map { $0.clamped(to: a) } }
  }

  /// All other values that are not missing.
  func complement(in column: Column) -> ValueSet {
    switch (self, column.values) {
    case (.codes(let ranges), .integers(let integers)):
      .codes(
        Self.complement(ranges, in: 0...integers.missingCode - 1, before: { $0 - 1 }, after: { $0 + 1 }))
    case (.reals(let ranges), _):
      .reals(Self.complement(ranges, in: Self.finite, before: \.nextDown, after: \.nextUp))
    case (.entries(let isIn), .entries(let entries)): .entries(zip(isIn, entries.isPresent).map { !$0 && $1 })
    default: preconditionFailure("A set of values of another column")
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

// MARK: - Comparisons

extension FilterPlanner {
  private func values(of column: Column, _ comparison: Filter.Comparison, _ value: FilterValue) throws(FilterError)
    -> ValueSet
  {
    func unsuited(_ expected: String) -> FilterError {
      .unsuited(column: column.name, kind: column.kind, expected: expected, found: value.content.phrase)
    }
    switch (column.values, column.kind) {
    case (.integers(let integers), .number):
      guard case .number(let number) = value.content else { throw unsuited("a number") }
      let (floor, isWhole) = number.scaled(by: integers.digits)
      return .codes(integers.codes(comparison, from: isWhole ? floor : floor + 1, through: floor))
    case (.integers(let integers), .boolean):
      guard case .boolean(let flag) = value.content else { throw unsuited("TRUE or FALSE") }
      return .codes(integers.codes(comparison, from: flag ? 1 : 0, through: flag ? 1 : 0))
    case (.integers(let integers), _):
      guard let interval = value.content.interval else {
        throw unsuited("a date or a time, such as DATE('2024-05-01') or TIMESTAMP('2024-05-01T12:00:00Z')")
      }
      let (start, end) = (interval.start!, interval.end!)
      return .codes(
        integers.codes(
          comparison, from: integers.ceiling(start), through: end.ticks(digits: integers.digits)))
    case (.reals, _):
      guard case .number(let number) = value.content else { throw unsuited("a number") }
      return .reals(Self.range(comparison, number.double))
    case (.entries(let entries), let kind):
      guard value.content.compares(with: kind) else {
        throw unsuited(kind == .text ? "a text, a number, TRUE or FALSE" : "a text in single quotes")
      }
      var areComparable = value.content.isText || !entries.isPresent.contains(true)
      let set = try entries.set { entry in
        guard let order = value.content.order(of: entries.dictionary.value(ofEntry: entry)) else { return false }
        areComparable = true
        return comparison.accepts(order)
      }
      // A comparison that no value could pass is a mistake.
      guard areComparable else { throw unsuited("a text in single quotes") }
      return set
    }
  }

  /// The values that equal any of some.
  private func values(of column: Column, in list: [FilterValue]) throws(FilterError) -> ValueSet {
    switch column.values {
    case .integers:
      var ranges: [ClosedRange<UInt64>] = []
      for value in list {
        guard case .codes(let equal) = try values(of: column, .equals, value) else { continue }
        ranges += equal
      }
      return .union(ranges)
    case .reals:
      var ranges: [ClosedRange<Double>] = []
      for value in list {
        guard case .reals(let equal) = try values(of: column, .equals, value) else { continue }
        ranges += equal
      }
      return .union(ranges)
    case .entries(let entries):
      // A value that is refused alone is refused in a list.
      let refused = list.first { !$0.content.compares(with: column.kind) } ?? list.first { !$0.content.isText }
      if let refused { _ = try values(of: column, .equals, refused) }
      let known = EqualValues(list)
      return try entries.set { known.contain(entries.dictionary.value(ofEntry: $0)) }
    }
  }

  private static func range(_ comparison: Filter.Comparison, _ value: Double) -> [ClosedRange<Double>] {
    let (least, greatest) = (ValueSet.finite.lowerBound, ValueSet.finite.upperBound)
    func range(_ start: Double, _ end: Double) -> [ClosedRange<Double>] {
      let (start, end) = (max(start, least), min(end, greatest))
      return start <= end ? [start...end] : []
    }
    return switch comparison {
    case .equals: range(value, value)
    case .isNot: range(least, value.nextDown) + range(value.nextUp, greatest)
    case .isLess: range(least, value.nextDown)
    case .isAtMost: range(least, value)
    case .isGreater: range(value.nextUp, greatest)
    case .isAtLeast: range(value, greatest)
    }
  }

  private func values(of column: Column, like pattern: String) throws(FilterError) -> ValueSet {
    guard case .entries(let entries) = column.values else {
      throw .unsuited(
        column: column.name, kind: column.kind, expected: "a column of texts or categories", found: "LIKE")
    }
    let byteCount = entries.dictionary.textByteCount
    guard byteCount <= Self.maximumTextBytes else {
      throw .tooMuchText(column: column.name, bytes: byteCount, maximum: Self.maximumTextBytes)
    }
    var matcher = TextPattern(pattern).matcher
    return try entries.set { entry in
      if case .string(let text) = entries.dictionary.value(ofEntry: entry) { matcher.matches(text) } else { false }
    }
  }
}

extension EntryValues {
  /// The entries that pass a test, each of which is looked at once.
  fileprivate func set(where passes: (Int) -> Bool) throws(FilterError) -> ValueSet {
    var isIn: [Bool] = []
    isIn.reserveCapacity(dictionary.entryCount)
    for entry in 0..<dictionary.entryCount {
      if entry & 0xFFF == 0, Cancellation.isCancelled { throw .cancelled }
      isIn.append(passes(entry))
    }
    return .entries(isIn)
  }
}

/// Values that others are compared with for equality, all at once.
private struct EqualValues {
  /// In the order of their bytes.
  private let texts: [String]
  private let numbers: Set<Double>
  private let booleans: Set<Bool>

  init(_ values: [FilterValue]) {
    var (texts, numbers, booleans) = ([String](), Set<Double>(), Set<Bool>())
    for value in values {
      switch value.content {
      case .text(let text): texts.append(text)
      case .number(let number): numbers.insert(number.double)
      case .boolean(let flag): booleans.insert(flag)
      case .instant, .date, .unusable: break
      }
    }
    self.texts = texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    (self.numbers, self.booleans) = (numbers, booleans)
  }

  /// - Complexity: O(log values)
  func contain(_ value: AttributeValue?) -> Bool {
    switch value {
    case .string(let text):
      let index = firstIndex(in: texts.indices) { !texts[$0].utf8.lexicographicallyPrecedes(text.utf8) }
      return index < texts.count && texts[index].utf8.elementsEqual(text.utf8)
    case .number(let literal): return FilterValue.Content.double(ofLiteral: literal).map(numbers.contains) ?? false
    case .bool(let flag): return booleans.contains(flag)
    case .json, .null, nil: return false
    }
  }
}

extension IntegerValues {
  /// The codes of the integers from the one to the other.
  private func codes(from least: Int128, through greatest: Int128) -> [ClosedRange<UInt64>] {
    let start = max(code(clamping: least), 0)
    let end = min(code(clamping: greatest), Int128(missingCode) - 1)
    return start <= end ? [UInt64(start)...UInt64(end)] : []
  }

  /// The codes of the integers that compare so with those from the one to the other; the first is one above the second
  /// where there is nothing between.
  fileprivate func codes(_ comparison: Filter.Comparison, from least: Int128, through greatest: Int128)
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

  /// The first tick at or after a moment.
  fileprivate func ceiling(_ instant: Instant) -> Int128 {
    instant.ticks(digits: digits) + (instant.digits > digits ? 1 : 0)
  }

  fileprivate func codes(_ relation: Filter.TemporalRelation, _ interval: TimeInterval) -> [ClosedRange<UInt64>] {
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
  /// The interval of all moments of a day.
  init(ofDay start: Instant) {
    self.init(start, Instant(seconds: start.seconds + Instant.secondsOfDay - 1, nanoseconds: 999_999_999))
  }

  /// Whether a moment, or a date, can be equal to it.
  fileprivate var isMomentOrDay: Bool {
    guard let start, let end else { return false }
    return start == end || start.isMidnight && TimeInterval(ofDay: start) == self
  }
}

extension FilterValue.Content {
  fileprivate var isText: Bool { if case .text = self { true } else { false } }

  /// Whether values of a column of texts or categories can equal it.
  fileprivate func compares(with kind: Column.Kind) -> Bool {
    switch self {
    case .text: true
    case .unusable: false
    case .number, .boolean, .instant, .date: kind == .text
    }
  }

  /// The moments that are meant: of a text too that tells a time.
  fileprivate var interval: TimeInterval? {
    switch self {
    case .instant(let instant): TimeInterval(instant, instant)
    case .date(let start): TimeInterval(ofDay: start)
    case .text(let text):
      Instant(text).map { text.utf8.count == 10 ? TimeInterval(ofDay: $0) : TimeInterval($0, $0) }
    default: nil
    }
  }

  /// For messages.
  fileprivate var phrase: String {
    switch self {
    case .text(let text): "the text \(text.debugDescription)"
    case .number(let number): "the number \(number)"
    case .boolean(let flag): flag ? "TRUE" : "FALSE"
    case .instant(let instant): "the time \(instant)"
    case .date(let start): "the date \(start.dateText)"
    case .unusable(let phrase): phrase
    }
  }

  /// The double that a JSON number compares as. Numbers too long to be exact compare as doubles.
  fileprivate static func double(ofLiteral literal: String) -> Double? {
    Double(literal).map { DecimalNumber(literal)?.double ?? $0 }
  }

  /// How an attribute's value lies to it: -1 before, 0 equal, 1 after; nil where they do not compare.
  fileprivate func order(of value: AttributeValue?) -> Int? {
    func order<Value: Comparable>(_ a: Value, _ b: Value) -> Int { a < b ? -1 : b < a ? 1 : 0 }
    switch (self, value) {
    case (.text(let text), .string(let value)):
      let (a, b) = (value.utf8, text.utf8)
      return a.elementsEqual(b) ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    case (.number(let number), .number(let literal)):
      return Self.double(ofLiteral: literal).map { order($0, number.double) }
    case (.boolean(let flag), .bool(let value)): return order(value ? 1 : 0, flag ? 1 : 0)
    default: return nil
    }
  }
}

extension Filter.Comparison {
  /// - Parameter order: How a value lies to what it is compared with.
  fileprivate func accepts(_ order: Int) -> Bool {
    switch self {
    case .equals: order == 0
    case .isNot: order != 0
    case .isLess: order < 0
    case .isAtMost: order <= 0
    case .isGreater: order > 0
    case .isAtLeast: order >= 0
    }
  }
}

/// A planner that turns a filter into a plan for a tree.
struct FilterPlanner {
  let tree: ClusterTree

  /// Greatest number of bytes of text that LIKE searches in a column.
  static let maximumTextBytes = 1 << 28

  func plan(_ expression: Filter.Expression, isNegated: Bool) throws(FilterError) -> FilterPlan {
    switch expression {
    case .all(let parts): return try combined(parts, isNegated, isAll: !isNegated)
    case .any(let parts): return try combined(parts, isNegated, isAll: isNegated)
    case .not(let part): return try plan(part, isNegated: !isNegated)
    case .comparison(let name, let comparison, let value):
      let column = try column(name)
      return plan(try values(of: column, comparison, value), of: column, isNegated)
    case .between(let name, let least, let greatest):
      let column = try column(name)
      let (lower, upper) = (try values(of: column, .isAtLeast, least), try values(of: column, .isAtMost, greatest))
      return plan(lower.intersection(upper), of: column, isNegated)
    case .isIn(let name, let list):
      let column = try column(name)
      return plan(try values(of: column, in: list), of: column, isNegated)
    case .temporal(let name, let relation, let interval):
      let column = try column(name)
      guard column.kind == .time, case .integers(let integers) = column.values else {
        throw .unsuited(
          column: name, kind: column.kind, expected: "a column of kind time for '\(relation.rawValue)'",
          found: "a column of kind \(column.kind.rawValue)")
      }
      return plan(.codes(integers.codes(relation, interval)), of: column, isNegated)
    case .like(let name, let pattern):
      let column = try column(name)
      return plan(try values(of: column, like: pattern), of: column, isNegated)
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

  /// Returns a test for a set of a column's values or, if `isNegated`, for all other values of the column.
  private func plan(_ values: ValueSet, of column: Column, _ isNegated: Bool) -> FilterPlan {
    switch (isNegated ? values.complement(in: column) : values, column.values) {
    case (.codes(let ranges), .integers(let integers)):
      if ranges.count > ColumnTest.fewRanges { return .test(.codeRanges(integers.codes, ranges)) }
      return .any(of: ranges.map { .test(.codes(integers.codes, $0.lowerBound, through: $0.upperBound)) })
    case (.reals(let ranges), .reals(let reals)):
      if ranges.count > ColumnTest.fewRanges { return .test(.realRanges(reals, ranges)) }
      return .any(of: ranges.map { .test(.reals(reals, $0)) })
    case (.entries(let isIn), .entries(let entries)): return table(isIn.map { $0 ? 1 : 0 } + [0], of: entries)
    default: preconditionFailure("Expected values of this column, found values of another column")
    }
  }

  /// - Parameter table: A number for each entry of the dictionary: 1 if the entry passes, and 0 if it fails. The last
  ///   number is for missing values.
  private func table(_ table: [UInt8], of entries: EntryValues) -> FilterPlan {
    guard let first = table.firstIndex(of: 1) else { return .nothing }
    let last = table.lastIndex(of: 1)!
    // A code is an index in the table. The last index means a missing value. Greater codes occur only in a damaged
    // file, and also mean a missing value. In a test for a range of codes, the greater codes would fail. So such a
    // test is used only if missing values fail.
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
      // If no value of the column can be compared with the given value, the filter is a mistake.
      guard areComparable else { throw unsuited("a text in single quotes") }
      return set
    }
  }

  /// Returns the column's values that equal at least one value of a list.
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
      // A value that is refused as a single value is refused in a list, too.
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
        column: column.name, kind: column.kind, expected: "a column of texts or categories for LIKE",
        found: "a column of kind \(column.kind.rawValue)")
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

extension Filter: CustomStringConvertible {
  /// The filter as text in CQL2, with as few parentheses as possible. ``init(_:bounds:)`` reads an equal filter from
  /// this text. Equal filters have equal texts.
  ///
  /// The text can be read again if all numbers are finite, all moments lie in the years 0 to 9999, all rings of
  /// polygons have three corners or more, and the text is within the bounds of the reader.
  public var description: String {
    var writer = CQL2Writer()
    writer.write(expression)
    return writer.text
  }
}

/// A writer of expressions in CQL2.
struct CQL2Writer {
  private(set) var text = ""

  mutating func write(_ expression: Filter.Expression) {
    switch expression {
    case .comparison(let column, let comparison, let value):
      text += "\(Self.name(column)) \(comparison.rawValue) \(Self.literal(value))"
    case .between, .isIn, .isMissing, .like: writePredicate(expression, isNegated: false)
    case .temporal(let column, let relation, let interval):
      text += "\(relation.rawValue)(\(Self.name(column)), \(Self.literal(interval, of: relation)))"
    case .intersects(let area): text += "S_INTERSECTS(geometry, \(Self.literal(area)))"
    case .all(let terms): write(terms, joinedBy: " AND ") { if case .all = $0 { true } else { $0.isAny } }
    case .any(let terms): write(terms, joinedBy: " OR ") { $0.isAny }
    case .not(let term):
      switch term {
      case .between, .isIn, .isMissing, .like: writePredicate(term, isNegated: true)
      case .all, .any: write([term], joinedBy: "", before: "NOT ") { _ in true }
      default:
        text += "NOT "
        write(term)
      }
    }
  }

  private mutating func write(
    _ terms: [Filter.Expression], joinedBy separator: String, before start: String = "",
    inParentheses: (Filter.Expression) -> Bool
  ) {
    text += start
    for (number, term) in terms.enumerated() {
      if number > 0 { text += separator }
      let needsThem = inParentheses(term)
      if needsThem { text += "(" }
      write(term)
      if needsThem { text += ")" }
    }
  }

  /// Writes a predicate whose syntax can contain NOT, such as `NOT IN`.
  private mutating func writePredicate(_ expression: Filter.Expression, isNegated: Bool) {
    let not = isNegated ? "NOT " : ""
    switch expression {
    case .between(let column, let least, let greatest):
      text += "\(Self.name(column)) \(not)BETWEEN \(Self.literal(least)) AND \(Self.literal(greatest))"
    case .isIn(let column, let values):
      text += "\(Self.name(column)) \(not)IN (\(values.map(Self.literal).joined(separator: ", ")))"
    case .isMissing(let column): text += "\(Self.name(column)) IS \(not)NULL"
    case .like(let column, let pattern): text += "\(Self.name(column)) \(not)LIKE \(pattern.quoted(by: "'"))"
    default: preconditionFailure("Expected BETWEEN, IN, IS NULL or LIKE, found another condition")
    }
  }
}

extension Filter.Expression {
  fileprivate var isAny: Bool { if case .any = self { true } else { false } }
}

// MARK: - Literals

extension CQL2Writer {
  private static func name(_ column: String) -> String {
    CQL2Scanner.isIdentifier(column) ? column : column.quoted(by: "\"")
  }

  private static func literal(_ value: FilterValue) -> String {
    switch value.content {
    case .text(let text): text.quoted(by: "'")
    case .number(let number): literal(number)
    case .boolean(let value): value ? "TRUE" : "FALSE"
    case .instant(let instant): "TIMESTAMP('\(instant)')"
    case .date(let instant): "DATE('\(instant.dateText)')"
    // CQL2 cannot express an unusable value, so NULL is written. Every tree refuses a filter with an unusable value.
    case .unusable: "NULL"
    }
  }

  private static func literal(_ number: DecimalNumber) -> String {
    let text = number.description
    // The text of a number with many trailing zeros may have more digits than the parser reads. Such a number is
    // written with an exponent.
    return DecimalNumber(text) == number ? text : "\(number.significand)e\(number.exponent)"
  }

  private static func literal(_ interval: TimeInterval, of relation: Filter.TemporalRelation) -> String {
    if !relation.isOfIntervals, let start = interval.start {
      if start == interval.end { return "TIMESTAMP('\(start)')" }
      if start.isMidnight, start.endOfDay == interval.end { return "DATE('\(start.dateText)')" }
    }
    let start = interval.start.map { $0.isMidnight ? $0.dateText : "\($0)" }
    let end = interval.end.map { $0 == $0.endOfDay ? $0.dateText : "\($0)" }
    return "INTERVAL('\(start ?? "..")', '\(end ?? "..")')"
  }

  private static func literal(_ area: FilterArea) -> String {
    switch area {
    case .box(let box):
      let edges = [box.west, box.south, box.east, box.north].map(ParameterValue.text)
      return "BBOX(\(edges.joined(separator: ", ")))"
    case .polygons(let polygons):
      func list(_ parts: [String]) -> String { "(\(parts.joined(separator: ", ")))" }
      let texts = polygons.map { rings in
        list(
          rings.map { ring in
            list(ring.map { "\(ParameterValue.text($0.longitude)) \(ParameterValue.text($0.latitude))" })
          })
      }
      return texts.count == 1 ? "POLYGON\(texts[0])" : "MULTIPOLYGON\(list(texts))"
    }
  }
}

extension Filter.TemporalRelation {
  /// Whether the relation applies only to intervals and not to single moments.
  var isOfIntervals: Bool {
    switch self {
    case .isDuring, .startsIt, .finishesIt: true
    case .isAfter, .isBefore, .equals, .isIn, .isOutside: false
    }
  }
}

extension Instant {
  /// The last nanosecond of the instant's day in UTC. The last day ends with the last second of 64 bits.
  var endOfDay: Instant {
    let second = seconds % Self.secondsOfDay
    let rest = Self.secondsOfDay - 1 - (second < 0 ? second + Self.secondsOfDay : second)
    let (end, isBeyond) = seconds.addingReportingOverflow(rest)
    return Instant(seconds: isBeyond ? .max : end, nanoseconds: 999_999_999)
  }
}

extension String {
  /// Returns the text with a quote at each end. Each quote inside the text is doubled, even if a combining accent
  /// follows the quote.
  func quoted(by quote: Unicode.Scalar) -> String {
    var quoted = String.UnicodeScalarView([quote])
    for scalar in unicodeScalars {
      if scalar == quote { quoted.append(quote) }
      quoted.append(scalar)
    }
    quoted.append(quote)
    return String(quoted)
  }
}

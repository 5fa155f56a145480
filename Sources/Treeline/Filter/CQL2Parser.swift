extension Filter {
  /// Reads a filter from text in CQL2, a query language of the OGC. The page <doc:Filters> lists the parts of CQL2
  /// that are supported.
  ///
  /// ```swift
  /// let filter = try Filter(#"kind IN ('hotel', 'hostel') AND price < 120"#)
  /// ```
  ///
  /// - Parameters:
  ///   - text: The filter in CQL2.
  ///   - bounds: Limits for the text, so that a filter from an untrusted source cannot take too much time or memory.
  /// - Complexity: O(n) for a text of n characters.
  public init(_ text: String, bounds: TextBounds = TextBounds()) throws {
    let length = text.utf8.count
    guard length <= bounds.length else {
      throw FilterTextError(at: 0, of: [], expected: "a filter of at most \(bounds.length) bytes", found: "\(length)")
    }
    var parser = try CQL2Parser(text, bounds)
    self.init(try parser.filter())
  }

  /// Limits for the length and the nesting of a text.
  public struct TextBounds: Hashable, Sendable {
    /// Greatest length in bytes.
    package var length: Int
    /// Greatest number of conditions, list values and polygon positions, counted together.
    var terms: Int
    /// Greatest nesting depth of parentheses and NOT; at most 64.
    var depth: Int

    /// Creates bounds. The defaults are for texts from trusted sources, which do not try to overload the program.
    ///
    /// - Precondition: `depth` is at most 64.
    public init(length: Int = 1 << 16, terms: Int = 4096, depth: Int = 64) {
      precondition(depth <= 64, "Expected a depth of at most 64, found \(depth)")
      (self.length, self.terms, self.depth) = (length, terms, depth)
    }
  }
}

/// A recursive-descent parser of filters. The parser looks ahead by one token.
struct CQL2Parser {
  private var scanner: CQL2Scanner
  private var depth = 0
  private var termCount = 0
  private let bounds: Filter.TextBounds

  init(_ text: String, _ bounds: Filter.TextBounds) throws(FilterTextError) {
    scanner = try CQL2Scanner(text)
    self.bounds = bounds
  }

  mutating func filter() throws(FilterTextError) -> Filter.Expression {
    let expression = try disjunction()
    guard scanner.token == .end else { throw unexpected("'AND', 'OR' or the end") }
    return expression
  }

  // MARK: - Faults

  private func fault(
    at range: Range<Int>? = nil, expected: String, found: String, remedy: String? = nil
  ) -> FilterTextError {
    FilterTextError(
      at: (range ?? scanner.range).lowerBound, of: scanner.scalars, expected: expected, found: found, remedy: remedy)
  }

  private func unexpected(_ expected: String, remedy: String? = nil) -> FilterTextError {
    fault(expected: expected, found: scanner.found, remedy: remedy)
  }

  private mutating func countTerm() throws(FilterTextError) {
    termCount += 1
    if termCount > bounds.terms {
      throw fault(expected: "at most \(bounds.terms) conditions and values", found: "more")
    }
  }

  // MARK: - Tokens

  private func isKeyword(_ keyword: CQL2Keyword) -> Bool {
    if case .name(_, keyword) = scanner.token { true } else { false }
  }

  private mutating func take(_ keyword: CQL2Keyword) throws(FilterTextError) -> Bool {
    guard isKeyword(keyword) else { return false }
    try scanner.advance()
    return true
  }

  private mutating func take(_ symbol: String) throws(FilterTextError) -> Bool {
    guard scanner.token == .symbol(symbol) else { return false }
    try scanner.advance()
    return true
  }

  private mutating func require(_ symbol: String, _ place: String) throws(FilterTextError) {
    guard try take(symbol) else { throw unexpected("'\(symbol)' \(place)") }
  }

  /// The name of the function that begins at the current token, in capitals; nil if the token is not a name, or if no
  /// parenthesis follows the name.
  private var functionName: String? {
    guard case .name(let name, nil) = scanner.token, scanner.isBeforeParenthesis,
      scanner.scalars[scanner.range.lowerBound] != "\""
    else { return nil }
    return name.uppercased()
  }

  // MARK: - Logic

  private mutating func disjunction() throws(FilterTextError) -> Filter.Expression {
    var terms = [try conjunction()]
    while try take(.or) { terms.append(try conjunction()) }
    return terms.count == 1 ? terms[0] : .any(terms)
  }

  private mutating func conjunction() throws(FilterTextError) -> Filter.Expression {
    var terms = [try negation()]
    while try take(.and) { terms.append(try negation()) }
    return terms.count == 1 ? terms[0] : .all(terms)
  }

  private mutating func negation() throws(FilterTextError) -> Filter.Expression {
    // The condition inside all parentheses is not a level.
    if depth > bounds.depth {
      throw fault(expected: "at most \(bounds.depth) levels of parentheses and NOT", found: "more")
    }
    depth += 1
    defer { depth -= 1 }
    if try take(.not) { return .not(try negation()) }
    if try take("(") {
      let expression = try disjunction()
      try require(")", "that closes the parenthesis")
      return expression
    }
    try countTerm()
    return try predicate()
  }

  // MARK: - Predicates

  private mutating func predicate() throws(FilterTextError) -> Filter.Expression {
    if let name = functionName, !Self.literalFunctions.contains(name) { return try function(name) }
    if case .name(let column, nil) = scanner.token, functionName == nil {
      let range = scanner.range
      try scanner.advance()
      return try predicate(of: column, at: range)
    }
    // The condition begins with a value, as in `120 > price`. The two sides are exchanged, so that the column comes
    // first.
    guard let value = try literal() else {
      throw unexpected("a condition such as \"kind = 'hotel'\"")
    }
    let comparison = try comparison(behind: "the value")
    guard case .name(let column, nil) = scanner.token, functionName == nil else {
      throw unexpected("the name of a column")
    }
    try scanner.advance()
    return .comparison(column, comparison.turned, value)
  }

  private mutating func predicate(of column: String, at range: Range<Int>) throws(FilterTextError) -> Filter.Expression
  {
    if try take(.is) {
      let isNegated = try take(.not)
      guard try take(.null) else { throw unexpected("'NULL' after 'IS'") }
      return isNegated ? .not(.isMissing(column)) : .isMissing(column)
    }
    let isNegated = try take(.not)
    var expression: Filter.Expression
    if try take(.between) {
      let least = try requiredLiteral()
      guard try take(.and) else { throw unexpected("'AND' and the upper bound of 'BETWEEN'") }
      expression = .between(column, least, try requiredLiteral())
    } else if try take(.in) {
      try require("(", "and a list of values")
      var values: [FilterValue] = []
      // A list without values is an extension of CQL2, because `Filter.where("kind", in: [])` has a text, too.
      if try !take(")") {
        repeat {
          try countTerm()
          values.append(try requiredLiteral())
        } while try take(",")
        try require(")", "that closes the list")
      }
      expression = .isIn(column, values)
    } else if try take(.like) {
      guard case .text(let pattern) = scanner.token else { throw unexpected("a pattern in single quotes") }
      try scanner.advance()
      expression = .like(column, pattern)
    } else if isNegated {
      throw unexpected("'BETWEEN', 'IN' or 'LIKE' after 'NOT'")
    } else {
      let comparison = try comparison(behind: "the column '\(CQL2Scanner.shortened(column))'")
      expression = .comparison(column, comparison, try requiredLiteral())
    }
    if isNegated { expression = .not(expression) }
    return expression
  }

  private mutating func comparison(behind place: String) throws(FilterTextError) -> Filter.Comparison {
    let expected = "a comparison such as '=' or 'IN' after \(place)"
    guard case .symbol(let symbol) = scanner.token else {
      throw unexpected(
        expected, remedy: scanner.token == .end ? "compare a column of booleans with TRUE, as in 'open = TRUE'" : nil)
    }
    guard let comparison = Filter.Comparison(rawValue: symbol) else {
      let remedy: String? =
        switch symbol {
        case "!=", "!": "'is not' is written '<>'"
        case "==": "'is' is written '='"
        case "+", "-", "*", "/", "^", "%": "compare the column itself, because a filter cannot calculate"
        default: nil
        }
      throw unexpected(expected, remedy: remedy)
    }
    try scanner.advance()
    return comparison
  }

  // MARK: - Values

  private static let literalFunctions = ["DATE", "TIMESTAMP"]

  private mutating func requiredLiteral() throws(FilterTextError) -> FilterValue {
    if let value = try literal() { return value }
    if case .name(let name, nil) = scanner.token {
      throw unexpected(
        "a value", remedy: "put a text in single quotes: '\(CQL2Scanner.shortened(name))'")
    }
    throw unexpected("a value", remedy: isKeyword(.null) ? "find missing values with 'IS NULL'" : nil)
  }

  /// Reads a literal, or returns nil if no literal begins at the current token.
  private mutating func literal() throws(FilterTextError) -> FilterValue? {
    let range = scanner.range
    switch scanner.token {
    case .text(let text):
      try scanner.advance()
      return .text(text)
    case .number(let text):
      guard let number = DecimalNumber(text) else {
        throw unexpected("a number with at most 38 digits and an exponent below 10,000")
      }
      try scanner.advance()
      return FilterValue(.number(number))
    case .name(_, .true), .name(_, .false):
      let value = isKeyword(.true)
      try scanner.advance()
      return .boolean(value)
    default:
      guard let name = functionName, Self.literalFunctions.contains(name) else { return nil }
      let interval = try moment(name, at: range)
      return FilterValue(name == "DATE" ? .date(interval.start!) : .instant(interval.start!))
    }
  }

  /// Reads `DATE('…')` or `TIMESTAMP('…')`. The result for a date is the interval from the first to the last moment
  /// of the day.
  private mutating func moment(_ name: String, at range: Range<Int>) throws(FilterTextError) -> TimeInterval {
    try scanner.advance()
    try require("(", "after '\(name)'")
    guard case .text(let text) = scanner.token else {
      throw unexpected("a \(name == "DATE" ? "date" : "time") in single quotes")
    }
    guard let interval = Self.interval(text), (name == "DATE") == Self.isDate(text) else {
      throw unexpected(name == "DATE" ? "a date such as '2024-05-01'" : "a time such as '2024-05-01T12:00:00Z'")
    }
    try scanner.advance()
    try require(")", "that closes '\(name)'")
    return interval
  }

  private static func isDate(_ text: String) -> Bool { text.utf8.count == 10 }

  /// Returns the interval for the text of a date or a time. For a date, the interval is a whole day. For a time, it is
  /// a single moment. Returns nil for any other text.
  private static func interval(_ text: String) -> TimeInterval? {
    Instant(text).map { isDate(text) ? TimeInterval(ofDay: $0) : TimeInterval($0, $0) }
  }

  // MARK: - Functions

  private mutating func function(_ name: String) throws(FilterTextError) -> Filter.Expression {
    if let relation = Filter.TemporalRelation(rawValue: name) { return try temporal(relation) }
    switch name {
    case "S_INTERSECTS": return try spatial()
    case _ where name.hasPrefix("T_"):
      throw unexpected(
        Filter.TemporalRelation.allCases.map { "'\($0.rawValue)'" }.listed("or"),
        remedy: "the other 'T_' functions of CQL2 compare two intervals, but a column contains single moments")
    case _ where name.hasPrefix("S_"):
      throw unexpected("'S_INTERSECTS'", remedy: "write 'S_INTERSECTS' to find the points within an area")
    default: throw unexpected("a condition, the function 'S_INTERSECTS' or a function that begins with 'T_'")
    }
  }

  private mutating func columnName() throws(FilterTextError) -> String {
    guard case .name(let column, nil) = scanner.token, functionName == nil else {
      throw unexpected("the name of a column")
    }
    try scanner.advance()
    return column
  }

  private mutating func temporal(_ relation: Filter.TemporalRelation) throws(FilterTextError) -> Filter.Expression {
    try scanner.advance()
    try require("(", "after '\(relation.rawValue)'")
    let column = try columnName()
    try require(",", "and a time after the column")
    let (range, name) = (scanner.range, functionName)
    let interval: TimeInterval
    switch name {
    case "INTERVAL": interval = try intervalLiteral()
    case "DATE" where !relation.isOfIntervals, "TIMESTAMP" where !relation.isOfIntervals:
      interval = try moment(name!, at: range)
    default:
      throw unexpected(
        (relation.isOfIntervals ? "" : "DATE('2024-05-01'), TIMESTAMP('2024-05-01T12:00:00Z') or ")
          + "INTERVAL('2024-05-01', '..')")
    }
    try require(")", "that closes '\(relation.rawValue)'")
    return .temporal(column, relation, interval)
  }

  private mutating func intervalLiteral() throws(FilterTextError) -> TimeInterval {
    let start = scanner.range
    try scanner.advance()
    try require("(", "after 'INTERVAL'")
    let first = try intervalEnd()
    try require(",", "and the end of the interval")
    let last = try intervalEnd()
    try require(")", "that closes 'INTERVAL'")
    if let first = first?.start, let last = last?.end, last < first {
      throw fault(
        at: start, expected: "an interval that begins at or before its end",
        found: "an interval that ends before it begins")
    }
    return TimeInterval(first?.start, last?.end)
  }

  /// Reads the beginning or the end of an interval. Returns nil for `'..'`, which means no limit.
  private mutating func intervalEnd() throws(FilterTextError) -> TimeInterval? {
    if let name = functionName, Self.literalFunctions.contains(name) { return try moment(name, at: scanner.range) }
    let expected = "a date or a time in single quotes, or '..'"
    guard case .text(let text) = scanner.token else { throw unexpected(expected) }
    let interval = Self.interval(text)
    if interval == nil && text != ".." { throw unexpected(expected) }
    try scanner.advance()
    return interval
  }

  private mutating func spatial() throws(FilterTextError) -> Filter.Expression {
    try scanner.advance()
    try require("(", "after 'S_INTERSECTS'")
    let range = scanner.range
    let column = try columnName()
    guard ["geometry", "position"].contains(column) else {
      throw fault(
        at: range, expected: "'geometry', which stands for the position of a point",
        found: "the column '\(CQL2Scanner.shortened(column))'")
    }
    try require(",", "and an area")
    let area = try area()
    try require(")", "that closes 'S_INTERSECTS'")
    return .intersects(area)
  }

  private mutating func area() throws(FilterTextError) -> FilterArea {
    let name = functionName
    let isKnown = ["BBOX", "ENVELOPE", "POLYGON", "MULTIPOLYGON"].contains(name ?? "")
    guard isKnown else { throw unexpected("BBOX(west, south, east, north), POLYGON(…) or MULTIPOLYGON(…)") }
    let start = scanner.range
    try scanner.advance()
    switch name {
    case "POLYGON": return .polygons([try rings()])
    case "MULTIPOLYGON":
      var polygons: [[[Coordinate]]] = []
      try require("(", "after 'MULTIPOLYGON'")
      repeat { polygons.append(try rings()) } while try take(",")
      try require(")", "that closes 'MULTIPOLYGON'")
      return .polygons(polygons)
    default:
      try require("(", "after '\(name!)'")
      var edges = [try number()]
      while try take(",") { edges.append(try number()) }
      guard edges.count == 4 else {
        throw fault(at: start, expected: "4 edges: west, south, east and north", found: "\(edges.count)")
      }
      try require(")", "that closes '\(name!)'")
      return .box(BoundingBox(west: edges[0], south: edges[1], east: edges[2], north: edges[3]))
    }
  }

  private mutating func rings() throws(FilterTextError) -> [[Coordinate]] {
    var rings: [[Coordinate]] = []
    try require("(", "and a list of rings")
    repeat { rings.append(try ring()) } while try take(",")
    try require(")", "that closes the rings")
    return rings
  }

  private mutating func ring() throws(FilterTextError) -> [Coordinate] {
    let start = scanner.range
    try require("(", "and the positions of a ring")
    var positions: [Coordinate] = []
    repeat {
      try countTerm()
      positions.append(Coordinate(longitude: try number(), latitude: try number()))
    } while try take(",")
    try require(")", "that closes the ring")
    guard positions.count >= 4, positions.first == positions.last else {
      throw fault(
        at: start, expected: "a ring of 4 positions or more, which ends where it begins",
        found: "\(positions.count) positions"
          + (positions.first == positions.last ? "" : ", and the last differs from the first"))
    }
    return positions
  }

  private mutating func number() throws(FilterTextError) -> Double {
    guard case .number(let text) = scanner.token, let number = Double(text), number.isFinite else {
      throw unexpected("a number")
    }
    try scanner.advance()
    return number
  }
}

extension Filter.Comparison {
  /// The comparison that replaces this comparison if the two sides are exchanged. For example, `>` replaces `<`.
  fileprivate var turned: Filter.Comparison {
    switch self {
    case .equals, .isNot: self
    case .isLess: .isGreater
    case .isAtMost: .isAtLeast
    case .isGreater: .isLess
    case .isAtLeast: .isAtMost
    }
  }
}

extension Aggregate {
  /// Reads a list of aggregates, separated by commas: `count`, `sum(population)`, `mean(price, weight: rooms)`,
  /// `first(name)`, `first(name, by: population)`, `top(kind, 3)`, `percentile(price, 90)`. A column name that contains
  /// characters other than letters, digits and `_` is written in double quotes. Within such a name, a double quote is
  /// written twice.
  public static func list(_ text: String) throws -> [Aggregate] {
    var scanner = Scanner(text: text)
    return try scanner.list()
  }

  /// The names of all functions, for help and messages.
  package static let functionNames = Function.plain.map(\.name) + ["first", "last", "top", "percentile"]

  /// Returns the function that the user probably meant by a name. The name may be misspelled, or be a function's name
  /// in another language, such as `avg`.
  fileprivate static func functionName(meantBy name: String) -> String? {
    let name = name.lowercased()
    let known = [
      "avg": "mean", "average": "mean", "total": "sum", "minimum": "min", "maximum": "max", "var": "variance",
      "nunique": "distinct", "unique": "distinct", "quantile": "percentile",
    ]
    return known[name] ?? functionNames.nearest(to: name)
  }
}

extension Aggregate.Function {
  /// The name of the function as it is written in a list of aggregates: `top` in `top(kind, 3)`.
  fileprivate var name: String {
    switch self {
    case .top: "top"
    case .percentile: "percentile"
    default: "\(self)"
    }
  }

  /// The label that is written before the second column: `by` in `first(name, by: population)`.
  fileprivate var label: String { self == .mean ? "weight" : "by" }

  /// The number that is written after the column: `3` in `top(kind, 3)`; nil if the function takes no number.
  fileprivate var number: String? {
    switch self {
    case .top(let count): "\(count)"
    case .percentile(let percent): ParameterValue.text(percent)
    default: nil
    }
  }
}

extension Aggregate: CustomStringConvertible {
  /// The aggregate as it is written in a list, such as `top(kind, 3)`.
  public var description: String {
    let parts = [column.map(Self.quoted), function.number, weight.map { "\(function.label): \(Self.quoted($0))" }]
    let given = parts.compactMap { $0 }
    return function.name + (given.isEmpty ? "" : "(\(given.joined(separator: ", ")))")
  }

  /// The name of the property that holds the aggregate in GeoJSON and tiles. The parts of the name are joined by `_`,
  /// not by parentheses and commas, so that style expressions can read the name: `sum_population`, `top_kind`,
  /// `percentile_90_price`, `mean_price_by_rooms`.
  package var propertyName: String {
    switch function {
    case .percentile: "percentile_\(function.number!)_\(column!)"
    default:
      ([function.name, column] + (weight.map { ["by", $0] } ?? [])).compactMap { $0 }.joined(separator: "_")
    }
  }

  private static func quoted(_ name: String) -> String {
    let isPlain =
      !name.isEmpty && name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isAlphabetic || "0"..."9" ~= $0 }
    return isPlain ? name : name.quoted(by: "\"")
  }
}

/// A scanner of lists of aggregates.
private struct Scanner {
  private let text: String
  private let characters: [Unicode.Scalar]
  private var position = 0

  init(text: String) { (self.text, characters) = (text, Array(text.unicodeScalars)) }

  private func malformed(_ expected: String) -> AggregateError {
    .malformed(text: text, position: position, expected: expected)
  }

  private mutating func skipSpace() { while position < characters.count, characters[position] == " " { position += 1 } }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard position < characters.count, characters[position] == character else { return false }
    position += 1
    return true
  }

  /// Returns whether `character` comes next, after any spaces. Does not move past the character.
  private mutating func takes(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    return position < characters.count && characters[position] == character
  }

  private mutating func require(_ character: Unicode.Scalar, _ expected: String) throws(AggregateError) {
    if !take(character) { throw malformed(expected) }
  }

  /// Reads letters, digits and `_`. Returns an empty text if no such character comes next.
  private mutating func word() -> String {
    skipSpace()
    var word = String.UnicodeScalarView()
    while position < characters.count {
      let character = characters[position]
      guard character == "_" || character.properties.isAlphabetic || "0"..."9" ~= character else { break }
      word.append(character)
      position += 1
    }
    return String(word)
  }

  private mutating func columnName() throws(AggregateError) -> String {
    skipSpace()
    let start = position
    guard take("\"") else {
      let name = word()
      if name.isEmpty { throw malformed("the name of a column") }
      return name
    }
    var name = String.UnicodeScalarView()
    while position < characters.count {
      let character = characters[position]
      position += 1
      if character != "\"" {
        name.append(character)
      } else if position < characters.count, characters[position] == "\"" {
        name.append(character)
        position += 1
      } else {
        return String(name)
      }
    }
    position = start
    throw malformed("a column name with a closing double quote")
  }

  private mutating func columnName(after label: String, as example: String) throws(AggregateError) -> String {
    skipSpace()
    let start = position
    guard word() == label, take(":") else {
      position = start
      throw malformed("'\(label):' and a column, as in '\(example)'")
    }
    return try columnName()
  }

  private mutating func number(in range: ClosedRange<Double>, _ expected: String) throws(AggregateError) -> Double {
    skipSpace()
    let start = position
    var digits = ""
    // A sign may be at the start and after the letter of an exponent.
    var maySign = true
    while position < characters.count {
      let character = characters[position]
      let isExponentLetter = character == "e" || character == "E"
      let isSign = maySign && (character == "-" || character == "+")
      guard isExponentLetter || isSign || character == "." || "0"..."9" ~= character else { break }
      digits.unicodeScalars.append(character)
      maySign = isExponentLetter
      position += 1
    }
    if let number = Double(digits), range ~= number { return number }
    position = start
    throw malformed(expected)
  }

  mutating func list() throws(AggregateError) -> [Aggregate] {
    var aggregates: [Aggregate] = []
    repeat { aggregates.append(try aggregate()) } while take(",")
    skipSpace()
    if position < characters.count { throw malformed("a comma or the end") }
    return aggregates
  }

  private mutating func aggregate() throws(AggregateError) -> Aggregate {
    skipSpace()
    let start = position
    let name = word()
    guard Aggregate.functionNames.contains(name) else {
      position = start
      let list = Aggregate.functionNames.listed("or")
      throw malformed(
        Aggregate.functionName(meantBy: name).map { "'\($0)' instead of '\(name)', or \(list)," } ?? "one of \(list)")
    }
    guard take("(") else {
      if name == "count" { return .count }
      throw malformed("an opening bracket and a column, as in '\(name)(price)'")
    }
    let column = try columnName()
    let aggregate: Aggregate
    switch name {
    case "top":
      try require(",", "a comma and a number of values, as in 'top(kind, 3)'")
      skipSpace()
      let (start, expected) = (position, "a whole number from 1 to 1000000")
      let count = try number(in: 1...1e6, expected)
      guard count == count.rounded() else {
        position = start
        throw malformed(expected)
      }
      aggregate = .top(Int(count), of: column)
    case "percentile":
      try require(",", "a comma and a number from 0 to 100, as in 'percentile(price, 90)'")
      aggregate = .percentile(try number(in: 0...100, "a number from 0 to 100"), of: column)
    case "mean" where take(","):
      aggregate = .mean(column, weight: try columnName(after: "weight", as: "mean(price, weight: rooms)"))
    case "first" where !takes(","): aggregate = .first(column)
    case "first", "last":
      try require(",", "a comma and the column that orders the points, as in '\(name)(name, by: population)'")
      let order = try columnName(after: "by", as: "\(name)(name, by: population)")
      aggregate = name == "first" ? .first(column, by: order) : .last(column, by: order)
    default: aggregate = Aggregate(Aggregate.Function.plain.first { $0.name == name }!, column)
    }
    try require(")", "a closing bracket")
    return aggregate
  }
}

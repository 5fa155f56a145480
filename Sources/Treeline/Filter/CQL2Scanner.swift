/// A scanner that splits the text of a filter into tokens, one at a time.
struct CQL2Scanner {
  enum Token: Hashable {
    /// A word: the name of a column or a function, or a keyword. A word in double quotes is never a keyword.
    case name(String, CQL2Keyword?)
    /// A text, without the single quotes around it.
    case text(String)
    /// A number, spelled as in JSON.
    case number(String)
    /// A symbol, such as `(` or `<=`.
    case symbol(String)
    case end
  }

  let scalars: [Unicode.Scalar]
  private(set) var token = Token.end
  /// Range of the current token in `scalars`.
  private(set) var range = 0..<0

  /// Creates a scanner and reads the first token.
  init(_ text: String) throws(FilterTextError) {
    scalars = Array(text.unicodeScalars)
    try advance()
  }

  /// Reads the next token.
  mutating func advance() throws(FilterTextError) {
    let start = endOfSpace(from: range.upperBound)
    range = start..<start
    guard let scalar = scalar(at: start) else { return token = .end }
    switch scalar {
    case "'": token = .text(try quoted(as: "text in single quotes"))
    case "\"": token = .name(try quoted(as: "name in double quotes"), nil)
    case _ where Self.beginsNumber(scalar, self.scalar(at: start + 1)): token = .number(try number())
    case _ where Self.isIdentifierStart(scalar):
      var end = start + 1
      while let next = self.scalar(at: end), Self.isIdentifierPart(next) { end += 1 }
      range = start..<end
      let name = text(range)
      token = .name(name, CQL2Keyword(spelling: name))
    default: token = .symbol(try symbol(scalar))
    }
  }

  /// Whether an opening parenthesis follows the current token.
  var isBeforeParenthesis: Bool { scalar(at: endOfSpace(from: range.upperBound)) == "(" }

  private func scalar(at position: Int) -> Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  private func endOfSpace(from start: Int) -> Int {
    var position = start
    while let scalar = scalar(at: position), scalar.properties.isWhitespace { position += 1 }
    return position
  }

  private func text(_ range: Range<Int>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars[range])
    return String(text)
  }
}

// MARK: - Kinds of tokens

extension CQL2Scanner {
  /// Reads a text in single or double quotes, and returns the text between the quotes. Two quotes in a row inside the
  /// text stand for one quote.
  private mutating func quoted(as kind: String) throws(FilterTextError) -> String {
    let (start, quote) = (range.lowerBound, scalars[range.lowerBound])
    var content = String.UnicodeScalarView()
    var position = start + 1
    while let scalar = scalar(at: position) {
      position += 1
      if scalar == quote {
        guard self.scalar(at: position) == quote else {
          range = start..<position
          return String(content)
        }
        position += 1
      }
      content.append(scalar)
    }
    throw FilterTextError(at: start, of: scalars, expected: "a \(kind)", found: "no closing quote")
  }

  private static func beginsNumber(_ scalar: Unicode.Scalar, _ next: Unicode.Scalar?) -> Bool {
    switch scalar {
    case "+", "-": next.map { isDigit($0) || $0 == "." } ?? false
    case ".": next.map(isDigit) ?? false
    default: isDigit(scalar)
    }
  }

  /// Reads a number and spells it as in JSON. Unlike JSON, CQL2 allows a plus sign, leading zeros, and a decimal point
  /// that has digits on only one side.
  private mutating func number() throws(FilterTextError) -> String {
    let start = range.lowerBound
    var position = start
    func take(_ accepts: (Unicode.Scalar) -> Bool) -> Bool {
      guard let scalar = scalar(at: position), accepts(scalar) else { return false }
      position += 1
      return true
    }
    func digits() -> ArraySlice<Unicode.Scalar> {
      let start = position
      while take(Self.isDigit) {}
      return scalars[start..<position]
    }
    var number = String.UnicodeScalarView()
    if take({ $0 == "-" }) { number.append("-") } else { _ = take { $0 == "+" } }
    let whole = digits()
    let fraction = take { $0 == "." } ? digits() : []
    let significant = whole.drop { $0 == "0" }
    number.append(contentsOf: significant.isEmpty ? ["0"] : significant)
    if !fraction.isEmpty { number.append(contentsOf: ["."] + fraction) }
    var isComplete = !whole.isEmpty || !fraction.isEmpty
    if isComplete, take({ $0 == "e" || $0 == "E" }) {
      number.append("e")
      if take({ $0 == "-" }) { number.append("-") } else { _ = take { $0 == "+" } }
      let exponent = digits()
      isComplete = !exponent.isEmpty
      number.append(contentsOf: exponent)
    }
    if isComplete, position == scalars.count || !Self.isIdentifierPart(scalars[position]) {
      range = start..<position
      return String(number)
    }
    while take(Self.isIdentifierPart) {}
    throw FilterTextError(
      at: start, of: scalars, expected: "a number such as -12.5 or 1e6",
      found: "'\(Self.shortened(text(start..<position)))'",
      remedy: "if this is the name of a column, put it in double quotes")
  }

  private mutating func symbol(_ scalar: Unicode.Scalar) throws(FilterTextError) -> String {
    let start = range.lowerBound
    // Some of these symbols do not exist in CQL2. The scanner accepts these symbols, too, so that the parser can say
    // how to correct the text.
    let symbols = [
      "<=", ">=", "<>", "!=", "==", "&&", "||", "<", ">", "=", "(", ")", ",", "+", "-", "*", "/", "^", "%", "!", "[",
    ]
    for symbol in symbols where scalars[start...].starts(with: symbol.unicodeScalars) {
      range = start..<start + symbol.unicodeScalars.count
      return symbol
    }
    let remedy: String? =
      switch scalar {
      case "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "`":
        "put texts in straight single quotes ('), and column names in straight double quotes (\")"
      default: "if the name of a column has special characters, put it in double quotes"
      }
    throw FilterTextError(
      at: start, of: scalars, expected: "a column, a value or an operator", found: "'\(Self.visible(scalar))'",
      remedy: remedy)
  }

  /// The current token, as error messages show it.
  var found: String {
    switch token {
    case .name(let name, let keyword):
      keyword == nil && scalars[range.lowerBound] == "\""
        ? "the column \"\(Self.shortened(name))\"" : "'\(Self.shortened(name))'"
    case .text(let text): "the text '\(Self.shortened(text))'"
    case .number: "the number \(Self.shortened(text(range)))"
    case .symbol(let symbol): "'\(symbol)'"
    case .end: "end of text"
    }
  }

  /// Returns the first 30 characters of a text, written on one line.
  static func shortened(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    let limit = 30
    for (count, scalar) in text.unicodeScalars.enumerated() {
      guard count < limit else { return String(line) + "…" }
      line.append(contentsOf: visible(scalar).unicodeScalars)
    }
    return String(line)
  }

  private static func visible(_ scalar: Unicode.Scalar) -> String {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate:
      "U+" + String(repeating: "0", count: max(4 - String(scalar.value, radix: 16).count, 0))
        + String(scalar.value, radix: 16, uppercase: true)
    default: String(scalar)
    }
  }
}

// MARK: - Identifiers

extension CQL2Scanner {
  static func isDigit(_ scalar: Unicode.Scalar) -> Bool { "0"..."9" ~= scalar }

  /// Returns whether a character may begin a name. The ranges of characters are from the grammar of CQL2. That grammar
  /// took the ranges from the grammar of XML.
  static func isIdentifierStart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x3A, 0x5F, 0x41...0x5A, 0x61...0x7A: true
    case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFE, 0x200C...0x200D, 0x2070...0x218F,
      0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF:
      !scalar.properties.isWhitespace
    default: false
    }
  }

  static func isIdentifierPart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x2E, 0x300...0x36F, 0x203F...0x2040: true
    default: isDigit(scalar) || isIdentifierStart(scalar)
    }
  }

  /// Returns whether a column name can be written without quotes.
  static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, isIdentifierStart(first) else { return false }
    return name.unicodeScalars.allSatisfy(isIdentifierPart) && CQL2Keyword(spelling: name) == nil
  }
}

/// A keyword. A column whose name is a keyword is written in double quotes. Names of functions are not keywords. If no
/// parenthesis follows the name of a function, the name is read as the name of a column.
enum CQL2Keyword: String {
  case and, or, not, `is`, null, `in`, between, like, `true`, `false`

  /// Recognizes a keyword in upper, lower or mixed case.
  init?(spelling: String) {
    // A keyword has only ASCII characters. This check is needed because Swift treats some other characters as equal to
    // ASCII letters. For example, the Kelvin sign equals K.
    guard spelling.utf8.count <= 7, spelling.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    self.init(rawValue: spelling.lowercased())
  }
}

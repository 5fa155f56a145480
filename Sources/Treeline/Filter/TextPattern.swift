/// A pattern of SQL's LIKE: `%` stands for any text, `_` for any one character (a Unicode scalar), and a backslash
/// escapes the next character.
struct TextPattern {
  enum Element: Equatable {
    case scalar(Unicode.Scalar)
    case anyScalar
    case anyText
  }

  let elements: [Element]

  init(_ text: String) {
    var elements: [Element] = []
    var isEscaped = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case _ where isEscaped:
        elements.append(.scalar(scalar))
        isEscaped = false
      case "\\": isEscaped = true
      case "%": if elements.last != .anyText { elements.append(.anyText) }
      case "_": elements.append(.anyScalar)
      default: elements.append(.scalar(scalar))
      }
    }
    if isEscaped { elements.append(.scalar("\\")) }
    self.elements = elements
  }

  /// A matcher that compares any number of texts with the pattern.
  var matcher: TextMatcher { TextMatcher(self) }

  func matches(_ text: String) -> Bool {
    var matcher = matcher
    return matcher.matches(text)
  }
}

/// A matcher that compares texts with a pattern. The time depends only on the lengths of text and pattern. Each place
/// in the pattern has a bit. The bit is set if the characters read so far match the pattern up to this place. A
/// further character of the text updates all bits at once (R. Baeza-Yates, G. H. Gonnet, A new approach to text
/// searching, CACM 35, 1992; G. Navarro, M. Raffinot, Flexible Pattern Matching in Strings, 2002, chapter 4).
struct TextMatcher {
  /// Number of characters of the pattern, not counting `%`. A place lies before each character, and the last place
  /// lies after the last character. Place i lies before character i. A text that has reached place i and continues
  /// with character i of the pattern reaches place i + 1.
  private let length: Int
  private let wordCount: Int
  /// One bit for each place: 1 if the pattern has a `%` at this place. Once a text has reached such a place, the place
  /// stays reached, whatever character follows.
  private var loops: [UInt64]
  /// For each character, one bit for each place: 1 if the pattern's next character after the place is this character
  /// or `_`. If a text has reached such a place and continues with this character, the text reaches the next place.
  private var moves: [Unicode.Scalar: [UInt64]] = [:]
  /// One bit for each place: 1 if the pattern's next character after the place is `_`.
  private var any: [UInt64]
  /// The values of `moves` for all ASCII characters, in the order of the characters. Each value has `wordCount` words.
  private var asciiMoves: [UInt64] = []

  /// One bit for each place: 1 if the characters of the text that were read so far match the pattern up to this place.
  private var reached: [UInt64]

  init(_ pattern: TextPattern) {
    length = pattern.elements.reduce(0) { $0 + ($1 == .anyText ? 0 : 1) }
    wordCount = length / UInt64.bitWidth + 1
    let none = [UInt64](repeating: 0, count: wordCount)
    (loops, any, reached) = (none, none, none)
    var place = 0
    func set(_ bits: inout [UInt64]) { bits[place >> 6] |= 1 << UInt64(place & 63) }
    for element in pattern.elements {
      switch element {
      case .anyText:
        set(&loops)
        continue
      case .anyScalar: set(&any)
      case .scalar(let scalar): set(&moves[scalar, default: none])
      }
      place += 1
    }
    for scalar in moves.keys { for word in any.indices { moves[scalar]![word] |= any[word] } }
    asciiMoves = (0..<128).flatMap { moves[Unicode.Scalar(UInt8($0))] ?? any }
  }

  /// - Complexity: O(n · m / 64), for a text of n characters and a pattern of m characters.
  mutating func matches(_ text: String) -> Bool {
    for word in reached.indices { reached[word] = 0 }
    reached[0] = 1
    for scalar in text.unicodeScalars where !move(scalar) { return false }
    return reached[length >> 6] >> UInt64(length & 63) & 1 == 1
  }

  /// Reads a character of the text and updates `reached`, the places in the pattern that the text has reached. Returns
  /// false if no place is reached any more, so that the text cannot match.
  @inline(__always) private mutating func move(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII
      ? move(by: asciiMoves, from: Int(scalar.value) * wordCount) : move(by: moves[scalar] ?? any, from: 0)
  }

  @inline(__always) private mutating func move(by moves: [UInt64], from start: Int) -> Bool {
    var (carry, all) = (UInt64(0), UInt64(0))
    for word in 0..<wordCount {
      let moved = reached[word] & moves[start + word]
      reached[word] = moved << 1 | carry | reached[word] & loops[word]
      carry = moved >> 63
      all |= reached[word]
    }
    return all != 0
  }
}

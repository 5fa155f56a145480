/// A pattern of SQL's LIKE: `%` is any text, `_` any one character (a Unicode scalar), and a backslash makes the next
/// one ordinary.
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

  /// What compares texts with it, one after the other.
  var matcher: TextMatcher { TextMatcher(self) }

  func matches(_ text: String) -> Bool {
    var matcher = matcher
    return matcher.matches(text)
  }
}

/// Compares texts with a pattern in time that no pattern and no text makes longer than their lengths do: all places of
/// the pattern that the text may have reached are bits, which a character moves on at once (R. Baeza-Yates,
/// G. H. Gonnet, A new approach to text searching, CACM 35, 1992; G. Navarro, M. Raffinot, Flexible Pattern Matching in
/// Strings, 2002, chapter 4).
struct TextMatcher {
  /// How many characters the pattern has, `%` apart. That of number i moves the text from place i to place i + 1.
  private let length: Int
  private let wordCount: Int
  /// The places at which a `%` stands: a text that has reached one may stay there.
  private var loops: [UInt64]
  /// For each character of the pattern the places that it moves on; those of `_` are in all of them and in `any`.
  private var moves: [Unicode.Scalar: [UInt64]] = [:]
  private var any: [UInt64]
  /// The same for ASCII, one after the other.
  private var asciiMoves: [UInt64] = []

  /// The places that the text has reached.
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

  /// - Complexity: O(n · m / 64), for a text of n characters and a pattern of m.
  mutating func matches(_ text: String) -> Bool {
    for word in reached.indices { reached[word] = 0 }
    reached[0] = 1
    for scalar in text.unicodeScalars where !move(scalar) { return false }
    return reached[length >> 6] >> UInt64(length & 63) & 1 == 1
  }

  /// Moves on by a character, and returns whether any place is reached.
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

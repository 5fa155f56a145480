/// An angle as people write it: in degrees, minutes and seconds, or with the letter of a hemisphere. Examples are
/// `48°51'24.5"N`, `N 48 51.4`, `-2:21:03`, `48d51m24s` and `2.35 W`.
///
/// Only the last number may have decimals, which follow a point or a comma.
struct Angle {
  let degrees: Double
  /// Whether the letter of the hemisphere is N or S; nil if the angle has no letter.
  let isLatitude: Bool?

  /// Parses an angle.
  ///
  /// - Returns: nil if the text is a plain number or is not an angle, or if it has 60 or more minutes or seconds.
  init?(_ text: Bytes) {
    guard text.count <= 64 else { return nil }
    var scanner = AngleScanner(String(decoding: text, as: UTF8.self))
    guard let (degrees, letter) = scanner.scan() else { return nil }
    (self.degrees, isLatitude) = (degrees, letter.map { $0 == "N" || $0 == "S" })
  }

  /// Returns whether a text would be an angle if its letter were E instead of O. O means east in German, but west in
  /// French, Italian and Spanish.
  static func hasUnclearLetter(_ text: Bytes) -> Bool {
    let east = text.map { $0 | 0x20 == UInt8(ascii: "o") ? UInt8(ascii: "E") : $0 }
    return east != Array(text) && east.withUnsafeBufferPointer { Angle($0) != nil }
  }
}

private struct AngleScanner {
  private let characters: [Unicode.Scalar]
  private var position = 0

  init(_ text: String) { characters = Array(text.unicodeScalars) }

  private var next: Unicode.Scalar? { position < characters.count ? characters[position] : nil }

  private mutating func skipSpace() { while take(" \t\u{A0}") != nil {} }

  private mutating func take(_ accepted: String) -> Unicode.Scalar? {
    guard let character = next, accepted.unicodeScalars.contains(character) else { return nil }
    position += 1
    return character
  }

  mutating func scan() -> (degrees: Double, letter: Unicode.Scalar?)? {
    skipSpace()
    // Lowercase letters are not accepted, because the `e` in `1.5e` may begin an exponent that was cut off.
    var letter = take("NSEW")
    skipSpace()
    let sign = take("-+")
    var numbers: [Double] = []
    var hasMarks = false
    while let (number, isWhole) = takeNumber() {
      numbers.append(number)
      skipSpace()
      let isMarked = takeMark(ofNumber: numbers.count)
      hasMarks = hasMarks || isMarked
      skipSpace()
      if !isWhole { break }
    }
    if letter == nil { letter = take("NSEW") }
    skipSpace()
    guard next == nil, 1...3 ~= numbers.count, numbers.dropFirst().allSatisfy({ $0 < 60 }),
      letter == nil || sign == nil,
      letter != nil || hasMarks || numbers.count == 3
    else { return nil }
    let units = numbers.reduce(0) { 60 * $0 + $1 }
    let degrees = units / [1, 60, 3600][numbers.count - 1]
    return (sign == "-" || letter == "S" || letter == "W" ? -degrees : degrees, letter)
  }

  private mutating func takeNumber() -> (number: Double, isWhole: Bool)? {
    var text = ""
    var isWhole = true
    while let character = take("0123456789") ?? (isWhole && !text.isEmpty ? take(".,") : nil) {
      if "0"..."9" ~= character {
        text.unicodeScalars.append(character)
      } else {
        isWhole = false
        text += "."
      }
    }
    guard !text.isEmpty, let number = Double(isWhole ? text : text + "0") else { return nil }
    return (number, isWhole)
  }

  /// Moves past the mark of degrees, minutes or seconds, or past a colon before the next number. Returns whether there
  /// was such a mark or colon.
  private mutating func takeMark(ofNumber count: Int) -> Bool {
    if count < 3, next == ":", position + 1 < characters.count, "0"..."9" ~= characters[position + 1] {
      position += 1
      return true
    }
    switch count {
    case 1: return take("°º˚d") != nil
    case 2: return take("\(Self.primes)m") != nil
    default:
      // In quoted CSV cells, a quote is written as two quotes.
      let hasQuote = take("\"") != nil
      if hasQuote { _ = take("\"") }
      return hasQuote || take("″”“s") != nil || take(Self.primes) != nil && take(Self.primes) != nil
    }
  }

  private static let primes = "'′’‘´"
}

import Treeline

/// A pair of coordinates in one cell, such as `48.85, 2.35`, `(48.85 2.35)` or `48°51'24"N 2°21'3"E`.
struct CoordinatePair {
  /// The two numbers, in the order of the text.
  let numbers: (Double, Double)
  /// Whether the latitude is first, according to the letters of the angles; nil if there are no letters.
  let isLatitudeFirst: Bool?
  /// Whether the pair is in square brackets, like a position in GeoJSON. If so, the longitude is first.
  let isArray: Bool

  /// Splits the text into two parts that are numbers or angles. Prefers to split at a semicolon, then at a comma, then
  /// at a space, then after a letter such as N or E. Fails if the text has two such splits: `48 51 2 21` may begin with
  /// 48 degrees, or with 48 degrees, 51 minutes and 2 seconds.
  init?(_ text: Bytes, _ mark: DecimalMark) {
    isArray = trimmed(text).first == Byte.openBracket
    guard let text = Self.withoutBrackets(trimmed(text)), Self.part(text, mark) == nil else { return nil }
    for separators in Self.separators {
      var found: (numbers: (Double, Double), isLatitudeFirst: Bool?)?
      for (index, byte) in text.enumerated() where separators.contains(byte) {
        // A letter belongs to the angle before the letter.
        let end = byte >= UInt8(ascii: "E") ? index + 1 : index
        guard let first = Self.part(Bytes(rebasing: text[..<end]), mark),
          let second = Self.part(Bytes(rebasing: text[(index + 1)...]), mark),
          first.isLatitude == second.isLatitude.map({ !$0 })
        else { continue }
        if let found, found.numbers != (first.number, second.number) { return nil }
        found = ((first.number, second.number), first.isLatitude)
      }
      if let found {
        (numbers, isLatitudeFirst) = found
        return
      }
    }
    return nil
  }

  private static let separators = [
    [Byte.semicolon], [Byte.comma], [Byte.space, Byte.tab], Array("NSEW".utf8),
  ]

  private static func withoutBrackets(_ text: Bytes) -> Bytes? {
    guard text.count >= 3, text.count <= 128 else { return nil }
    switch (text.first, text.last) {
    case (UInt8(ascii: "("), UInt8(ascii: ")")), (Byte.openBracket, Byte.closeBracket):
      return trimmed(Bytes(rebasing: text[1..<text.count - 1]))
    default: return text
    }
  }

  private static func part(_ text: Bytes, _ mark: DecimalMark) -> (number: Double, isLatitude: Bool?)? {
    if let number = mark == .point ? parseDecimal(text) : parseDecimalComma(text) { return (number, nil) }
    return Angle(text).map { ($0.degrees, $0.isLatitude) }
  }

  /// Returns the longitude and the latitude. Letters decide which number is the latitude. Without letters,
  /// `isLatitudeFirst` decides.
  func ordered(isLatitudeFirst: Bool) -> (first: Double, second: Double) {
    self.isLatitudeFirst ?? isLatitudeFirst ? (numbers.1, numbers.0) : (numbers.0, numbers.1)
  }

  init?(_ text: String, _ mark: DecimalMark) {
    guard let pair = Array(text.utf8).withUnsafeBufferPointer({ CoordinatePair($0, mark) }) else { return nil }
    self = pair
  }
}

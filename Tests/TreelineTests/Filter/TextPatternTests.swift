import PointSets
import Testing

@testable import Treeline

/// Checks LIKE against its definition.
@Suite struct TextPatternTests {
  /// Returns whether the rest of a pattern matches the rest of a text.
  private func matches(_ elements: ArraySlice<TextPattern.Element>, _ text: ArraySlice<Unicode.Scalar>) -> Bool {
    guard let element = elements.first else { return text.isEmpty }
    switch element {
    case .anyText:
      return (text.startIndex...text.endIndex).contains { matches(elements.dropFirst(), text[$0...]) }
    case .anyScalar: return !text.isEmpty && matches(elements.dropFirst(), text.dropFirst())
    case .scalar(let scalar): return text.first == scalar && matches(elements.dropFirst(), text.dropFirst())
    }
  }

  @Test func isWhatItsDefinitionSays() {
    var random = SplitMix64(seed: 382)
    let letters: [Unicode.Scalar] = ["a", "b", "é", "😀"]
    var found = 0
    for _ in 0..<3000 {
      let parts = ["%", "_", "a", "b", "é", "😀", "\\%"]
      let pattern = (0..<random.index(below: 8)).map { _ in parts[random.index(below: 7)] }.joined()
      let text = String(
        String.UnicodeScalarView((0..<random.index(below: 9)).map { _ in letters[random.index(below: letters.count)] }))
      let compiled = TextPattern(pattern)
      let expected = matches(compiled.elements[...], Array(text.unicodeScalars)[...])
      #expect(compiled.matches(text) == expected, "\(pattern) of \(text), seed 382")
      found += expected ? 1 : 0
    }
    #expect(found > 100)
  }

  /// Checks patterns of more than 64 characters, whose state needs more than one word of bits.
  @Test func patternsMayBeLong() {
    for length in [63, 64, 65, 127, 128, 129, 1000] {
      let text = String(repeating: "ab", count: length).prefix(length)
      #expect(TextPattern(String(text)).matches(String(text)))
      #expect(TextPattern("%" + text).matches("ba" + text))
      #expect(TextPattern(text + "%").matches(text + "ba"))
      #expect(TextPattern(String(repeating: "_", count: length)).matches(String(text)))
      #expect(!TextPattern(text + "_").matches(String(text)))
      #expect(!TextPattern(String(text.dropLast())).matches(String(text)))
    }
  }

  /// Checks a pattern for which a matcher with backtracking, which tries each `%` at every position, would never
  /// finish.
  @Test func noPatternIsSlow() {
    let text = String(repeating: "a", count: 20_000)
    let pattern = String(repeating: "%a_a", count: 500) + "%b"
    #expect(!TextPattern(pattern).matches(text))
    #expect(TextPattern(pattern).matches(text + "b"))
  }
}

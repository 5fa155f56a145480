/// A fault in the text of a filter: its position, and what was expected there.
public struct FilterTextError: Error, Hashable, Sendable {
  /// Position of the fault, as the number of Unicode scalars before the fault. If the text ends too early, the position
  /// is the number of all scalars of the text.
  public let position: Int
  /// Description of what was expected at the position.
  @_spi(Server) public let expected: String
  /// The text found at the position.
  @_spi(Server) public let found: String
  /// The remedy, such as what to write instead; nil if the parser knows no remedy.
  let remedy: String?

  /// The text around the fault, on one line.
  private let excerpt: String
  /// Number of characters that the excerpt has before the fault.
  private let caret: Int

  /// - Parameter text: The whole text of the filter.
  init(at position: Int, of text: [Unicode.Scalar], expected: String, found: String, remedy: String? = nil) {
    (self.position, self.expected, self.found, self.remedy) = (position, expected, found, remedy)
    let window = Self.window(around: position, count: text.count)
    let before = Self.line(text[window.lowerBound..<position])
    let start = window.lowerBound > 0 ? "…" : ""
    let end = window.upperBound < text.count ? "…" : ""
    excerpt = start + before + Self.line(text[position..<window.upperBound]) + end
    caret = (start + before).count
  }

  /// What was expected, what was found, and the remedy, on one line.
  var message: String { "expected \(expected), found \(found)" + (remedy.map { "; \($0)" } ?? "") }

  /// Returns the range of the scalars that the excerpt shows. If text is cut off at an end, the range leaves room for
  /// an ellipsis there.
  private static func window(around position: Int, count: Int) -> Range<Int> {
    let size = 60
    guard count > size else { return 0..<count }
    let start = min(max(position - size / 2, 0), count - size)
    return (start > 0 ? start + 1 : 0)..<(start + size < count ? start + size - 1 : count)
  }

  /// Returns scalars as text. Scalars that would break the line, or shift the characters after them, become spaces.
  private static func line(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var line = String.UnicodeScalarView()
    for scalar in scalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: line.append(" ")
      default: line.append(scalar)
      }
    }
    return String(line)
  }
}

extension FilterTextError: CustomStringConvertible {
  /// The message, the text around the fault, and a caret beneath the fault:
  ///
  /// ```
  /// expected a comparison such as '=' or 'IN' after the column 'kind', found '!='; 'is not' is written '<>'
  ///   kind != 'hotel'
  ///        ^
  /// ```
  public var description: String { "\(message)\n  \(excerpt)\n  \(String(repeating: " ", count: caret))^" }
}

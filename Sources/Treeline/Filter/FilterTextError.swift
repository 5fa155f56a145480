/// Why a text is no filter: what was expected at which place of it.
public struct FilterTextError: Error, Hashable, Sendable {
  /// Where the fault is: how many Unicode scalars of the text stand before it. At the end of the text it is their
  /// number.
  public let position: Int
  /// What should stand there.
  public let expected: String
  /// What stands there.
  public let found: String
  /// What to write in its place, where that is known.
  public let remedy: String?

  /// The text around the fault on one line, and before how many of its characters the fault is.
  private let excerpt: String
  private let caret: Int

  /// - Parameter text: The whole of it.
  init(at position: Int, of text: [Unicode.Scalar], expected: String, found: String, remedy: String? = nil) {
    (self.position, self.expected, self.found, self.remedy) = (position, expected, found, remedy)
    let window = Self.window(around: position, count: text.count)
    let before = Self.line(text[window.lowerBound..<position])
    let start = window.lowerBound > 0 ? "…" : ""
    let end = window.upperBound < text.count ? "…" : ""
    excerpt = start + before + Self.line(text[position..<window.upperBound]) + end
    caret = (start + before).count
  }

  /// What was expected and found as one line.
  public var message: String { "expected \(expected), found \(found)" + (remedy.map { "; \($0)" } ?? "") }

  /// What part of so many scalars is shown, with room for an ellipsis where some are left out.
  private static func window(around position: Int, count: Int) -> Range<Int> {
    let size = 60
    guard count > size else { return 0..<count }
    let start = min(max(position - size / 2, 0), count - size)
    return (start > 0 ? start + 1 : 0)..<(start + size < count ? start + size - 1 : count)
  }

  /// Scalars without those that would break the line or move what follows.
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
  /// The message above the text around the fault, and a caret beneath the fault:
  ///
  /// ```
  /// expected a comparison such as '=' or 'IN' behind the column 'kind', found '!='; 'is not' is written '<>'
  ///   kind != 'hotel'
  ///        ^
  /// ```
  public var description: String { "\(message)\n  \(excerpt)\n  \(String(repeating: " ", count: caret))^" }
}

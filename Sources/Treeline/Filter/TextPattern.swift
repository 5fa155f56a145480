/// A pattern of SQL's LIKE: `%` is any text, `_` any one character (a Unicode scalar), and a backslash makes the next
/// one ordinary.
struct TextPattern {
  private enum Element: Equatable {
    case scalar(Unicode.Scalar)
    case anyScalar
    case anyText
  }

  private let elements: [Element]

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

  /// - Complexity: O(n · m) at worst, for a text of n characters and a pattern of m.
  func matches(_ text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    var (position, index) = (0, 0)
    /// The last `%` so far, and up to where it reaches.
    var anyText: (index: Int, end: Int)?
    while position < scalars.count {
      if index < elements.count, elements[index] == .anyText {
        anyText = (index, position)
        index += 1
      } else if index < elements.count, elements[index] == .anyScalar || elements[index] == .scalar(scalars[position]) {
        (position, index) = (position + 1, index + 1)
      } else if let (start, end) = anyText {
        anyText = (start, end + 1)
        (position, index) = (end + 1, start + 1)
      } else {
        return false
      }
    }
    return elements[index...].allSatisfy { $0 == .anyText }
  }
}

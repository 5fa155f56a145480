extension String {
  /// The text as messages show it: on one line, and cut after 60 characters. Characters that cannot be seen or that
  /// look like other characters are escaped.
  package var visible: String {
    var result = ""
    for (count, scalar) in unicodeScalars.enumerated() {
      if count == 60 { return result + "..." }
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value >= 0x7F && scalar.looksLikeASCII:
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension Unicode.Scalar {
  /// Whether the character is a control character, or a character beyond ASCII that is invisible or looks like a space
  /// or a minus sign.
  fileprivate var looksLikeASCII: Bool {
    switch properties.generalCategory {
    case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .dashPunctuation: true
    default: self == "\u{2212}"
    }
  }
}

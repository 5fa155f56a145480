import Treeline

extension String {
  /// Appends a JSON string literal (RFC 8259, section 7).
  public mutating func appendJSON(_ string: String) {
    append("\"")
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": append("\\\"")
      case "\\": append("\\\\")
      case "\n": append("\\n")
      case "\r": append("\\r")
      case "\t": append("\\t")
      case "\u{0}"..<"\u{20}":
        let hex = String(scalar.value, radix: 16)
        append("\\u" + String(repeating: "0", count: 4 - hex.count) + hex)
      default: unicodeScalars.append(scalar)
      }
    }
    append("\"")
  }

  /// Appends a column's value as JSON.
  public mutating func appendJSON(_ value: AttributeValue) {
    switch value {
    case .string(let string): appendJSON(string)
    case .number(let literal), .json(let literal): append(literal)
    case .bool(let bool): append(bool ? "true" : "false")
    case .null: append("null")
    }
  }
}

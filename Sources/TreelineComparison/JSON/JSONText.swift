/// A JSON value whose objects keep the order of their keys and whose numbers are written as they are given.
indirect enum JSONText {
  case null
  /// Digits, as JSON has them.
  case number(String)
  case string(String)
  case array([JSONText])
  case object([(key: String, value: JSONText)])

  static func number(_ value: Int) -> JSONText { .number(String(value)) }

  /// Rounded to some decimals; null where there is no value.
  static func number(_ value: Double?, decimals: Int) -> JSONText {
    guard let value, value.isFinite else { return .null }
    var text = fixed(value, decimals)
    if text.contains(".") {
      while text.hasSuffix("0") { text.removeLast() }
      if text.hasSuffix(".") { text.removeLast() }
    }
    return .number(text)
  }

  /// On one line what holds no object, one line for each object otherwise.
  func text(indent: String = "") -> String {
    switch self {
    case .null: return "null"
    case .number(let digits): return digits
    case .string(let string): return Self.quoted(string)
    case .array(let items):
      let inner = indent + "  "
      guard items.contains(where: \.isObject) else {
        return "[" + items.map { $0.text(indent: inner) }.joined(separator: ", ") + "]"
      }
      let lines = items.map { inner + $0.text(indent: inner) }
      return "[\n" + lines.joined(separator: ",\n") + "\n" + indent + "]"
    case .object(let members):
      return "{"
        + members.map { Self.quoted($0.key) + ": " + $0.value.text(indent: indent) }.joined(separator: ", ")
        + "}"
    }
  }

  private var isObject: Bool {
    if case .object = self { true } else { false }
  }

  private static func quoted(_ string: String) -> String {
    var text = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}

import Treeline

extension String {
  /// Appends a JSON string literal (RFC 8259, section 7).
  public mutating func appendJSON(_ string: String) {
    guard string.utf8.contains(where: Self.needsEscape) else {
      append("\"")
      append(string)
      append("\"")
      return
    }
    var bytes: [UInt8] = [UInt8(ascii: "\"")]
    for byte in string.utf8 {
      if Self.needsEscape(byte) {
        bytes.append(contentsOf: Self.escapes[Int(byte)])
      } else {
        bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
    append(String(decoding: bytes, as: UTF8.self))
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// Those of the control characters, and of the two others.
  private static let escapes: [[UInt8]] = (0...UInt8(ascii: "\\")).map { byte in
    switch byte {
    case UInt8(ascii: "\n"): return Array("\\n".utf8)
    case UInt8(ascii: "\r"): return Array("\\r".utf8)
    case UInt8(ascii: "\t"): return Array("\\t".utf8)
    case 0x20...: return [UInt8(ascii: "\\"), byte]
    default:
      let hex = String(byte, radix: 16)
      return Array(("\\u" + String(repeating: "0", count: 4 - hex.count) + hex).utf8)
    }
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

import Treeline

extension OutputBytes {
  /// Appends a JSON string literal (RFC 8259, section 7).
  public mutating func append(json string: String) {
    append(byte: UInt8(ascii: "\""))
    var string = string
    string.withUTF8 { bytes in
      // What needs no escape is copied as it stands, piece by piece.
      var start = 0
      for (index, byte) in bytes.enumerated() where Self.needsEscape(byte) {
        append(UnsafeBufferPointer(rebasing: bytes[start..<index]))
        append(escaped: byte)
        start = index + 1
      }
      append(UnsafeBufferPointer(rebasing: bytes[start...]))
    }
    append(byte: UInt8(ascii: "\""))
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func append(escaped byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\n"): append("\\n")
    case UInt8(ascii: "\r"): append("\\r")
    case UInt8(ascii: "\t"): append("\\t")
    case 0x20...:
      append(byte: UInt8(ascii: "\\"))
      append(byte: byte)
    default:
      append("\\u00")
      append(byte: UInt8(ascii: "0") + byte >> 4)
      append(byte: Self.hexadecimalDigits[Int(byte & 15)])
    }
  }

  private static let hexadecimalDigits = Array("0123456789abcdef".utf8)

  /// Appends a column's value as JSON.
  public mutating func append(json value: AttributeValue) {
    switch value {
    case .string(let string): append(json: string)
    case .number(let literal), .json(let literal): append(text: literal)
    case .bool(let bool): append(json: bool)
    case .null: append("null")
    }
  }

  public mutating func append(json bool: Bool) {
    if bool { append("true") } else { append("false") }
  }

  /// In the fewest digits that give the same number; null where there is none, or where it is not finite.
  public mutating func append(json number: Double?) {
    guard let number, number.isFinite else { return append("null") }
    append(text: AttributeColumn.text(of: number))
  }
}

extension String {
  /// Writes the string as a JSON literal, quotes included (RFC 8259, section 7), piece by piece.
  package func writeJSONLiteral(_ append: (UnsafeBufferPointer<UInt8>) -> Void) {
    func write(_ text: String) {
      var text = text
      text.withUTF8(append)
    }
    write("\"")
    var string = self
    string.withUTF8 { bytes in
      var start = 0
      for (index, byte) in bytes.enumerated() where needsEscape(byte) {
        append(UnsafeBufferPointer(rebasing: bytes[start..<index]))
        write(escape(byte))
        start = index + 1
      }
      append(UnsafeBufferPointer(rebasing: bytes[start...]))
    }
    write("\"")
  }
}

@inline(__always) private func needsEscape(_ byte: UInt8) -> Bool {
  byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
}

private func escape(_ byte: UInt8) -> String {
  switch byte {
  case UInt8(ascii: "\n"): "\\n"
  case UInt8(ascii: "\r"): "\\r"
  case UInt8(ascii: "\t"): "\\t"
  case 0x20...: "\\" + String(UnicodeScalar(byte))
  default: (byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16)
  }
}

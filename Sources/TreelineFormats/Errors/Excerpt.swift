/// Bytes of the input as a message shows them: quoted, short, on one line, with broken UTF-8 repaired.
func excerpt(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
  // 4 bytes a character at most, so a prefix of bytes cannot cut the visible characters short.
  "\"" + visible(String(decoding: bytes.prefix(260), as: UTF8.self)) + "\""
}

/// A text with control characters escaped, cut after 60 characters.
func visible(_ text: String) -> String {
  var result = ""
  for (count, scalar) in text.unicodeScalars.enumerated() {
    if count == 60 { return result + "..." }
    switch scalar {
    case "\n": result += "\\n"
    case "\r": result += "\\r"
    case "\t": result += "\\t"
    case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
      result += "\\u{" + String(scalar.value, radix: 16) + "}"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

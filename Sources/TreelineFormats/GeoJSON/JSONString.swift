/// A string literal as offsets into the scanned bytes, without its quotes.
struct JSONString {
  var start = 0
  var end = 0
  var hasEscapes = false

  /// The text of a literal whose syntax is checked, with escapes resolved and broken UTF-8 or surrogates repaired.
  func text(of bytes: Bytes) -> String {
    let literal = String(decoding: bytes[start..<end], as: UTF8.self)
    guard hasEscapes else { return literal }
    // Escapes are units of UTF-16: two of them may be the halves of one character.
    var units: [UInt16] = []
    var rest = literal.utf16[...]
    while let unit = rest.popFirst() {
      guard unit == UInt16(Byte.backslash), let letter = rest.popFirst() else {
        units.append(unit)
        continue
      }
      switch UInt8(truncatingIfNeeded: letter) {
      case UInt8(ascii: "u"):
        units.append(UInt16(String(rest.prefix(4))!, radix: 16) ?? 0)
        rest = rest.dropFirst(4)
      case UInt8(ascii: "b"): units.append(0x08)
      case UInt8(ascii: "f"): units.append(0x0C)
      case UInt8(ascii: "n"): units.append(UInt16(Byte.lineFeed))
      case UInt8(ascii: "r"): units.append(UInt16(Byte.carriageReturn))
      case UInt8(ascii: "t"): units.append(UInt16(Byte.tab))
      default: units.append(letter)
      }
    }
    return String(decoding: units, as: UTF16.self)
  }

  /// Whether the literal stands for an ASCII name.
  @inline(__always) func matches(_ name: StaticString, in bytes: Bytes) -> Bool {
    if hasEscapes { return text(of: bytes) == "\(name)" }
    guard end - start == name.utf8CodeUnitCount else { return false }
    for index in 0..<name.utf8CodeUnitCount where bytes[start + index] != name.utf8Start[index] { return false }
    return true
  }
}

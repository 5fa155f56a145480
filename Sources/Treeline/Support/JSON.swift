/// A validator of JSON texts (RFC 8259) in an index. The texts are checked, because answers contain the texts
/// verbatim. Nothing is decoded.
///
/// The reader of GeoJSON has its own scanner, which reads pieces of a stream, counts lines and names the expected
/// syntax in its errors.
package enum JSONSyntax {
  /// The greatest depth of nested arrays and objects. Deeper nesting counts as damage.
  fileprivate static let maximumDepth = 1024

  package static func isNumber(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var scanner = Scanner(bytes: bytes)
    return scanner.number() && scanner.isAtEnd
  }

  /// Returns whether the bytes are one value without whitespace around it.
  package static func isValue(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var scanner = Scanner(bytes: bytes)
    return scanner.value() && scanner.isAtEnd && String(validating: bytes, as: UTF8.self) != nil
  }
}

private struct Scanner {
  let bytes: UnsafeRawBufferPointer
  var position = 0

  var isAtEnd: Bool { position == bytes.count }
  /// The next byte. At the end, the byte with the value 0, which no token contains.
  private var next: UInt8 { isAtEnd ? 0 : bytes[position] }

  private mutating func take(_ text: StaticString) -> Bool {
    let text = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard bytes[position...].starts(with: text) else { return false }
    position += text.count
    return true
  }

  private mutating func takeDigits() -> Bool {
    let start = position
    while UInt8(ascii: "0")...UInt8(ascii: "9") ~= next { position += 1 }
    return position > start
  }

  mutating func number() -> Bool {
    _ = take("-")
    if !take("0"), !takeDigits() { return false }
    if take("."), !takeDigits() { return false }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      return takeDigits()
    }
    return true
  }

  private mutating func skipSpace() { while [0x20, 0x09, 0x0A, 0x0D].contains(next) { position += 1 } }

  private mutating func string() -> Bool {
    guard take("\"") else { return false }
    while !isAtEnd {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return true
      case 0..<0x20: return false
      case UInt8(ascii: "\\"): guard escape() else { return false }
      default: break
      }
    }
    return false
  }

  private mutating func escape() -> Bool {
    let byte = next
    position += 1
    guard byte == UInt8(ascii: "u") else { return "\"\\/bfnrt".utf8.contains(byte) }
    for _ in 0..<4 {
      guard Character(Unicode.Scalar(next)).isHexDigit else { return false }
      position += 1
    }
    return true
  }

  mutating func value() -> Bool {
    // The brackets that are still open: true for an object, false for an array. This list replaces recursion.
    var open: [Bool] = []
    while true {
      let isObject = take("{")
      if isObject || take("[") {
        guard open.count < JSONSyntax.maximumDepth else { return false }
        skipSpace()
        if !take(isObject ? "}" : "]") {
          guard !isObject || name() else { return false }
          open.append(isObject)
          continue
        }
      } else if !scalar() {
        return false
      }
      // A value is complete here. The loop also completes every array and object that ends right after this value.
      while true {
        guard let isObject = open.last else { return true }
        skipSpace()
        if take(",") {
          skipSpace()
          guard !isObject || name() else { return false }
          break
        }
        guard take(isObject ? "}" : "]") else { return false }
        open.removeLast()
      }
    }
  }

  /// Reads a name with its colon and the whitespace before the value.
  private mutating func name() -> Bool {
    guard string() else { return false }
    skipSpace()
    defer { skipSpace() }
    return take(":")
  }

  private mutating func scalar() -> Bool {
    if next == UInt8(ascii: "\"") { return string() }
    return take("true") || take("false") || take("null") || number()
  }
}

extension String {
  /// Writes the string as a JSON literal, including quotes (RFC 8259, section 7), piece by piece.
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

extension JSONString {
  /// The text of a literal whose syntax is checked, with escapes resolved and broken UTF-8 or surrogates repaired.
  func text(of bytes: UnsafeBufferPointer<UInt8>) -> String {
    let content = UnsafeBufferPointer(rebasing: bytes[start..<end])
    guard hasEscapes else { return String(decoding: content, as: UTF8.self) }
    var result: [UInt8] = []
    result.reserveCapacity(content.count)
    // Escapes of UTF-16 units gather here: two of them may be the halves of one character.
    var units: [UInt16] = []
    var position = 0
    while position < content.count {
      if content[position] == Byte.backslash, content[position + 1] == UInt8(ascii: "u") {
        units.append((2..<6).reduce(0) { $0 << 4 | (hexDigit(content[position + $1]) ?? 0) })
        position += 6
        continue
      }
      flush(&units, into: &result)
      if content[position] == Byte.backslash {
        result.append(escaped(content[position + 1]))
        position += 2
      } else {
        result.append(content[position])
        position += 1
      }
    }
    flush(&units, into: &result)
    return String(decoding: result, as: UTF8.self)
  }

  /// Whether the literal stands for an ASCII name.
  @inline(__always)
  func matches(_ name: StaticString, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    if hasEscapes { return text(of: bytes) == "\(name)" }
    guard end - start == name.utf8CodeUnitCount else { return false }
    for index in 0..<name.utf8CodeUnitCount where bytes[start + index] != name.utf8Start[index] {
      return false
    }
    return true
  }
}

private func flush(_ units: inout [UInt16], into bytes: inout [UInt8]) {
  if units.isEmpty { return }
  bytes.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
  units.removeAll(keepingCapacity: true)
}

private func escaped(_ letter: UInt8) -> UInt8 {
  switch letter {
  case UInt8(ascii: "b"): 0x08
  case UInt8(ascii: "f"): 0x0C
  case UInt8(ascii: "n"): Byte.lineFeed
  case UInt8(ascii: "r"): Byte.carriageReturn
  case UInt8(ascii: "t"): Byte.tab
  default: letter
  }
}

/// Tells whether bytes are JSON (RFC 8259), for text of an index that is written out as it stands.
///
/// Nothing is decoded and nothing recurses: a stack of bits remembers what is open.
package enum JSONSyntax {
  /// What may be nested in what; deeper text is taken for damage.
  static let maximumDepth = 1024

  package static func isNumber(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var scanner = Scanner(bytes: bytes)
    return scanner.number() && scanner.isAtEnd
  }

  /// Whether the bytes are one value with no space around it but what it has inside.
  package static func isValue(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var scanner = Scanner(bytes: bytes)
    return scanner.value() && scanner.isAtEnd && String(validating: bytes, as: UTF8.self) != nil
  }
}

private struct Scanner {
  let bytes: UnsafeRawBufferPointer
  var position = 0

  init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }
  private var next: UInt8 { isAtEnd ? 0 : bytes[position] }

  private mutating func take(_ byte: Unicode.Scalar) -> Bool {
    guard !isAtEnd, bytes[position] == UInt8(ascii: byte) else { return false }
    position += 1
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
    guard !isAtEnd else { return false }
    position += 1
    guard byte == UInt8(ascii: "u") else { return "\"\\/bfnrt".utf8.contains(byte) }
    for _ in 0..<4 {
      guard Character(Unicode.Scalar(next)).isHexDigit else { return false }
      position += 1
    }
    return true
  }

  private mutating func word(_ word: StaticString) -> Bool {
    let end = position + word.utf8CodeUnitCount
    guard end <= bytes.count else { return false }
    for offset in 0..<word.utf8CodeUnitCount where bytes[position + offset] != word.utf8Start[offset] { return false }
    position = end
    return true
  }

  mutating func value() -> Bool {
    // Whether each of the open brackets is an object's.
    var open: [Bool] = []
    repeat {
      if !open.isEmpty { skipSpace() }
      let isObject = next == UInt8(ascii: "{")
      if isObject || next == UInt8(ascii: "[") {
        guard open.count < JSONSyntax.maximumDepth else { return false }
        position += 1
        skipSpace()
        if !take(isObject ? "}" : "]") {
          open.append(isObject)
          guard !isObject || name() else { return false }
          continue
        }
      } else if !scalar() {
        return false
      }
      // A value is complete, and so is whatever closes around it.
      while let isObject = open.last {
        skipSpace()
        if take(",") {
          skipSpace()
          guard !isObject || name() else { return false }
          break
        }
        guard take(isObject ? "}" : "]") else { return false }
        open.removeLast()
      }
    } while !open.isEmpty
    return true
  }

  private mutating func name() -> Bool {
    guard string() else { return false }
    skipSpace()
    return take(":")
  }

  private mutating func scalar() -> Bool {
    switch next {
    case UInt8(ascii: "\""): string()
    case UInt8(ascii: "t"): word("true")
    case UInt8(ascii: "f"): word("false")
    case UInt8(ascii: "n"): word("null")
    default: number()
    }
  }
}

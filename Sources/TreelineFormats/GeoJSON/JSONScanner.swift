/// Why a scan of JSON stopped.
enum JSONStop: Error {
  /// The bytes end within a value, and more may follow.
  case needsMore
  case syntax(at: Int, expected: StaticString)
  case tooDeep(at: Int)
}

/// A string literal as offsets into the scanned bytes, without its quotes.
struct JSONString {
  var start = 0
  var end = 0
  var hasEscapes = false
}

/// Goes over JSON (RFC 8259) byte by byte, checks its syntax, and makes nothing of it.
///
/// Each function starts at the first byte of what it scans and leaves `position` after it. Whether strings are valid
/// UTF-8 is not checked here: decoding repairs them.
struct JSONScanner {
  /// Bounds the recursion, and so the stack.
  static let depthLimit = 128

  let bytes: UnsafeBufferPointer<UInt8>
  /// Whether nothing follows `bytes`.
  let isFinal: Bool
  var position: Int
  /// How many line breaks (LF, CR LF or CR) lie before `position`.
  var lineBreaks = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>, isFinal: Bool, from position: Int = 0) {
    self.bytes = bytes
    self.isFinal = isFinal
    self.position = position
  }

  func stop(_ expected: StaticString) -> JSONStop { .syntax(at: position, expected: expected) }

  /// The byte at `position`.
  @inline(__always)
  func peek(_ expected: StaticString) throws(JSONStop) -> UInt8 {
    if position < bytes.count { return bytes[position] }
    throw isFinal ? stop(expected) : .needsMore
  }

  @inline(__always)
  mutating func expect(_ byte: UInt8, _ expected: StaticString) throws(JSONStop) {
    guard try peek(expected) == byte else { throw stop(expected) }
    position += 1
  }

  @inline(__always)
  mutating func skipSpace() throws(JSONStop) {
    while position < bytes.count {
      switch bytes[position] {
      case Byte.space, Byte.tab: position += 1
      case Byte.lineFeed:
        position += 1
        lineBreaks += 1
      case Byte.carriageReturn:
        // Only the next byte tells whether the line ends here.
        if position + 1 == bytes.count && !isFinal { throw .needsMore }
        if position + 1 == bytes.count || bytes[position + 1] != Byte.lineFeed { lineBreaks += 1 }
        position += 1
      default: return
      }
    }
  }

  /// From `{` to `}`, with `position` at each member's value when `onMember` is called, which must scan it.
  @inline(__always)
  mutating func scanObject(
    _ onMember: (inout JSONScanner, JSONString) throws(JSONStop) -> Void
  ) throws(JSONStop) {
    try expect(Byte.openBrace, "\"{\"")
    try skipSpace()
    if try peek("a name or \"}\"") == Byte.closeBrace {
      position += 1
      return
    }
    while true {
      let name = try scanName()
      try onMember(&self, name)
      try skipSpace()
      let byte = try peek("\",\" or \"}\"")
      position += 1
      if byte == Byte.closeBrace { return }
      if byte != Byte.comma {
        position -= 1
        throw stop("\",\" or \"}\"")
      }
      try skipSpace()
    }
  }

  /// A member's name, its colon and the space after that.
  mutating func scanName() throws(JSONStop) -> JSONString {
    let name = try scanString("a name in quotes")
    try skipSpace()
    try expect(Byte.colon, "\":\" after a name")
    try skipSpace()
    return name
  }
}

/// The reason why a scan of JSON stopped.
enum JSONStop: Error {
  /// The bytes end within a value, and the input may continue.
  case needsMore
  case syntax(at: Int, expected: StaticString)
  case tooDeep(at: Int)
}

/// Scans JSON (RFC 8259) byte by byte. Checks the syntax, but does not decode values.
///
/// Each function begins at the first byte of the value to scan, and moves `position` to the byte after the value.
/// Strings may contain invalid UTF-8, because decoding repairs them.
struct JSONScanner {
  /// Maximum depth of nested values. The limit bounds the depth of the recursion and therefore the size of the stack.
  static let depthLimit = 128

  let bytes: Bytes
  /// Whether the input ends after `bytes`.
  let isFinal: Bool
  var position = 0
  /// Number of line breaks (LF, CR LF or CR) before `position`.
  var lineBreaks = 0

  init(_ bytes: Bytes, isFinal: Bool) { (self.bytes, self.isFinal) = (bytes, isFinal) }

  func stop(_ expected: StaticString) -> JSONStop { .syntax(at: position, expected: expected) }

  /// Returns the byte at `position`, without moving `position`.
  @inline(__always) func peek(_ expected: StaticString) throws(JSONStop) -> UInt8 {
    if position < bytes.count { return bytes[position] }
    throw isFinal ? stop(expected) : .needsMore
  }

  @inline(__always) mutating func expect(_ byte: UInt8, _ expected: StaticString) throws(JSONStop) {
    guard try peek(expected) == byte else { throw stop(expected) }
    position += 1
  }

  @inline(__always) mutating func skipSpace() throws(JSONStop) {
    while position < bytes.count {
      switch bytes[position] {
      case Byte.space, Byte.tab: position += 1
      case Byte.lineFeed:
        position += 1
        lineBreaks += 1
      case Byte.carriageReturn:
        // The next byte decides whether the line break is CR LF or only CR.
        if position + 1 == bytes.count && !isFinal { throw .needsMore }
        if position + 1 == bytes.count || bytes[position + 1] != Byte.lineFeed { lineBreaks += 1 }
        position += 1
      default: return
      }
    }
  }

  /// Scans from `{` to `}`. Calls `onMember` at the value of each member; `onMember` must scan the value.
  @inline(__always) mutating func scanObject(_ onMember: (inout JSONScanner, JSONString) throws(JSONStop) -> Void)
    throws(JSONStop)
  {
    try expect(Byte.openBrace, "\"{\"")
    try skipSpace()
    if try peek("a name or \"}\"") == Byte.closeBrace {
      position += 1
      return
    }
    repeat {
      let name = try scanName()
      try onMember(&self, name)
    } while try continues(closing: Byte.closeBrace, "\",\" or \"}\"")
  }

  /// Skips white space and then a comma or the closing byte. Returns true for a comma, and also skips the white space
  /// after the comma.
  @inline(__always) mutating func continues(closing: UInt8, _ expected: StaticString) throws(JSONStop) -> Bool {
    try skipSpace()
    let byte = try peek(expected)
    if byte != Byte.comma && byte != closing { throw stop(expected) }
    position += 1
    if byte == closing { return false }
    try skipSpace()
    return true
  }

  /// Scans the name of a member, its colon, and the space after the colon.
  mutating func scanName() throws(JSONStop) -> JSONString {
    let name = try scanString("a name in quotes")
    try skipSpace()
    try expect(Byte.colon, "\":\" after a name")
    try skipSpace()
    return name
  }
}

// MARK: - Values

extension JSONScanner {
  /// Skips any value. `depth` is the number of objects and arrays that contain the value.
  mutating func skipValue(depth: Int) throws(JSONStop) {
    switch try peek("a value") {
    case Byte.quote: _ = try scanString("a string")
    case Byte.openBrace: try skipObject(depth: depth + 1)
    case Byte.openBracket: try skipArray(depth: depth + 1)
    case UInt8(ascii: "t"): try skipLiteral("true")
    case UInt8(ascii: "f"): try skipLiteral("false")
    case UInt8(ascii: "n"): try skipLiteral("null")
    default: try skipNumber()
    }
  }

  private mutating func skipObject(depth: Int) throws(JSONStop) {
    if depth > Self.depthLimit { throw .tooDeep(at: position) }
    try scanObject { (scanner: inout Self, _) throws(JSONStop) in try scanner.skipValue(depth: depth) }
  }

  private mutating func skipArray(depth: Int) throws(JSONStop) {
    if depth > Self.depthLimit { throw .tooDeep(at: position) }
    position += 1
    try skipSpace()
    if try peek("a value or \"]\"") == Byte.closeBracket {
      position += 1
      return
    }
    repeat { try skipValue(depth: depth) } while try continues(closing: Byte.closeBracket, "\",\" or \"]\"")
  }

  private mutating func skipLiteral(_ literal: StaticString) throws(JSONStop) {
    for index in 0..<literal.utf8CodeUnitCount {
      guard try peek("true, false or null") == literal.utf8Start[index] else { throw stop("true, false or null") }
      position += 1
    }
  }

  mutating func skipNumber() throws(JSONStop) {
    if try peek("a value") == Byte.minus { position += 1 }
    let first = try peek("a digit")
    guard Byte.isDigit(first) else { throw stop("a value") }
    position += 1
    if first != Byte.zero { skipDigits() }
    if position < bytes.count, bytes[position] == Byte.point {
      position += 1
      try skipSomeDigits()
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      let sign = try peek("a digit")
      if sign == Byte.plus || sign == Byte.minus { position += 1 }
      try skipSomeDigits()
    }
    // The number might continue in bytes that have not been read yet.
    if position == bytes.count && !isFinal { throw .needsMore }
  }

  private mutating func skipSomeDigits() throws(JSONStop) {
    guard Byte.isDigit(try peek("a digit")) else { throw stop("a digit") }
    skipDigits()
  }

  @inline(__always) private mutating func skipDigits() {
    while position < bytes.count, Byte.isDigit(bytes[position]) { position += 1 }
  }

  mutating func scanString(_ expected: StaticString) throws(JSONStop) -> JSONString {
    try expect(Byte.quote, expected)
    var string = JSONString(start: position)
    while position < bytes.count {
      let byte = bytes[position]
      if byte == Byte.quote {
        string.end = position
        position += 1
        return string
      }
      if byte == Byte.backslash {
        string.hasEscapes = true
        try skipEscape()
      } else if byte < 0x20 {
        throw stop("a closing quote or an escaped control character")
      } else {
        position += 1
      }
    }
    throw isFinal ? stop("a closing quote") : .needsMore
  }

  private mutating func skipEscape() throws(JSONStop) {
    position += 1
    let letter = try peek("an escape")
    guard "\"\\/bfnrtu".utf8.contains(letter) else {
      throw stop("an escape: one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u")
    }
    position += 1
    guard letter == UInt8(ascii: "u") else { return }
    for _ in 0..<4 {
      let digit = try peek("four hexadecimal digits")
      guard Character(Unicode.Scalar(digit)).isHexDigit else { throw stop("four hexadecimal digits") }
      position += 1
    }
  }
}

/// A string literal, as offsets into the scanned bytes. The quotes around it are not included.
struct JSONString {
  var start = 0
  var end = 0
  var hasEscapes = false

  /// Returns the text of a literal whose syntax has been checked. Escapes are decoded. Broken UTF-8 and unpaired
  /// surrogates are replaced.
  func text(of bytes: Bytes) -> String {
    let literal = String(decoding: bytes[start..<end], as: UTF8.self)
    guard hasEscapes else { return literal }
    // Escapes are UTF-16 code units, and two of them may form one character.
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

  /// Returns whether the literal equals a name in ASCII.
  @inline(__always) func matches(_ name: StaticString, in bytes: Bytes) -> Bool {
    if hasEscapes { return text(of: bytes) == "\(name)" }
    guard end - start == name.utf8CodeUnitCount else { return false }
    for index in 0..<name.utf8CodeUnitCount where bytes[start + index] != name.utf8Start[index] { return false }
    return true
  }
}

/// The members of an object in JSON.
@_spi(Server) public enum JSONMembers {
  /// Returns the first name that occurs twice, even if its characters are written in different ways. Returns nil if all
  /// names differ, or if the bytes are not an object.
  public static func firstTwice(_ object: UnsafeRawBufferPointer) -> String? {
    firstTwice(object.bindMemory(to: UInt8.self))
  }

  static func firstTwice(_ object: Bytes) -> String? {
    var (names, repeated): (Set<String>, String?) = ([], nil)
    var scanner = JSONScanner(object, isFinal: true)
    try? scanner.skipSpace()
    try? scanner.scanObject { (scanner: inout JSONScanner, name: JSONString) throws(JSONStop) in
      let name = name.text(of: scanner.bytes)
      if !names.insert(name).inserted && repeated == nil { repeated = name }
      try scanner.skipValue(depth: 2)
    }
    return repeated
  }
}

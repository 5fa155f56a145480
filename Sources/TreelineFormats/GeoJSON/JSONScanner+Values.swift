extension JSONScanner {
  /// Any value; `depth` is how many objects and arrays are open around it.
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
    try scanObject { (scanner: inout JSONScanner, _: JSONString) throws(JSONStop) in
      try scanner.skipValue(depth: depth)
    }
  }

  private mutating func skipArray(depth: Int) throws(JSONStop) {
    if depth > Self.depthLimit { throw .tooDeep(at: position) }
    position += 1
    try skipSpace()
    if try peek("a value or \"]\"") == Byte.closeBracket {
      position += 1
      return
    }
    while true {
      try skipValue(depth: depth)
      try skipSpace()
      let byte = try peek("\",\" or \"]\"")
      if byte != Byte.comma && byte != Byte.closeBracket { throw stop("\",\" or \"]\"") }
      position += 1
      if byte == Byte.closeBracket { return }
      try skipSpace()
    }
  }

  private mutating func skipLiteral(_ literal: StaticString) throws(JSONStop) {
    for index in 0..<literal.utf8CodeUnitCount {
      guard try peek("true, false or null") == literal.utf8Start[index] else {
        throw stop("true, false or null")
      }
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
    // The next byte might still be one of the number's.
    if position == bytes.count && !isFinal { throw .needsMore }
  }

  private mutating func skipSomeDigits() throws(JSONStop) {
    guard Byte.isDigit(try peek("a digit")) else { throw stop("a digit") }
    skipDigits()
  }

  @inline(__always)
  private mutating func skipDigits() {
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
        throw stop("a closing quote; control characters in strings are written as escapes")
      } else {
        position += 1
      }
    }
    throw isFinal ? stop("a closing quote") : .needsMore
  }

  private mutating func skipEscape() throws(JSONStop) {
    position += 1
    switch try peek("an escape") {
    case Byte.quote, Byte.backslash, UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 1
    case UInt8(ascii: "u"):
      position += 1
      for _ in 0..<4 {
        guard hexDigit(try peek("four hexadecimal digits")) != nil else {
          throw stop("four hexadecimal digits")
        }
        position += 1
      }
    default: throw stop("an escape: one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u")
    }
  }
}

func hexDigit(_ byte: UInt8) -> UInt16? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
  case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
  case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
  default: nil
  }
}

/// Whether the bytes are a number literal of JSON and nothing else.
func isJSONNumber(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
  var scanner = JSONScanner(bytes, isFinal: true)
  do {
    try scanner.skipNumber()
    return scanner.position == bytes.count
  } catch {
    return false
  }
}

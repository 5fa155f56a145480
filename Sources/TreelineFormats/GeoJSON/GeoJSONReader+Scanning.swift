extension GeoJSONReader {
  /// Scans from the start of the window. If the window is too short, reads more bytes into the window and scans again.
  ///
  /// The scanned bytes are not consumed before `commit`.
  @inline(__always) func scan<Result>(_ body: (inout JSONScanner) throws(JSONStop) -> Result) throws(ReadingError) -> (
    Result, JSONScanner
  ) {
    while true {
      var scanner = JSONScanner(window.bytes, isFinal: window.isAtEnd)
      do { return (try body(&scanner), scanner) } catch {
        switch error {
        case .needsMore: try window.extend()
        case .syntax(let position, let expected):
          throw failure("\(expected)", at: position, lineBreaks: scanner.lineBreaks)
        case .tooDeep:
          throw .nestedTooDeep(file: window.file, line: window.line + scanner.lineBreaks, limit: JSONScanner.depthLimit)
        }
      }
    }
  }

  /// Scans from the start of the window, and then consumes the scanned bytes.
  @inline(__always) func consume<Result>(_ body: (inout JSONScanner) throws(JSONStop) -> Result) throws(ReadingError)
    -> Result
  {
    let (result, scanner) = try scan(body)
    commit(scanner)
    return result
  }

  @inline(__always) func commit(_ scanner: JSONScanner) {
    window.consume(scanner.position, lineBreaks: scanner.lineBreaks)
  }

  /// Returns a syntax error at an offset in the window.
  func failure(_ expected: String, at position: Int = 0, lineBreaks: Int = 0) -> ReadingError {
    let byte = position < window.bytes.count ? window.bytes[position] : nil
    let found =
      switch byte {
      case nil: "the end of the input"
      // The window may contain only part of a multi-byte character.
      case let byte? where byte >= 0x80: "a byte 0x\(String(byte, radix: 16, uppercase: true))"
      case let byte?: "\"\(visible(String(UnicodeScalar(byte))))\""
      }
    return window.malformed(at: position, lineBreaks: lineBreaks, expected: expected, found: found)
  }

  /// Consumes white space of any length. If `separators` is true, also consumes record separators.
  @discardableResult func skipSpace(separators: Bool = false) throws(ReadingError) -> (isSeparated: Bool, isAtEnd: Bool)
  {
    var isSeparated = false
    while true {
      var scanner = JSONScanner(window.bytes, isFinal: window.isAtEnd)
      // The scan fails only for a carriage return at the end of the window. The carriage return is not consumed, and is
      // scanned again together with the bytes that follow.
      let isWhole = (try? scanner.skipSpace()) != nil
      let isAtByte = isWhole && scanner.position < scanner.bytes.count
      isSeparated = isSeparated || scanner.lineBreaks > 0
      commit(scanner)
      if isAtByte {
        guard separators, window.bytes[0] == Byte.recordSeparator else { return (isSeparated, false) }
        window.consume(1)
        isSeparated = true
      } else if window.isAtEnd {
        return (isSeparated, true)
      } else {
        try window.extend()
      }
    }
  }

  func expect(_ byte: UInt8, _ expected: StaticString) throws(ReadingError) {
    try consume { (scanner: inout JSONScanner) throws(JSONStop) in try scanner.expect(byte, expected) }
  }

  /// Consumes a comma or the closing byte. Returns true for a comma.
  func continues(closing: UInt8, _ expected: StaticString) throws(ReadingError) -> Bool {
    try consume { (scanner: inout JSONScanner) throws(JSONStop) in try scanner.continues(closing: closing, expected) }
  }
}

/// A member of the outermost object. The scanner has skipped the value of the member, unless the member is `features`.
enum CollectionMember {
  /// The member `type`, with its value as JSON. If the value is a string, its escapes are decoded and its quotes are
  /// kept.
  case type(String)
  /// The member `features`. Its value comes next in the input and has not been scanned.
  case features
  /// A `crs` in which coordinates are not longitudes and latitudes.
  case foreignSystem(found: String)
  /// A `spatialReference` of Esri's JSON in which coordinates are not longitudes and latitudes.
  case foreignEsriSystem(found: String)
  /// A member that occurs only in Esri's JSON.
  case esri
  /// A member with which the server reports that it sent only part of its features.
  case exceededLimit
  case other
}

/// The kind of the first object. The first members of the object determine the kind.
enum FirstObject {
  case collection
  case feature
  case other(found: String)
}

extension GeoJSONReader {
  func readMember() throws(ReadingError) -> CollectionMember {
    try consume { (scanner: inout JSONScanner) throws(JSONStop) in try scanner.scanCollectionMember() }
  }

  /// Returns true if a FeatureCollection begins at an offset, and false if a Feature begins there. Consumes nothing.
  func startsCollection(at offset: Int) throws(ReadingError) -> Bool {
    let (first, _) = try scan { (scanner: inout JSONScanner) throws(JSONStop) in
      scanner.position = offset
      return try scanner.scanFirstObject()
    }
    switch first {
    case .collection: return true
    case .feature: return false
    case .other(let found):
      throw window.malformed(expected: "a GeoJSON FeatureCollection, or one Feature per line", found: found)
    }
  }
}

extension JSONScanner {
  fileprivate mutating func scanCollectionMember() throws(JSONStop) -> CollectionMember {
    let name = try scanName()
    if name.matches("features", in: bytes) { return .features }
    let start = position
    try skipValue(depth: 1)
    if name.matches("crs", in: bytes) {
      return CoordinateSystem.foreign(Bytes(rebasing: bytes[start..<position])).map { .foreignSystem(found: $0) }
        ?? .other
    }
    if name.matches("spatialReference", in: bytes) {
      return CoordinateSystem.foreign(esri: Bytes(rebasing: bytes[start..<position])).map {
        .foreignEsriSystem(found: $0)
      } ?? .other
    }
    if name.matches("geometryType", in: bytes) { return .esri }
    if name.matches("exceededTransferLimit", in: bytes), bytes[start] == UInt8(ascii: "t") { return .exceededLimit }
    if name.matches("properties", in: bytes), bytes[start] == Byte.openBrace {
      // In GeoJSON, ArcGIS servers write `exceededTransferLimit` in `properties`.
      var isExceeded = false
      var properties = JSONScanner(Bytes(rebasing: bytes[start..<position]), isFinal: true)
      try properties.scanObject { (scanner: inout JSONScanner, name: JSONString) throws(JSONStop) in
        let isLimit = name.matches("exceededTransferLimit", in: scanner.bytes)
        isExceeded = isExceeded || isLimit && scanner.bytes[scanner.position] == UInt8(ascii: "t")
        try scanner.skipValue(depth: 2)
      }
      return isExceeded ? .exceededLimit : .other
    }
    guard name.matches("type", in: bytes) else { return .other }
    guard bytes[start] == Byte.quote else { return .type(visible(Bytes(rebasing: bytes[start..<position]))) }
    let string = JSONString(start: start + 1, end: position - 1, hasEscapes: true)
    return .type("\"\(visible(string.text(of: bytes)))\"")
  }

  /// Scans the first object up to its first `type` or `features`.
  fileprivate mutating func scanFirstObject() throws(JSONStop) -> FirstObject {
    guard try peek("a value") == Byte.openBrace else {
      return .other(found: bytes[position] == Byte.openBracket ? "an array" : "another value")
    }
    position += 1
    try skipSpace()
    if try peek("a name or \"}\"") == Byte.closeBrace { return .other(found: "an empty object") }
    while true {
      switch try scanCollectionMember() {
      case .features: return .collection
      case .type(let type):
        if type == "\"FeatureCollection\"" { return .collection }
        return type == "\"Feature\"" ? .feature : .other(found: "the type \(type)")
      case .foreignSystem, .foreignEsriSystem, .esri, .exceededLimit, .other: break
      }
      guard try continues(closing: Byte.closeBrace, "\",\" or \"}\"") else {
        return .other(found: "an object without a type")
      }
    }
  }
}

extension JSONScanner {
  /// Checks the byte that follows a Feature, after any spaces and tabs. The byte must be a line break, a record
  /// separator, an allowed byte or the brace of a second Feature. If the check failed at this brace, the caller might
  /// skip the line, and both Features would be lost. So the check accepts the brace, and the caller later refuses the
  /// second Feature.
  func checkRestOfLine(_ allowed: [UInt8], _ expected: StaticString) throws(JSONStop) {
    var end = position
    while end < bytes.count, bytes[end] == Byte.space || bytes[end] == Byte.tab { end += 1 }
    guard end < bytes.count else {
      if isFinal { return }
      throw .needsMore
    }
    switch bytes[end] {
    case Byte.lineFeed, Byte.carriageReturn, Byte.recordSeparator, Byte.openBrace: return
    case let byte where allowed.contains(byte): return
    default: throw .syntax(at: end, expected: expected)
    }
  }
}

extension ReadingError {
  /// The line that is not JSON, and the reason; nil if the error has another cause.
  var brokenLine: (line: Int, expected: String, found: String)? {
    switch self {
    case .malformed(_, let line, _, let expected, let found): (line, expected, found)
    case .nestedTooDeep(_, let line, let limit): (line, "JSON nested at most \(limit) levels deep", "deeper nesting")
    default: nil
    }
  }

  /// If this error is about malformed JSON, returns an error that also says how to skip malformed lines. Returns other
  /// errors unchanged.
  ///
  /// - Parameter start: Line on which the Feature begins.
  func ofLine(_ start: Int) -> ReadingError {
    guard case .malformed(let file, let line, let byte, let expected, let found) = self else { return self }
    return .malformedLine(file: file, line: line, start: start, byte: byte, expected: expected, found: found)
  }
}

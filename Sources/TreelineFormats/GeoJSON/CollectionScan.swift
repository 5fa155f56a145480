/// A member of the outermost object.
enum CollectionMember {
  /// The value as JSON, quotes included; escapes are resolved.
  case type(String)
  /// Its value is not scanned yet.
  case features
  case other
}

/// What the first members of the first object say it is.
enum FirstObject {
  case collection
  case feature
  case other(found: String)
}

extension GeoJSONReader {
  mutating func readMember() throws(ReadingError) -> CollectionMember {
    let (member, scanner) = try scan { (scanner: inout JSONScanner) throws(JSONStop) in
      let name = try scanner.scanName()
      return try scanner.scanCollectionMember(name)
    }
    commit(scanner)
    return member
  }

  /// Whether a FeatureCollection follows rather than a Feature; consumes nothing.
  func startsCollection() throws(ReadingError) -> Bool {
    let (first, _) = try scan { (scanner: inout JSONScanner) throws(JSONStop) in try scanner.scanFirstObject()
    }
    switch first {
    case .collection: return true
    case .feature: return false
    case .other(let found):
      throw .malformed(
        file: file, line: line, byte: window.consumed,
        expected: "a GeoJSON FeatureCollection, or one Feature a line", found: found)
    }
  }
}

extension JSONScanner {
  fileprivate mutating func scanCollectionMember(_ name: JSONString) throws(JSONStop) -> CollectionMember {
    if name.matches("features", in: bytes) { return .features }
    let start = position
    try skipValue(depth: 1)
    guard name.matches("type", in: bytes) else { return .other }
    guard bytes[start] == Byte.quote else {
      return .type(visible(String(decoding: bytes[start..<position], as: UTF8.self)))
    }
    let string = JSONString(start: start + 1, end: position - 1, hasEscapes: true)
    return .type("\"\(visible(string.text(of: bytes)))\"")
  }

  /// Looks no further than the first `type` or `features`.
  fileprivate mutating func scanFirstObject() throws(JSONStop) -> FirstObject {
    guard try peek("a value") == Byte.openBrace else {
      return .other(found: bytes[position] == Byte.openBracket ? "an array" : "another value")
    }
    position += 1
    try skipSpace()
    if try peek("a name or \"}\"") == Byte.closeBrace { return .other(found: "an empty object") }
    while true {
      let name = try scanName()
      switch try scanCollectionMember(name) {
      case .features: return .collection
      case .type(let type):
        if type == "\"FeatureCollection\"" { return .collection }
        return type == "\"Feature\"" ? .feature : .other(found: "the type \(type)")
      case .other: break
      }
      try skipSpace()
      if try peek("\",\" or \"}\"") == Byte.closeBrace { return .other(found: "an object without a type") }
      try expect(Byte.comma, "\",\" or \"}\"")
      try skipSpace()
    }
  }
}

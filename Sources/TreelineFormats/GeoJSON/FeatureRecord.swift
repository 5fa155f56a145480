import Treeline

/// What is kept of a Feature, its syntax checked: the literal of its id, if it has one, and behind it the object of its
/// properties, if it has some.
struct FeatureRecord {
  private let bytes: UnsafeBufferPointer<UInt8>
  /// A scanner at the first byte behind the id.
  private let properties: JSONScanner

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    var scanner = JSONScanner(bytes, isFinal: true)
    // An id is a string or a number, and so begins with no brace.
    if let first = bytes.first, first != Byte.openBrace { try? scanner.skipValue(depth: 0) }
    properties = scanner
  }

  var id: AttributeValue? {
    guard properties.position > 0 else { return nil }
    var scanner = JSONScanner(bytes, isFinal: true)
    return try? scanner.scanAttributeValue()
  }

  /// The members of the properties.
  var columns: [(name: String, value: AttributeValue)] {
    var result: [(name: String, value: AttributeValue)] = []
    scanMembers { (scanner: inout JSONScanner, name: JSONString) throws(JSONStop) in
      result.append((name.text(of: bytes), try scanner.scanAttributeValue()))
    }
    return result
  }

  var columnNames: [String] {
    var result: [String] = []
    scanMembers { (scanner: inout JSONScanner, name: JSONString) throws(JSONStop) in
      result.append(name.text(of: bytes))
      try scanner.skipValue(depth: 0)
    }
    return result
  }

  func hasColumn(named wanted: String) -> Bool {
    var isFound = false
    scanMembers { (scanner: inout JSONScanner, name: JSONString) throws(JSONStop) in
      isFound = isFound || name.text(of: bytes) == wanted
      try scanner.skipValue(depth: 0)
    }
    return isFound
  }

  /// Calls for each member with the scanner at its value, which must be scanned.
  private func scanMembers(_ onMember: (inout JSONScanner, JSONString) throws(JSONStop) -> Void) {
    var scanner = properties
    // Nothing was kept for properties that are null or absent: the scan stops at once, with nothing found.
    try? scanner.scanObject(onMember)
  }
}

extension JSONScanner {
  fileprivate mutating func scanAttributeValue() throws(JSONStop) -> AttributeValue {
    let start = position
    let first = try peek("a value")
    if first == Byte.quote { return .string(try scanString("a string").text(of: bytes)) }
    try skipValue(depth: 0)
    let literal = String(decoding: bytes[start..<position], as: UTF8.self)
    switch first {
    case Byte.openBrace, Byte.openBracket: return .json(literal)
    case UInt8(ascii: "t"): return .bool(true)
    case UInt8(ascii: "f"): return .bool(false)
    case UInt8(ascii: "n"): return .null
    default: return .number(literal)
    }
  }
}

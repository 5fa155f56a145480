import Treeline

/// Decodes what is kept of a Feature, its syntax checked: the literal of its id, if it has one, and behind it the
/// object of its properties, if it has some.
struct FeatureRecordDecoder: RecordDecoder {
  func featureID(of record: Bytes) -> AttributeValue? {
    guard startsWithID(record) else { return nil }
    var scanner = JSONScanner(record, isFinal: true)
    return try? scanner.scanAttributeValue()
  }

  func columns(of record: Bytes) -> [(name: String, value: AttributeValue)] {
    var result: [(name: String, value: AttributeValue)] = []
    scanProperties(of: record) { (scanner: inout JSONScanner, name: JSONString) throws(JSONStop) in
      result.append((name.text(of: record), try scanner.scanAttributeValue()))
    }
    return result
  }

  func columnNames(of record: Bytes) -> [String] {
    var result: [String] = []
    scanProperties(of: record) { (scanner: inout JSONScanner, name: JSONString) throws(JSONStop) in
      result.append(name.text(of: record))
      try scanner.skipValue(depth: 0)
    }
    return result
  }

  /// Calls for each property with the scanner at its value, which must be scanned.
  private func scanProperties(of record: Bytes, _ onMember: (inout JSONScanner, JSONString) throws(JSONStop) -> Void) {
    var scanner = JSONScanner(record, isFinal: true)
    if startsWithID(record) { try? scanner.skipValue(depth: 0) }
    // Where properties are null or absent nothing was kept, and the scan stops at once.
    try? scanner.scanObject(onMember)
  }

  /// An id is a string or a number, which begins with no brace.
  private func startsWithID(_ record: Bytes) -> Bool { record.first.map { $0 != Byte.openBrace } ?? false }
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

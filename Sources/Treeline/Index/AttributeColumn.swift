/// One column of the input as an index keeps it: numbers as numbers, all else by a dictionary of its distinct values.
///
/// A section of kind `attribute`: the encoding (4 bytes), the length of the name in bytes (4), the number of
/// dictionary entries (4) and 4 bytes of 0; the name in UTF-8, and zeros up to a multiple of 8. What follows depends
/// on the encoding.
///
/// Nothing is checked on opening but that it fits its section: a damaged value is read as null or as repaired text.
package struct AttributeColumn: Sendable {
  package enum Encoding: UInt32, Sendable {
    /// 8 bytes a point, in tree order: a double, one NaN for null and one for absent.
    case numbers = 1
    /// 4 bytes a point, in tree order: which entry; then, from the next multiple of 8, 8 bytes an entry and one more:
    /// where its bytes begin, counted from the end of this table; then the entries, each a tag and its text in UTF-8.
    case dictionary = 2
  }

  package let name: String
  package let encoding: Encoding
  package let entryCount: Int
  package let pointCount: Int
  /// All of it. Whatever keeps the tree keeps these.
  package nonisolated(unsafe) let section: UnsafeRawBufferPointer
  package nonisolated(unsafe) let nameBytes: UnsafeRawBufferPointer
  /// From behind the name to the end of the section.
  package nonisolated(unsafe) let body: UnsafeRawBufferPointer

  package static let fixedLength = 16

  /// The bits that stand for null among numbers: the quiet NaN.
  package static let nullBits: UInt64 = 0x7FF8_0000_0000_0000
  /// The bits that stand for no value at all.
  package static let absentBits: UInt64 = 0x7FF8_0000_0000_0001

  init(_ section: IndexSection, in file: NamedBytes, pointCount: Int) throws(IndexError) {
    let bytes = UnsafeRawBufferPointer(
      rebasing: file.bytes[Int(section.offset)..<Int(section.offset) + Int(section.length)])
    try file.require(
      bytes.count >= Self.fixedLength, at: section.offset, "an attribute of \(Self.fixedLength) bytes or more",
      found: "\(bytes.count) bytes")
    let rawEncoding: UInt32 = bytes.read(at: 0)
    guard let encoding = Encoding(rawValue: rawEncoding) else {
      throw file.malformed(at: section.offset, expected: "attribute encoding 1 or 2", found: "\(rawEncoding)")
    }
    let nameLength = Int(bytes.read(at: 4) as UInt32)
    let bodyStart = (Self.fixedLength + nameLength + 7) / 8 * 8
    try file.require(
      bodyStart <= bytes.count, at: section.offset + 4, "a name that ends within the section",
      found: "\(nameLength) bytes")
    self.encoding = encoding
    self.section = bytes
    self.pointCount = pointCount
    nameBytes = UnsafeRawBufferPointer(rebasing: bytes[Self.fixedLength..<Self.fixedLength + nameLength])
    name = String(decoding: nameBytes, as: UTF8.self)
    entryCount = Int(bytes.read(at: 8) as UInt32)
    body = UnsafeRawBufferPointer(rebasing: bytes[bodyStart...])
    let needed =
      switch encoding {
      case .numbers: 8 * pointCount
      case .dictionary: Self.tableStart(pointCount) + 8 * (entryCount + 1)
      }
    try file.require(
      body.count >= needed, at: section.offset + 8,
      "\(needed) bytes for \(pointCount) points and \(entryCount) entries", found: "\(body.count)")
  }

  package static func tableStart(_ pointCount: Int) -> Int { (4 * pointCount + 7) / 8 * 8 }

  /// The value of the point at an index in tree order; nil where the input has none, not even null.
  package func value(at treeIndex: Int) -> AttributeValue? {
    precondition(treeIndex >= 0 && treeIndex < pointCount, "Expected an index below \(pointCount), found \(treeIndex)")
    switch encoding {
    case .numbers:
      let bits: UInt64 = body.read(at: 8 * treeIndex)
      if bits == Self.absentBits { return nil }
      let number = Double(bitPattern: bits)
      return number.isFinite ? .number(AttributeColumn.text(of: number)) : .null
    case .dictionary:
      guard let entry = entry(Int(body.read(at: 4 * treeIndex) as UInt32)) else { return .null }
      return AttributeValue(entry.tag, entry.text)
    }
  }

  private func entry(_ entry: Int) -> (tag: AttributeValue.Tag, text: String)? {
    guard let bytes = entryBytes(entry), let tag = AttributeValue.Tag(rawValue: bytes[0]) else { return nil }
    let literal = UnsafeRawBufferPointer(rebasing: bytes[1...])
    // What is written out as it stands must be what it says it is.
    switch tag {
    case .number where !JSONSyntax.isNumber(literal), .json where !JSONSyntax.isValue(literal): return nil
    default: return (tag, String(decoding: literal, as: UTF8.self))
    }
  }

  /// What its values are, but for those that are null.
  var type: AttributeType {
    if encoding == .numbers { return .number }
    var types: Set<AttributeType> = []
    for entry in 0..<min(entryCount, 4096) {
      guard let tag = entryBytes(entry).flatMap({ AttributeValue.Tag(rawValue: $0[0]) }) else { continue }
      switch tag {
      case .null, .absent: break
      case .no, .yes: types.insert(.boolean)
      case .number: types.insert(.number)
      case .string, .json: types.insert(.string)
      }
    }
    return types.count > 1 ? .mixed : types.first ?? .string
  }

  /// The tag and the text of a dictionary entry, one byte at least; nil where there is no such entry.
  package func entryBytes(_ entry: Int) -> UnsafeRawBufferPointer? {
    guard entry < entryCount else { return nil }
    let table = Self.tableStart(pointCount)
    let text = UnsafeRawBufferPointer(rebasing: body[(table + 8 * (entryCount + 1))...])
    let start: UInt64 = body.read(at: table + 8 * entry)
    let end: UInt64 = body.read(at: table + 8 * entry + 8)
    guard start < end, end <= text.count else { return nil }
    return UnsafeRawBufferPointer(rebasing: text[Int(start)..<Int(end)])
  }

  /// The JSON literal of a number: whole ones without a fraction, others in the fewest digits that give the same
  /// double.
  package static func text(of number: Double) -> String {
    number.rounded() == number && abs(number) < 0x1p53 && !(number == 0 && number.sign == .minus)
      ? String(Int64(number)) : "\(number)"
  }
}

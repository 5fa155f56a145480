/// One column of the input, as it is stored in an index. A column of numbers is stored as doubles. Any other column is
/// stored as indices of entries in a dictionary, which contains the column's distinct values.
///
/// A section of kind `attribute` begins with the encoding (4 bytes), the length of the name in bytes (4), the number
/// of dictionary entries (4) and 4 bytes of 0. The name in UTF-8 follows, padded with zeros to a multiple of 8 bytes.
/// The body comes last.
///
/// Opening an index checks only that the section is long enough for its column. A damaged value is later read as null
/// or as repaired text.
package struct AttributeColumn: Sendable {
  package enum Encoding: UInt32, Sendable {
    /// Doubles of 8 bytes, in tree order. One NaN value means null, and another NaN value means absent.
    case numbers = 1
    /// Entry numbers of 4 bytes, in tree order. The dictionary follows at the next multiple of 8. The dictionary begins
    /// with a table of offsets of 8 bytes: the start of each entry, and then the end of the last entry. Offsets are
    /// counted from the end of the table. The entries follow. Each entry is a tag and a text in UTF-8.
    case dictionary = 2
  }

  package let name: String
  package let encoding: Encoding
  package let entryCount: Int
  package let pointCount: Int
  /// The whole section, kept alive by the tree.
  package nonisolated(unsafe) let section: UnsafeRawBufferPointer
  package nonisolated(unsafe) let nameBytes: UnsafeRawBufferPointer
  /// The part of the section after the name.
  package nonisolated(unsafe) let body: UnsafeRawBufferPointer

  package static let fixedLength = 16

  /// The bits that stand for null in a column of numbers: the quiet NaN.
  package static let nullBits: UInt64 = 0x7FF8_0000_0000_0000
  /// The bits that stand for an absent value: the input has no value for the point, not even null.
  package static let absentBits: UInt64 = 0x7FF8_0000_0000_0001

  init(_ section: NamedBytes, pointCount: Int) throws(IndexError) {
    let bytes = section.bytes
    try section.require(
      bytes.count >= Self.fixedLength, at: 0, "an attribute of \(Self.fixedLength) bytes or more",
      found: "\(bytes.count) bytes")
    let rawEncoding: UInt32 = bytes.read(at: 0)
    guard let encoding = Encoding(rawValue: rawEncoding) else {
      throw section.malformed(at: 0, expected: "attribute encoding 1 or 2", found: "\(rawEncoding)")
    }
    let nameLength = Int(bytes.read(at: 4) as UInt32)
    let bodyStart = (Self.fixedLength + nameLength + 7) / 8 * 8
    try section.require(
      bodyStart <= bytes.count, at: 4, "a name that ends within the section",
      found: "\(nameLength) bytes")
    (self.encoding, self.section, self.pointCount) = (encoding, bytes, pointCount)
    nameBytes = UnsafeRawBufferPointer(rebasing: bytes[Self.fixedLength..<Self.fixedLength + nameLength])
    name = String(decoding: nameBytes, as: UTF8.self)
    entryCount = Int(bytes.read(at: 8) as UInt32)
    body = UnsafeRawBufferPointer(rebasing: bytes[bodyStart...])
    let needed =
      switch encoding {
      case .numbers: 8 * pointCount
      case .dictionary: Self.tableStart(pointCount) + 8 * (entryCount + 1)
      }
    try section.require(
      body.count >= needed, at: 8,
      "\(needed) bytes for \(pointCount) points and \(entryCount) entries", found: "\(body.count)")
  }

  package static func tableStart(_ pointCount: Int) -> Int { (4 * pointCount + 7) / 8 * 8 }

  /// Returns the value of the point at an index in tree order; nil if the input has no value for this point, not even
  /// null.
  package func value(at treeIndex: Int) -> AttributeValue? {
    precondition(treeIndex >= 0 && treeIndex < pointCount, "Expected an index below \(pointCount), found \(treeIndex)")
    switch encoding {
    case .numbers:
      let bits: UInt64 = body.read(at: 8 * treeIndex)
      if bits == Self.absentBits { return nil }
      let number = Double(bitPattern: bits)
      return number.isFinite ? .number(AttributeColumn.text(of: number)) : .null
    case .dictionary: return dictionary.value(ofEntry: Int(body.read(at: 4 * treeIndex) as UInt32))
    }
  }

  /// The dictionary. Valid only if the encoding is `dictionary`.
  package var dictionary: ColumnDictionary {
    ColumnDictionary(
      UnsafeRawBufferPointer(rebasing: body[Self.tableStart(pointCount)...]), entryCount: entryCount)
  }

  /// The type of the column's values that are not null.
  var type: AttributeType {
    if encoding == .numbers { return .number }
    let dictionary = dictionary
    let types = Set(
      (0..<min(entryCount, 4096)).compactMap { entry -> AttributeType? in
        switch dictionary.tag(ofEntry: entry) {
        case .null, .absent, nil: nil
        case .no, .yes: .boolean
        case .number: .number
        case .string, .json: .string
        }
      })
    return types.count > 1 ? .mixed : types.first ?? .string
  }

  /// Returns the JSON literal of a number: an integer has no fraction, and any other number has the fewest digits that
  /// give the same double.
  package static func text(of number: Double) -> String {
    number.rounded() == number && abs(number) < 0x1p53 && !(number == 0 && number.sign == .minus)
      ? String(Int64(number)) : "\(number)"
  }
}

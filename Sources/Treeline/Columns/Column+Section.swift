extension Column {
  /// The encoding of the values in a section of kind `column`.
  package enum Encoding: UInt8, Sendable {
    /// Codes of `width` bytes. A code is an integer minus the base. The greatest code stands for a missing value.
    case integers = 1
    /// Doubles of 8 bytes. The quiet NaN stands for a missing value.
    case reals = 2
    /// Codes of `width` bytes. A code is the index of an entry in the dictionary. The dictionary follows the codes, at
    /// the next multiple of 8. A code that equals the number of entries stands for a missing value.
    case entries = 3
  }

  /// Offsets of the fields at the start of a section. The fields are followed by the name in UTF-8, which is padded
  /// with zeros to a multiple of 8 bytes. The name is followed by the values in tree order.
  package enum Offset {
    static let kind = 0
    static let encoding = 1
    package static let width = 2
    static let digits = 3
    package static let isDates = 4
    package static let reserved = 5..<8
    package static let nameLength = 8
    package static let entryCount = 12
    package static let base = 16
    package static let name = 24
  }

  /// All kinds, in the order of their numbers in a section. The first kind has the number 1.
  package static let kindOrder: [Kind] = [.number, .category, .boolean, .time, .text]

  package static func aligned(_ length: Int) -> Int { (length + 7) / 8 * 8 }

  /// Reads the fields at the start of a section, and checks that the rest of the section fits these fields. Does not
  /// check values: a damaged value is later read as a missing value or as repaired text.
  init(_ section: NamedBytes, pointCount: Int) throws(IndexError) {
    let bytes = section.bytes
    try section.require(
      bytes.count >= Offset.name, at: 0, "a column of \(Offset.name) bytes or more", found: "\(bytes.count) bytes")
    let kindNumber = Int(bytes[Offset.kind])
    try section.require(
      1...Self.kindOrder.count ~= kindNumber, at: Offset.kind, "a column kind from 1 to \(Self.kindOrder.count)",
      found: "\(kindNumber)")
    let kind = Self.kindOrder[kindNumber - 1]
    guard let encoding = Encoding(rawValue: bytes[Offset.encoding]), encoding.suits(kind) else {
      throw section.malformed(
        at: Offset.encoding, expected: "an encoding that suits a column of kind \(kind.rawValue)",
        found: "\(bytes[Offset.encoding])")
    }
    let width = Int(bytes[Offset.width])
    try section.require(
      encoding == .reals ? width == 8 : [1, 2, 4, 8].contains(width), at: Offset.width,
      "a width of 1, 2, 4 or 8 bytes", found: "\(width)")
    let digits = Int(bytes[Offset.digits])
    try section.require(
      digits <= (kind == .time ? 9 : kind == .number && encoding == .integers ? 18 : 0), at: Offset.digits,
      "a number of digits that suits a column of kind \(kind.rawValue)", found: "\(digits)")
    let nameLength = Int(bytes.read(at: Offset.nameLength) as UInt32)
    let start = Self.aligned(Offset.name + nameLength)
    try section.require(
      start <= bytes.count, at: Offset.nameLength, "a name that ends within the section", found: "\(nameLength) bytes")
    let body = UnsafeRawBufferPointer(rebasing: bytes[start...])
    let entryCount = Int(bytes.read(at: Offset.entryCount) as UInt32)
    let end = Self.aligned(width * pointCount)
    let needed = end + (encoding == .entries ? 8 * (entryCount + 1) : 0)
    try section.require(
      body.count >= needed, at: start, "\(needed) bytes for \(pointCount) points and \(entryCount) entries",
      found: "\(body.count)")
    // An empty buffer may have no address.
    let codes = PackedIntegers(body.baseAddress ?? UnsafeRawPointer(bitPattern: 8)!, count: pointCount, width: width)
    let values: Values =
      switch encoding {
      case .integers:
        .integers(
          IntegerValues(
            codes: codes, base: bytes.read(at: Offset.base), digits: digits, isDates: bytes[Offset.isDates] == 1))
      case .reals: .reals(RealValues(start: codes.start.assumingMemoryBound(to: UInt64.self)))
      case .entries:
        .entries(
          EntryValues(
            codes: codes,
            dictionary: ColumnDictionary(UnsafeRawBufferPointer(rebasing: body[end...]), entryCount: entryCount)))
      }
    let name = String(decoding: bytes[Offset.name..<Offset.name + nameLength], as: UTF8.self)
    self.init(name: name, kind: kind, pointCount: pointCount, values: values, section: bytes)
  }

  /// Reads a column from a section that a builder made in memory. The bytes are aligned to 8 bytes.
  package init(section bytes: UnsafeRawBufferPointer, pointCount: Int) throws(IndexError) {
    try self.init(NamedBytes(bytes: bytes, name: "memory"), pointCount: pointCount)
  }

  /// Makes a column from a section of kind `attribute`.
  init(_ attribute: AttributeColumn) {
    let start = attribute.body.baseAddress ?? UnsafeRawPointer(bitPattern: 8)!
    switch attribute.encoding {
    case .numbers:
      self.init(
        name: attribute.name, kind: .number, pointCount: attribute.pointCount,
        values: .reals(RealValues(start: start.assumingMemoryBound(to: UInt64.self))), attribute: attribute)
    case .dictionary:
      self.init(
        name: attribute.name, kind: .text, pointCount: attribute.pointCount,
        values: .entries(
          EntryValues(
            codes: PackedIntegers(start, count: attribute.pointCount, width: 4), dictionary: attribute.dictionary)),
        attribute: attribute)
    }
  }
}

extension Column.Encoding {
  fileprivate func suits(_ kind: Column.Kind) -> Bool {
    switch self {
    case .integers: [.number, .boolean, .time].contains(kind)
    case .reals: kind == .number
    case .entries: [.category, .text].contains(kind)
    }
  }
}

/// Well-known binary in hexadecimal digits. PostGIS and DuckDB write geometries in this form by default.
extension WellKnownText {
  /// Reads a geometry in ISO's well-known binary (OGC 06-103r4, section 8), or in PostGIS's extension of this format.
  /// The extension has flags in the high bits of the type, for Z, M and a spatial reference system (PostGIS,
  /// doc/ZMSgeoms.txt). If the geometry is not a point, only its type is read. PostgreSQL may write `\x` before the
  /// digits; this prefix is accepted.
  ///
  /// - Returns: nil if the text is not an even number of hexadecimal digits, does not begin with a byte order, or is
  ///   too short for a geometry.
  init?(hexadecimal text: Bytes) {
    let hasPrefix = text.count >= 2 && text[0] == Byte.backslash && text[1] == UInt8(ascii: "x")
    let digits = hasPrefix ? Bytes(rebasing: text[2...]) : text
    // The shortest geometry has a byte order, a type and a count: 9 bytes.
    guard digits.count >= 18, digits.count.isMultiple(of: 2), digits[0] == Byte.zero,
      digits[1] & 0xFE == Byte.zero, digits.allSatisfy({ hexadecimalValue($0) != nil })
    else { return nil }
    self = Self.geometry(HexadecimalReader(digits: digits))
  }

  private static func geometry(_ reader: HexadecimalReader) -> WellKnownText {
    var reader = reader
    let type = UInt32(truncatingIfNeeded: reader.integer(bytes: 4)!)
    var number = type & 0x0FFF_FFFF
    // In the number of an ISO type, the thousands digit gives the dimensions: 1 for Z, 2 for M, 3 for both.
    let thousands = number / 1000
    number %= 1000
    guard thousands <= 3, number > 0 else { return .brokenBinary }
    guard number == 1 else { return otherType(number).map { .other(type: "\($0)") } ?? .brokenBinary }
    let hasZ = type & 0x8000_0000 != 0 || thousands & 1 != 0
    let hasM = type & 0x4000_0000 != 0 || thousands & 2 != 0
    var srid: Int?
    if type & 0x2000_0000 != 0 {
      guard let number = reader.integer(bytes: 4) else { return .brokenBinary }
      srid = Int(number)
    }
    guard reader.remainingBytes == 8 * (2 + (hasZ ? 1 : 0) + (hasM ? 1 : 0)), let first = reader.integer(bytes: 8),
      let second = reader.integer(bytes: 8)
    else { return .brokenBinary }
    let (x, y) = (Double(bitPattern: first), Double(bitPattern: second))
    // In PostGIS and ISO, the coordinates of an empty point are NaN.
    return x.isNaN && y.isNaN ? .emptyPoint : .point(first: x, second: y, srid: srid)
  }

  /// Returns the name of the geometry type with a given number; nil if the type is a point or the number is unknown.
  private static func otherType(_ number: UInt32) -> StaticString? {
    switch number {
    case 2...12: otherTypes[Int(number) - 2]
    // 13 (curve) and 14 (surface) are abstract types, so no geometry has them.
    case 15...17: otherTypes[Int(number) - 4]
    default: nil
    }
  }
}

/// Reads integers from text that consists of hexadecimal digits.
private struct HexadecimalReader {
  let digits: Bytes
  private let isLittleEndian: Bool
  private var position = 2

  /// - Parameter digits: Hexadecimal digits. They begin with the byte order, 0 or 1.
  init(digits: Bytes) {
    self.digits = digits
    isLittleEndian = digits[1] & 1 == 1
  }

  var remainingBytes: Int { (digits.count - position) / 2 }

  /// Returns the integer in the next `count` bytes, where `count` is at most 8; nil if fewer bytes remain.
  mutating func integer(bytes count: Int) -> UInt64? {
    guard count <= remainingBytes else { return nil }
    var value: UInt64 = 0
    for index in 0..<count {
      let byte = UInt64(hexadecimalValue(digits[position])! << 4 | hexadecimalValue(digits[position + 1])!)
      value = isLittleEndian ? value | byte << (8 * UInt64(index)) : value << 8 | byte
      position += 2
    }
    return value
  }
}

@inline(__always) private func hexadecimalValue(_ digit: UInt8) -> UInt8? {
  switch digit {
  case Byte.zero...Byte.zero + 9: digit - Byte.zero
  case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
  default: nil
  }
}

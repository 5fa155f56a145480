/// A geometry in well-known text (OGC 06-103r4, section 7), or in well-known binary as hexadecimal digits. Only points
/// are read. Other geometries are recognized by their type.
enum WellKnownText: Equatable {
  /// A point. `srid` is the number of its spatial reference system; nil if there is no number. PostGIS writes this
  /// number before the point (EWKT).
  case point(first: Double, second: Double, srid: Int?)
  case emptyPoint
  /// A geometry that is not a point, with the name of its type.
  case other(type: String)
  /// Hexadecimal digits that begin like well-known binary, but are not a valid geometry.
  case brokenBinary
  case unknown

  init(_ text: Bytes) {
    let text = trimmed(text)
    if let geometry = WellKnownText(hexadecimal: text) {
      self = geometry
    } else {
      var scanner = WellKnownTextScanner(bytes: text)
      self = scanner.scan()
    }
  }

  init(_ text: String) { self = Array(text.utf8).withUnsafeBufferPointer { WellKnownText($0) } }

  var isPoint: Bool { if case .point = self { true } else { false } }

  /// Types other than points, in the order of their numbers in well-known binary: 2 to 12, then 15 to 17.
  static let otherTypes: [StaticString] = [
    "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON", "GEOMETRYCOLLECTION", "CIRCULARSTRING",
    "COMPOUNDCURVE", "CURVEPOLYGON", "MULTICURVE", "MULTISURFACE", "POLYHEDRALSURFACE", "TIN", "TRIANGLE",
  ]

  /// Returns the coordinate of a point; nil if the text is not a point, or if the coordinate is not valid for the axes.
  static func coordinate(_ text: Bytes, _ axes: Axes) -> (first: Double, second: Double)? {
    guard case .point(let first, let second, let srid) = WellKnownText(text), axes.holds(srid: srid),
      axes.holdsFirst(first), axes.holdsSecond(second)
    else { return nil }
    return (first, second)
  }
}

extension Axes {
  /// Returns whether coordinates in a spatial reference system can be used unchanged. System 4326 is WGS 84 in
  /// degrees. In well-known text of this system, the longitude comes first. The number 0 means that no system is
  /// given.
  func holds(srid: Int?) -> Bool { isPlanar || srid == nil || srid == 0 || srid == 4326 }
}

private struct WellKnownTextScanner {
  let bytes: Bytes
  var position = 0

  init(bytes: Bytes) { self.bytes = bytes }

  mutating func scan() -> WellKnownText {
    var srid: Int?
    if take("SRID") {
      guard take("="), let number = takeInteger(), take(";") else { return .unknown }
      srid = number
    }
    guard take("POINT") else { return scanOther() }
    // `Z` and `M` are separate words, as in `POINT ZM`, or the last letters of the type's name, as in `POINTZM`.
    let dimensions = 2 + (take("Z") ? 1 : 0) + (take("M") ? 1 : 0)
    if take("EMPTY") { return isAtEnd ? .emptyPoint : .unknown }
    guard take("("), let first = takeNumber(), let second = takeNumber() else { return .unknown }
    // PostGIS leaves out `Z` and `ZM`, so a point without these letters may have three or four numbers.
    var count = 2
    while !take(")") {
      guard takeNumber() != nil else { return .unknown }
      count += 1
    }
    guard isAtEnd, count == dimensions || dimensions == 2 && count <= 4 else { return .unknown }
    return .point(first: first, second: second, srid: srid)
  }

  /// Scans the type of a geometry that is not a point, up to its first parenthesis.
  private mutating func scanOther() -> WellKnownText {
    for type in WellKnownText.otherTypes where take(type) {
      _ = (take("Z"), take("M"))
      return take("(") || take("EMPTY") ? .other(type: "\(type)") : .unknown
    }
    return .unknown
  }

  private var isAtEnd: Bool { position == bytes.count }

  private mutating func skipSpace() {
    while position < bytes.count, bytes[position] == Byte.space || bytes[position] == Byte.tab { position += 1 }
  }

  /// If `word` comes next, skips `word` and the spaces around it, and returns true. Case is ignored.
  ///
  /// - Parameter word: Capital letters, or a sign.
  private mutating func take(_ word: StaticString) -> Bool {
    skipSpace()
    let length = word.utf8CodeUnitCount
    guard position + length <= bytes.count else { return false }
    for index in 0..<length {
      let byte = bytes[position + index]
      guard (0x61...0x7A ~= byte ? byte & 0xDF : byte) == word.utf8Start[index] else { return false }
    }
    position += length
    skipSpace()
    return true
  }

  private mutating func takeInteger() -> Int? {
    let start = position
    while position < bytes.count, Byte.isDigit(bytes[position]) { position += 1 }
    return Int(String(decoding: bytes[start..<position], as: UTF8.self))
  }

  /// Reads a number and the spaces after it.
  private mutating func takeNumber() -> Double? {
    let start = position
    while position < bytes.count, bytes[position] > Byte.space, bytes[position] != UInt8(ascii: ")") { position += 1 }
    defer { skipSpace() }
    return parseDecimal(Bytes(rebasing: bytes[start..<position]))
  }
}

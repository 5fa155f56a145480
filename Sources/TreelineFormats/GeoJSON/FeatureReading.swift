/// Reads the position out of a scanned Feature, and says what is wrong where it has none.
struct FeatureReading {
  let feature: FeatureScan
  let bytes: UnsafeBufferPointer<UInt8>

  /// What was expected and found instead of a valid Feature, and at which of its parts.
  struct Problem: Error {
    var part = ""
    var expected: String
    var found: String
  }

  /// A position and the bytes of what goes with it, empty where that is null or absent.
  struct Point {
    var first: Double
    var second: Double
    var id: UnsafeBufferPointer<UInt8>
    var properties: UnsafeBufferPointer<UInt8>
  }

  func point(_ axes: Axes) throws(Problem) -> Point {
    guard isString(feature.type, "Feature") else {
      let isObject = bytes[feature.value.lowerBound] == Byte.openBrace
      throw Problem(expected: "a Feature", found: isObject ? type(feature.type) : excerpt(feature.value))
    }
    guard isString(feature.geometryType, "Point") else {
      throw Problem(part: ", geometry", expected: "a Point", found: geometryFound)
    }
    guard let coordinates = feature.coordinates else {
      throw Problem(part: ", geometry", expected: "a Point with coordinates", found: "none")
    }
    let position = try position(coordinates, axes)
    var properties = 0..<0
    if let range = feature.properties, bytes[range.lowerBound] != UInt8(ascii: "n") {
      guard bytes[range.lowerBound] == Byte.openBrace else {
        throw Problem(part: ", properties", expected: "an object or null", found: excerpt(range))
      }
      properties = range
    }
    return Point(
      first: position.first, second: position.second, id: UnsafeBufferPointer(rebasing: bytes[id]),
      properties: UnsafeBufferPointer(rebasing: bytes[properties]))
  }

  /// The literal of a string or a number (RFC 7946, section 3.2); what is neither identifies nothing.
  private var id: Range<Int> {
    guard let range = feature.id else { return 0..<0 }
    switch bytes[range.lowerBound] {
    case Byte.quote, Byte.minus, Byte.zero...Byte.zero + 9: return range
    default: return 0..<0
    }
  }

  private func position(_ range: Range<Int>, _ axes: Axes) throws(Problem) -> (first: Double, second: Double)
  {
    // The syntax is checked, so this finds numbers and commas, or the elements are something else.
    var scanner = JSONScanner(UnsafeBufferPointer(rebasing: bytes[range]), isFinal: true)
    guard let pair = try? scanner.scanPair() else {
      throw Problem(part: ", coordinates", expected: "two numbers or more in an array", found: excerpt(range))
    }
    guard axes.holdsFirst(pair.first) else {
      throw Problem(part: ", coordinates", expected: axes.first, found: excerpt(range))
    }
    guard axes.holdsSecond(pair.second) else {
      throw Problem(part: ", coordinates", expected: axes.second, found: excerpt(range))
    }
    return pair
  }

  @inline(__always)
  private func isString(_ range: Range<Int>?, _ text: StaticString) -> Bool {
    guard let range, bytes[range.lowerBound] == Byte.quote else { return false }
    return string(range).matches(text, in: bytes)
  }

  private func string(_ range: Range<Int>) -> JSONString {
    JSONString(
      start: range.lowerBound + 1, end: range.upperBound - 1,
      hasEscapes: bytes[range].contains(Byte.backslash))
  }

  private var geometryFound: String {
    guard let geometry = feature.geometry else { return "no geometry" }
    return bytes[geometry.lowerBound] == Byte.openBrace ? type(feature.geometryType) : excerpt(geometry)
  }

  private func type(_ range: Range<Int>?) -> String {
    guard let range else { return "an object without a type" }
    guard bytes[range.lowerBound] == Byte.quote else { return "the type \(excerpt(range))" }
    return "\"\(visible(string(range).text(of: bytes)))\""
  }

  /// JSON as it stands, without more quotes around it.
  private func excerpt(_ range: Range<Int>) -> String {
    visible(String(decoding: bytes[range].prefix(260), as: UTF8.self))
  }
}

extension JSONScanner {
  /// The first two numbers of an array.
  fileprivate mutating func scanPair() throws(JSONStop) -> (first: Double, second: Double) {
    try expect(Byte.openBracket, "\"[\"")
    let first = try scanDecimal()
    try expect(Byte.comma, "\",\"")
    let second = try scanDecimal()
    return (first, second)
  }

  /// A number and the space around it.
  private mutating func scanDecimal() throws(JSONStop) -> Double {
    try skipSpace()
    let start = position
    try skipNumber()
    guard let value = parseDecimal(UnsafeBufferPointer(rebasing: bytes[start..<position])) else {
      throw stop("a number")
    }
    try skipSpace()
    return value
  }
}

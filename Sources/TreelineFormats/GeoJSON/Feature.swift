import Treeline

/// For each part of a Feature, its range in the scanned bytes. A range is nil if its part is missing. A Feature of
/// Esri's JSON has `attributes` instead of `properties`, and `x` and `y` in its geometry.
struct FeatureScan {
  var value: Range<Int> = 0..<0
  var id: Range<Int>?
  var type: Range<Int>?
  var geometry: Range<Int>?
  var geometryType: Range<Int>?
  var coordinates: Range<Int>?
  var properties: Range<Int>?
  var system: Range<Int>?
  var geometrySystem: Range<Int>?
  var attributes: Range<Int>?
  var x: Range<Int>?
  var y: Range<Int>?
  var esriSystem: Range<Int>?
  /// The first member that occurs twice; nil if all members occur once. A Feature with a repeated member is invalid,
  /// because either value could be meant.
  var repeatedMember: StaticString?
  var names = PropertyNames()

  /// Stores the range of a member.
  fileprivate mutating func set(
    _ member: WritableKeyPath<FeatureScan, Range<Int>?>, _ name: StaticString, _ range: Range<Int>
  ) {
    if self[keyPath: member] != nil && repeatedMember == nil { repeatedMember = name }
    self[keyPath: member] = range
  }
}

/// Compares hashes of names to find out quickly whether two properties of a Feature might have equal names.
struct PropertyNames {
  private var hashes = SIMD16<UInt32>()
  private var count = 0
  /// Whether two names might be equal. If so, the names themselves must be compared. True if a hash repeats, if there
  /// are too many names, or if a name contains characters that can be written in several ways.
  private(set) var mayRepeat = false

  @inline(__always) mutating func add(_ name: JSONString, in bytes: Bytes) {
    var (hash, isPlain) = (UInt32(0x811C_9DC5), !name.hasEscapes && count < hashes.scalarCount)
    for position in name.start..<name.end {
      hash = (hash ^ UInt32(bytes[position])) &* 0x0100_0193
      if bytes[position] >= 0x80 { isPlain = false }
    }
    // 0 marks an unused element of `hashes`, so no hash may be 0.
    hash |= 1
    if !isPlain || any(hashes .== hash) {
      mayRepeat = true
    } else {
      hashes[count] = hash
      count += 1
    }
  }
}

extension JSONScanner {
  /// Scans a JSON value that should be a Feature: an element of `features`, or a record of a sequence. If the value is
  /// not an object, the result has only the range of the whole value.
  mutating func scanFeature() throws(JSONStop) -> FeatureScan {
    var feature = FeatureScan()
    let start = position
    guard try peek("a Feature") == Byte.openBrace else {
      try skipValue(depth: 0)
      feature.value = start..<position
      return feature
    }
    try scanObject { (scanner: inout JSONScanner, name: JSONString) throws(JSONStop) in
      let start = scanner.position
      if name.matches("geometry", in: scanner.bytes) {
        try scanner.scanGeometry(into: &feature)
        return feature.set(\.geometry, "geometry", start..<scanner.position)
      }
      if name.matches("properties", in: scanner.bytes) {
        try scanner.scanProperties(into: &feature)
        return feature.set(\.properties, "properties", start..<scanner.position)
      }
      if name.matches("attributes", in: scanner.bytes) {
        try scanner.scanProperties(into: &feature)
        feature.attributes = start..<scanner.position
        return
      }
      try scanner.skipValue(depth: 1)
      if name.matches("type", in: scanner.bytes) {
        feature.set(\.type, "type", start..<scanner.position)
      } else if name.matches("id", in: scanner.bytes) {
        feature.set(\.id, "id", start..<scanner.position)
      } else if name.matches("crs", in: scanner.bytes) {
        feature.set(\.system, "crs", start..<scanner.position)
      }
    }
    feature.value = start..<position
    return feature
  }

  private mutating func scanProperties(into feature: inout FeatureScan) throws(JSONStop) {
    guard try peek("properties") == Byte.openBrace else { return try skipValue(depth: 1) }
    try scanObject { (scanner: inout JSONScanner, name: JSONString) throws(JSONStop) in
      feature.names.add(name, in: scanner.bytes)
      try scanner.skipValue(depth: 2)
    }
  }

  private mutating func scanGeometry(into feature: inout FeatureScan) throws(JSONStop) {
    guard try peek("a geometry") == Byte.openBrace else { return try skipValue(depth: 1) }
    try scanObject { (scanner: inout JSONScanner, name: JSONString) throws(JSONStop) in
      let start = scanner.position
      try scanner.skipValue(depth: 2)
      if name.matches("coordinates", in: scanner.bytes) {
        feature.set(\.coordinates, "coordinates", start..<scanner.position)
      } else if name.matches("type", in: scanner.bytes) {
        feature.set(\.geometryType, "type", start..<scanner.position)
      } else if name.matches("crs", in: scanner.bytes) {
        feature.set(\.geometrySystem, "crs", start..<scanner.position)
      } else if name.matches("x", in: scanner.bytes) {
        feature.set(\.x, "x", start..<scanner.position)
      } else if name.matches("y", in: scanner.bytes) {
        feature.set(\.y, "y", start..<scanner.position)
      } else if name.matches("spatialReference", in: scanner.bytes) {
        feature.esriSystem = start..<scanner.position
      }
    }
  }
}

/// Reads the position of a scanned Feature. Throws a `Problem` if the Feature is invalid.
struct FeatureReading {
  let feature: FeatureScan
  let bytes: Bytes

  /// The reason why a Feature is invalid, and the part of the Feature that is wrong.
  struct Problem: Error {
    var part = ""
    var expected: String
    var found: String
    var remedy: String?
  }

  /// The position of a Feature, and the bytes of its id and properties. The bytes are empty for null or missing
  /// members.
  typealias Point = (first: Double, second: Double, id: Bytes, properties: Bytes)

  func point(_ axes: Axes) throws(Problem) -> Point {
    if let name = feature.repeatedMember {
      throw Problem(expected: "each member once", found: "\"\(name)\" twice")
    }
    if isEsri { return try esriPoint(axes) }
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
    if !axes.isPlanar {
      for (part, range) in [(", crs", feature.system), (", geometry, crs", feature.geometrySystem)] {
        guard let range, let found = CoordinateSystem.foreign(Bytes(rebasing: bytes[range])) else { continue }
        throw Problem(part: part, expected: CoordinateSystem.expected, found: found, remedy: CoordinateSystem.remedy)
      }
    }
    let position = try position(coordinates, axes)
    let properties = try columns(feature.properties, ", properties")
    return (position.first, position.second, Bytes(rebasing: bytes[id]), properties)
  }

  /// Whether the object is a Feature in Esri's JSON.
  var isEsri: Bool { feature.type == nil && feature.attributes != nil }

  private func esriPoint(_ axes: Axes) throws(Problem) -> Point {
    guard let x = feature.x.flatMap(number), let y = feature.y.flatMap(number) else {
      let found = feature.geometry.map(excerpt) ?? "no geometry"
      throw Problem(part: ", geometry", expected: "a point with x and y", found: found)
    }
    if !axes.isPlanar, let range = feature.esriSystem,
      let found = CoordinateSystem.foreign(esri: Bytes(rebasing: bytes[range]))
    {
      throw Problem(
        part: ", geometry, spatialReference", expected: CoordinateSystem.expected, found: found,
        remedy: CoordinateSystem.esriRemedy)
    }
    guard axes.holdsFirst(x), axes.holdsSecond(y) else {
      throw Problem(
        part: ", geometry", expected: axes.holdsFirst(x) ? axes.second : axes.first,
        found: feature.geometry.map(excerpt) ?? "",
        remedy: axes.areSwapped(x, y) ? "are the coordinates swapped? The longitude is x" : nil)
    }
    return (x, y, Bytes(rebasing: bytes[0..<0]), try columns(feature.attributes, ", attributes"))
  }

  private func number(_ range: Range<Int>) -> Double? { parseDecimal(Bytes(rebasing: bytes[range])) }

  /// Returns the bytes of the properties; empty if the properties are null or missing.
  private func columns(_ range: Range<Int>?, _ part: String) throws(Problem) -> Bytes {
    guard let range, bytes[range.lowerBound] != UInt8(ascii: "n") else { return Bytes(rebasing: bytes[0..<0]) }
    guard bytes[range.lowerBound] == Byte.openBrace else {
      throw Problem(part: part, expected: "an object or null", found: excerpt(range))
    }
    if feature.names.mayRepeat, let name = JSONMembers.firstTwice(Bytes(rebasing: bytes[range])) {
      throw Problem(
        part: part, expected: "names that differ", found: "\"\(visible(name))\" twice", remedy: "rename one of them")
    }
    return Bytes(rebasing: bytes[range])
  }

  /// The literal of the id, which is a string or a number (RFC 7946, section 3.2). Other values are ignored.
  private var id: Range<Int> {
    guard let range = feature.id else { return 0..<0 }
    switch bytes[range.lowerBound] {
    case Byte.quote, Byte.minus, Byte.zero...Byte.zero + 9: return range
    default: return 0..<0
    }
  }

  private func position(_ range: Range<Int>, _ axes: Axes) throws(Problem) -> (first: Double, second: Double) {
    // The syntax is valid. So the scan fails only if an element is not a number or if there are fewer than two
    // elements.
    var scanner = JSONScanner(Bytes(rebasing: bytes[range]), isFinal: true)
    guard let pair = try? scanner.scanPair() else {
      throw Problem(part: ", coordinates", expected: "an array of two or more numbers", found: excerpt(range))
    }
    let isFirstValid = axes.holdsFirst(pair.first)
    if isFirstValid && axes.holdsSecond(pair.second) { return pair }
    throw Problem(
      part: ", coordinates", expected: isFirstValid ? axes.second : axes.first, found: excerpt(range),
      remedy: axes.areSwapped(pair.first, pair.second)
        ? "are the coordinates swapped? The longitude must come first" : nil)
  }

  @inline(__always) private func isString(_ range: Range<Int>?, _ text: StaticString) -> Bool {
    guard let range, bytes[range.lowerBound] == Byte.quote else { return false }
    return string(range).matches(text, in: bytes)
  }

  private func string(_ range: Range<Int>) -> JSONString {
    JSONString(
      start: range.lowerBound + 1, end: range.upperBound - 1, hasEscapes: bytes[range].contains(Byte.backslash))
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

  /// Returns a part of the JSON for use in a message. Quotes around the part are removed.
  private func excerpt(_ range: Range<Int>) -> String { visible(Bytes(rebasing: bytes[range])) }
}

extension JSONScanner {
  /// Scans the first two elements of an array, which must be numbers.
  fileprivate mutating func scanPair() throws(JSONStop) -> (first: Double, second: Double) {
    try expect(Byte.openBracket, "\"[\"")
    let first = try scanDecimal()
    try expect(Byte.comma, "\",\"")
    let second = try scanDecimal()
    return (first, second)
  }

  /// Scans a number and the white space around it.
  private mutating func scanDecimal() throws(JSONStop) -> Double {
    try skipSpace()
    let start = position
    try skipNumber()
    guard let value = parseDecimal(Bytes(rebasing: bytes[start..<position])) else { throw stop("a number") }
    try skipSpace()
    return value
  }
}

/// Decodes the stored bytes of a Feature. The bytes contain the id as a JSON literal, followed by the properties as a
/// JSON object. Either part may be missing. The syntax has been checked.
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

  func value(ofColumn name: String, of record: Bytes, asWritten: Bool) -> AttributeValue? {
    var value: AttributeValue?
    scanProperties(of: record) { (scanner: inout JSONScanner, string: JSONString) throws(JSONStop) in
      if value == nil && string.text(of: record) == name {
        value = try scanner.scanAttributeValue()
      } else {
        try scanner.skipValue(depth: 0)
      }
    }
    return value
  }

  func reader(ofColumns columns: [ReadColumn]) -> (_ record: Bytes, _ values: inout [AttributeValue?]) -> Void {
    let places = Dictionary(columns.enumerated().map { ($1.name, $0) }) { first, _ in first }
    return { record, values in
      for place in values.indices { values[place] = nil }
      scanProperties(of: record) { (scanner: inout JSONScanner, name: JSONString) throws(JSONStop) in
        if let place = places[name.text(of: record)], values[place] == nil {
          values[place] = try scanner.scanAttributeValue()
        } else {
          try scanner.skipValue(depth: 0)
        }
      }
    }
  }

  func columnNames(of record: Bytes) -> [String] {
    var result: [String] = []
    scanProperties(of: record) { (scanner: inout JSONScanner, name: JSONString) throws(JSONStop) in
      result.append(name.text(of: record))
      try scanner.skipValue(depth: 0)
    }
    return result
  }

  /// Calls `onMember` for each property. At each call, the scanner is at the value of the property, and `onMember`
  /// must scan this value.
  private func scanProperties(of record: Bytes, _ onMember: (inout JSONScanner, JSONString) throws(JSONStop) -> Void) {
    var scanner = JSONScanner(record, isFinal: true)
    if startsWithID(record) { try? scanner.skipValue(depth: 0) }
    // If the properties are null or missing, no bytes were stored, and the scan fails at once.
    try? scanner.scanObject(onMember)
  }

  /// Returns whether the record begins with an id. An id is a string or a number, so it does not begin with a brace.
  private func startsWithID(_ record: Bytes) -> Bool { record.first.map { $0 != Byte.openBrace } ?? false }
}

extension JSONScanner {
  mutating func scanAttributeValue() throws(JSONStop) -> AttributeValue {
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

import Treeline

/// A line in a batch of changes. It inserts or replaces a point, or removes a point by its key.
@_spi(Server) public struct PointChange: Sendable {
  /// Number of the line, from 1.
  public let line: Int
  /// The change that the line describes.
  public let action: Action

  public enum Action: Sendable {
    /// A GeoJSON Feature with a Point. Its properties are the values of columns.
    case put(Coordinate, [(name: String, value: AttributeValue)])
    /// `{"remove": key}`
    case remove(AttributeValue)
  }
}

/// The reason why a batch of changes cannot be read.
@_spi(Server) public struct PointChangeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Number of the line, from 1.
  public let line: Int
  public let expected: String
  public let found: String

  public init(line: Int, expected: String, found: String) {
    (self.line, self.expected, self.found) = (line, expected, found)
  }

  public var description: String { "line \(line): expected \(expected), found \(found)" }
}

@_spi(Server) extension PointChange {
  /// Reads a batch with one change per line. Empty lines are skipped.
  ///
  /// - Throws: `PointChangeError` for the first invalid line.
  public static func read(_ bytes: UnsafeRawBufferPointer) throws(PointChangeError) -> [PointChange] {
    let bytes = bytes.bindMemory(to: UInt8.self)
    var (changes, line, start) = ([PointChange](), 0, 0)
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: Byte.lineFeed) ?? bytes.count
      line += 1
      let text = Bytes(rebasing: bytes[start..<end])
      start = end + 1
      if text.allSatisfy({ $0 <= Byte.space }) { continue }
      do { changes.append(PointChange(line: line, action: try action(text))) } catch let stop as JSONStop {
        throw PointChangeError(stop, in: text, line: line)
      } catch let problem as FeatureReading.Problem {
        throw PointChangeError(
          line: line, expected: problem.expected,
          found: problem.found + (problem.part.isEmpty ? "" : " (\(problem.part.dropFirst(2)))"))
      } catch { throw PointChangeError(line: line, expected: "a Feature or a removal", found: "\(error)") }
    }
    return changes
  }

  private static func action(_ text: Bytes) throws -> Action {
    guard String(validating: text, as: UTF8.self) != nil else {
      throw FeatureReading.Problem(expected: "a line in UTF-8", found: "other bytes")
    }
    var scanner = JSONScanner(text, isFinal: true)
    try scanner.skipSpace()
    let start = scanner.position
    let feature = try scanner.scanFeature()
    try scanner.skipSpace()
    guard scanner.position == text.count else { throw scanner.stop("one object on each line") }
    if feature.type == nil, text[start] == Byte.openBrace, let key = try removedKey(Bytes(rebasing: text[start...])) {
      return .remove(key)
    }
    let point = try FeatureReading(feature: feature, bytes: text).point(.sphere)
    return .put(
      Coordinate(longitude: point.first, latitude: point.second),
      FeatureRecordDecoder().columns(of: point.properties))
  }

  /// Returns the value of the member `remove`; nil if the object has no such member.
  ///
  /// - Throws: `JSONStop`. `FeatureReading.Problem` if the object also has another member, or `remove` twice.
  private static func removedKey(_ object: Bytes) throws -> AttributeValue? {
    var scanner = JSONScanner(object, isFinal: true)
    var (keys, other): ([AttributeValue], JSONString?) = ([], nil)
    try scanner.scanObject { (scanner: inout JSONScanner, name: JSONString) throws(JSONStop) in
      if name.matches("remove", in: object) {
        keys.append(try scanner.scanAttributeValue())
      } else {
        other = other ?? name
        try scanner.skipValue(depth: 1)
      }
    }
    if keys.count > 1 { throw FeatureReading.Problem(expected: "each member once", found: "\"remove\" twice") }
    if !keys.isEmpty, let other {
      throw FeatureReading.Problem(
        expected: "a removal with only the member \"remove\"", found: "\"\(visible(other.text(of: object)))\"")
    }
    return keys.first
  }
}

extension PointChangeError {
  fileprivate init(_ stop: JSONStop, in text: Bytes, line: Int) {
    switch stop {
    case .syntax(var position, let expected):
      // A wrong word is quoted as a whole, not from its first wrong letter.
      if "\(expected)" == "true, false or null" {
        while position > 0, UInt8(ascii: "a")...UInt8(ascii: "z") ~= text[position - 1] { position -= 1 }
      }
      let rest = visible(Bytes(rebasing: text[min(position, text.count)...]))
      self.init(line: line, expected: "\(expected)", found: rest.isEmpty ? "the end of the line" : rest)
    case .tooDeep: self.init(line: line, expected: "at most \(JSONScanner.depthLimit) levels", found: "deeper nesting")
    case .needsMore: self.init(line: line, expected: "a whole value", found: "the end of the line")
    }
  }
}

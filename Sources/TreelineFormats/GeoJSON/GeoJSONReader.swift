/// Reads points from GeoJSON (RFC 7946): one FeatureCollection, or a sequence of Features.
///
/// Written here because a parser of whole documents would hold the whole input in memory.
struct GeoJSONReader: InputFormat {
  static let name = "GeoJSON"
  static let firstBytes = [Byte.openBrace, Byte.openBracket, Byte.recordSeparator]
  static let hasColumns = false

  let window: Window
  private var builder: TableBuilder

  static func read(_ window: Window, options: ReadingOptions, batches: PointBatches?) throws(ReadingError)
    -> PointTable
  {
    let builder = TableBuilder(
      file: window.file, options: options, isPlanar: options.isPlanar ?? false, decoder: FeatureRecordDecoder(),
      batches: batches)
    var reader = GeoJSONReader(window: window, builder: builder)
    return try reader.read()
  }

  private mutating func read() throws(ReadingError) -> PointTable {
    try skipSpace(separators: true)
    if try startsCollection() {
      try readCollection()
      if try !skipSpace(separators: true).isAtEnd { throw failure("nothing after the FeatureCollection") }
    } else {
      try readSequence()
    }
    return try builder.finish()
  }

  /// Reads Features that are separated by line breaks or record separators (RFC 8142).
  private mutating func readSequence() throws(ReadingError) {
    while true {
      if try readLine() {
        if try skipSpace(separators: true).isAtEnd { return }
        continue
      }
      let gap = try skipSpace(separators: true)
      if gap.isAtEnd { return }
      guard gap.isSeparated else { throw failure("a new line between two Features") }
    }
  }

  /// Reads a Feature of a sequence. Skips its line if it is not JSON, if the options allow it.
  ///
  /// - Returns: Whether the line was skipped.
  private mutating func readLine() throws(ReadingError) -> Bool {
    do { try readFeature() } catch {
      guard case .malformed(_, let line, _, let expected, let found) = error, builder.skipsInvalid else { throw error }
      try builder.reject { row in
        InvalidRow(row: row, line: line, part: "feature \(row + 1)", expected: expected, found: found)
      }
      try skipLine()
      return true
    }
    return false
  }

  /// Consumes the rest of a line, or of a record that ends with a separator.
  private func skipLine() throws(ReadingError) {
    while true {
      let end = window.bytes.firstIndex { $0 == Byte.lineFeed || $0 == Byte.recordSeparator }
      window.consume(end ?? window.bytes.count)
      if end != nil || window.isAtEnd { return }
      _ = try window.more()
    }
  }

  private mutating func readCollection() throws(ReadingError) {
    try expect(Byte.openBrace, "\"{\"")
    var type: String?
    var hasFeatures = false
    repeat {
      try skipSpace()
      switch try readMember() {
      case .type(let text): type = text
      case .features:
        if hasFeatures { throw failure("one member \"features\"") }
        hasFeatures = true
        try readFeatures()
      case .foreignSystem(let found):
        if !builder.axes.isPlanar { throw .foreignSystem(file: window.file, line: window.line, found: found) }
      case .other: break
      }
      try skipSpace()
    } while try continues(closing: Byte.closeBrace, "\",\" or \"}\"")
    guard hasFeatures, type == "\"FeatureCollection\"" else {
      throw window.malformed(
        expected: "an object with \"type\": \"FeatureCollection\" and an array \"features\"",
        found: hasFeatures ? "the type \(type ?? "missing")" : "no features")
    }
  }

  private mutating func readFeatures() throws(ReadingError) {
    // Skips space that continues after the end of the window.
    try skipSpace()
    try expect(Byte.openBracket, "an array of Features")
    try skipSpace()
    let (first, _) = try scan { (scanner: inout JSONScanner) throws(JSONStop) in try scanner.peek("a Feature or \"]\"")
    }
    if first == Byte.closeBracket { return window.consume(1) }
    repeat {
      try skipSpace()
      try readFeature()
      try skipSpace()
    } while try continues(closing: Byte.closeBracket, "\",\" or \"]\"")
  }

  private mutating func readFeature() throws(ReadingError) {
    let (feature, scanner) = try scan { (scanner: inout JSONScanner) throws(JSONStop) in try scanner.scanFeature() }
    let reading = FeatureReading(feature: feature, bytes: scanner.bytes)
    switch Result(catching: { () throws(FeatureReading.Problem) in try reading.point(builder.axes) }) {
    case .success(let point):
      try builder.add(first: point.first, second: point.second, id: point.id, record: point.properties)
    case .failure(let error):
      let line = window.line
      try builder.reject { row in
        InvalidRow(
          row: row, line: line, part: "feature \(row + 1)\(error.part)", expected: error.expected, found: error.found,
          remedy: error.remedy)
      }
    }
    commit(scanner)
  }
}

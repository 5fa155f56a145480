/// Reads points from GeoJSON (RFC 7946): a FeatureCollection or a sequence of Features. Also reads Esri's JSON, the
/// format of answers from ArcGIS servers.
///
/// Treeline has its own reader, because a parser of whole documents would need memory for the whole input.
struct GeoJSONReader: InputFormat {
  static let name = "GeoJSON"
  static let firstBytes = [Byte.openBrace, Byte.openBracket, Byte.recordSeparator]
  static let hasColumns = false

  let window: Window
  private var builder: TableBuilder
  /// Whether the input contains a Feature or a member that occurs only in Esri's JSON.
  private var isEsri = false

  static func read(_ window: Window, options: ReadingOptions, receivers: PointReceivers) throws(ReadingError)
    -> PointTable
  {
    let builder = TableBuilder(
      file: window.file, options: options, isPlanar: options.isPlanar ?? false, decoder: FeatureRecordDecoder(),
      receivers: receivers)
    var reader = GeoJSONReader(window: window, builder: builder)
    return try reader.read()
  }

  private mutating func read() throws(ReadingError) -> PointTable {
    try skipSpace(separators: true)
    if try startsCollectionAfterBrokenLines() {
      try readCollection()
      if try !skipSpace(separators: true).isAtEnd { throw failure("nothing after the FeatureCollection") }
    } else {
      try readSequence()
    }
    return try builder.finish()
  }

  /// Reads Features that are separated by line breaks or by record separators (RFC 8142).
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

  /// Returns true if a FeatureCollection follows, and false if a sequence of Features follows. If the options allow
  /// invalid lines, the sequence may begin with lines that are not JSON.
  private func startsCollectionAfterBrokenLines() throws(ReadingError) -> Bool {
    let failure: ReadingError
    do { return try startsCollection(at: 0) } catch { failure = error }
    // If the first line ends in the middle of a JSON value, the parser may notice the error only on the next line.
    guard builder.skipsInvalid, let line = failure.brokenLine?.line, line <= window.line + 1 else { throw failure }
    var offset = 0
    while let end = try firstIndex(from: offset, where: Self.endsLine),
      let start = try firstIndex(from: end, where: { $0 > Byte.space }), window.bytes[start] == Byte.openBrace
    {
      offset = start
      do { if try !startsCollection(at: offset) { return false } else { break } } catch {
        if error.brokenLine == nil { throw error }
      }
    }
    throw failure
  }

  private static func endsLine(_ byte: UInt8) -> Bool {
    byte == Byte.lineFeed || byte == Byte.carriageReturn || byte == Byte.recordSeparator
  }

  /// Returns the offset of the next byte that `isWanted` accepts; nil if no such byte follows within the maximum
  /// length of a record.
  private func firstIndex(from offset: Int, where isWanted: (UInt8) -> Bool) throws(ReadingError) -> Int? {
    while true {
      if let index = window.bytes[offset...].firstIndex(where: isWanted) { return index }
      guard !window.isAtEnd, try window.more() else { return nil }
    }
  }

  /// Reads a Feature of a sequence. If the Feature is not JSON and the options allow invalid rows, skips its line.
  ///
  /// - Returns: Whether the line was skipped.
  private mutating func readLine() throws(ReadingError) -> Bool {
    do { try readFeature(followedBy: [], "a new line between two Features") } catch {
      try reject(error)
      try skipLine()
      return true
    }
    return false
  }

  /// Counts a line that is not JSON as an invalid row. If the options do not allow invalid rows, throws the error.
  private mutating func reject(_ error: ReadingError) throws(ReadingError) {
    guard builder.skipsInvalid, let (_, expected, found) = error.brokenLine else { throw error.ofLine(window.line) }
    let line = window.line
    try builder.reject { row in
      InvalidRow(row: row, line: line, part: "feature \(row + 1)", expected: expected, found: found)
    }
  }

  /// Consumes the rest of a line, or of a record that begins with a separator.
  private func skipLine() throws(ReadingError) {
    while true {
      let end = window.bytes.firstIndex(where: Self.endsLine)
      window.consume(end ?? window.bytes.count)
      if end != nil || window.isAtEnd { return }
      _ = try window.more()
    }
  }

  private mutating func readCollection() throws(ReadingError) {
    try expect(Byte.openBrace, "\"{\"")
    var type: String?
    var hasFeatures = false
    var esriSystem: String?
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
      case .foreignEsriSystem(let found): esriSystem = found
      case .esri: isEsri = true
      case .exceededLimit: builder.add(.partOfFeatures)
      case .other: break
      }
      if let esriSystem, isEsri, !builder.axes.isPlanar {
        throw .foreignEsriSystem(file: window.file, line: window.line, found: esriSystem)
      }
      try skipSpace()
    } while try continues(closing: Byte.closeBrace, "\",\" or \"}\"")
    guard hasFeatures, type == "\"FeatureCollection\"" || type == nil && isEsri else {
      throw window.malformed(
        expected: "an object with \"type\": \"FeatureCollection\" and an array \"features\"",
        found: hasFeatures ? "the type \(type ?? "missing")" : "no features")
    }
  }

  private mutating func readFeatures() throws(ReadingError) {
    // The space before the array may extend beyond the end of the window.
    try skipSpace()
    try expect(Byte.openBracket, "an array of Features")
    var previousLine = window.line
    try skipSpace()
    let (first, _) = try scan { (scanner: inout JSONScanner) throws(JSONStop) in try scanner.peek("a Feature or \"]\"")
    }
    if first == Byte.closeBracket { return window.consume(1) }
    repeat { try skipSpace() } while try readElement(after: &previousLine)
  }

  /// Reads a Feature of a collection, and the comma or bracket after the Feature. A Feature that is not JSON is skipped
  /// if the options allow invalid rows and if the Feature has its own line.
  ///
  /// - Parameter previousLine: Line on which the previous Feature ends. The function changes it to the line on which
  ///   this Feature ends.
  /// - Returns: Whether another Feature follows.
  private mutating func readElement(after previousLine: inout Int) throws(ReadingError) -> Bool {
    let startsLine = window.line > previousLine
    var failure: ReadingError?
    do { try readFeature(followedBy: [Byte.comma, Byte.closeBracket], "\",\" or \"]\"") } catch { failure = error }
    if let failure {
      guard failure.brokenLine != nil, startsLine, let length = try lengthOfLine() else { throw failure }
      try reject(failure)
      window.consume(length)
    }
    previousLine = window.line
    try skipSpace()
    // If the skipped line had no comma at its end, the next Feature follows without a comma.
    if failure != nil, window.bytes.first == Byte.openBrace { return true }
    return try continues(closing: Byte.closeBracket, "\",\" or \"]\"")
  }

  /// Returns the length of the first line, including its comma; nil if the line cannot safely be skipped. The line can
  /// be skipped if the next line is a whole Feature or ends the collection. The line can also be skipped if it looks
  /// like one whole Feature and the next line continues the array.
  private func lengthOfLine() throws(ReadingError) -> Int? {
    guard let end = try firstIndex(from: 0, where: Self.endsLine),
      let next = try firstIndex(from: end, where: { $0 > Byte.space })
    else { return nil }
    let endsCollection = window.bytes[next] == Byte.closeBracket
    let isFollowed = if endsCollection { true } else { try isFeature(lineAt: next) }
    let line = Bytes(rebasing: window.bytes[..<end])
    guard let last = line.lastIndex(where: { $0 > Byte.space }) else { return nil }
    let hasComma = line[last] == Byte.comma
    let isWhole = line[..<(hasComma ? last : last + 1)].last { $0 > Byte.space } == Byte.closeBrace
    let follows = hasComma ? [Byte.openBrace] : [Byte.comma, Byte.closeBracket]
    // A line with two Features must not be skipped as if it had only one Feature.
    let count = String(decoding: line, as: UTF8.self).split(separator: "\"Feature\"", omittingEmptySubsequences: false)
      .count
    guard isFollowed || isWhole && follows.contains(window.bytes[next]), count <= 2 else { return nil }
    return last + 1
  }

  /// Returns whether a line consists of a whole Feature, and perhaps a comma or the end of the collection.
  private func isFeature(lineAt offset: Int) throws(ReadingError) -> Bool {
    guard window.bytes[offset] == Byte.openBrace else { return false }
    let end = try firstIndex(from: offset, where: Self.endsLine) ?? window.bytes.count
    var scanner = JSONScanner(Bytes(rebasing: window.bytes[offset..<end]), isFinal: true)
    guard (try? scanner.scanFeature()) != nil, (try? scanner.skipSpace()) != nil else { return false }
    let rest = scanner.bytes[scanner.position...]
    return rest.first.map { $0 == Byte.comma || $0 == Byte.closeBracket } ?? true
  }

  /// Reads a Feature.
  ///
  /// - Parameters:
  ///   - bytes: Bytes that may follow the Feature on its line.
  ///   - expected: What must follow the Feature, in words for error messages.
  private mutating func readFeature(followedBy bytes: [UInt8], _ expected: StaticString) throws(ReadingError) {
    let (feature, scanner) = try scan { (scanner: inout JSONScanner) throws(JSONStop) in
      let feature = try scanner.scanFeature()
      try scanner.checkRestOfLine(bytes, expected)
      return feature
    }
    let reading = FeatureReading(feature: feature, bytes: scanner.bytes)
    if reading.isEsri { isEsri = true }
    switch Result(catching: { () throws(FeatureReading.Problem) in try reading.point(builder.axes) }) {
    case .success(let point):
      try builder.add(
        first: point.first, second: point.second, id: point.id, record: point.properties, line: window.line)
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

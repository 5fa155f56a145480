/// Reads points from CSV (RFC 4180).
///
/// Treeline has its own reader, because no maintained Swift package reads CSV as a stream at the speed of a disk.
struct CSVReader: InputFormat {
  static let name = "CSV"
  static let firstBytes: [UInt8] = []
  static let hasColumns = true

  private let window: Window
  private let options: ReadingOptions

  static func read(_ window: Window, options: ReadingOptions, receivers: PointReceivers) throws(ReadingError)
    -> PointTable
  { try CSVReader(window: window, options: options).read(receivers) }

  private func read(_ receivers: PointReceivers) throws(ReadingError) -> PointTable {
    let header = try readHeader()
    // A local constant, so that the layout and its names are not copied from the header for every row.
    let layout = header.layout
    var builder = TableBuilder(
      file: window.file, options: options, isPlanar: header.isPlanar, decoder: layout, receivers: receivers)
    builder.positionColumns = PositionColumns(
      first: layout.name(layout.first), second: layout.name(layout.second), areFound: options.columns == .automatic)
    try builder.checkColumns()
    if header.isRepaired { builder.countRepairedRow() }
    for note in header.notes { builder.add(note) }
    // All rows of an input spell coordinates in the same way (see `CoordinateSpelling`). Each spelling has its own
    // loop, so that the spelling is not checked again for every row.
    switch layout.spelling {
    case .decimalPoints: try readRecords(layout, spelled: .decimalPoints, into: &builder)
    case .decimalCommas: try readRecords(layout, spelled: .decimalCommas, into: &builder)
    case .wellKnownText: try readRecords(layout, spelled: .wellKnownText, into: &builder)
    case .pair: try readRecords(layout, spelled: layout.spelling, into: &builder)
    }
    return try builder.finish()
  }

  @inline(__always) private func readRecords(
    _ layout: CSVLayout, spelled spelling: CoordinateSpelling, into builder: inout TableBuilder
  ) throws(ReadingError) {
    while try hasMore() { try readRecord(layout, spelled: spelling, into: &builder) }
  }

  private func hasMore() throws(ReadingError) -> Bool {
    try window.require(1)
    return !window.isEmpty
  }

  /// Reads the header. Consumes everything before the first row. Also consumes the first row if this row is a header.
  private func readHeader() throws(ReadingError) -> CSVHeader {
    var named: UInt8?
    var preambleCount = 0
    while try hasMore() {
      guard let line = try firstLine() else { continue }
      if named == nil, let separator = namedDelimiter(line) {
        named = try known(separator, line)
        window.consume(line.count)
        continue
      }
      if trimmed(line).first == Byte.hash {
        guard let isHeader = try isHeader(line, named) else { continue }
        if !isHeader {
          window.consume(line.count)
          preambleCount += 1
          continue
        }
      }
      guard var delimiter = named ?? detectDelimiter(window.bytes, isFinal: window.isAtEnd, options.decimal) else {
        try window.extend()
        continue
      }
      let bytes = window.bytes
      var cells: [String] = []
      let scan = scanCSVRecord(bytes, delimiter: delimiter, isFinal: window.isAtEnd) { _, cell in
        cells.append(cell.text(of: bytes))
      }
      guard let record = try self.record(scan) else { continue }
      if isBlank(record, bytes) {
        consume(record)
        continue
      }
      if record.strayColumn >= 0 {
        throw window.malformed(
          expected: "a delimiter after the closing quote in column \(record.strayColumn + 1)", found: "other text")
      }
      guard var next = try self.cells(after: record.end, delimiter) else { continue }
      if named == nil, cells.count == 1, next.count > 1 {
        // A file with a single column needs no delimiter. Its cells may contain commas, as in `48.85, 2.35`.
        delimiter = Byte.unitSeparator
        next = try self.cells(after: record.end, delimiter) ?? []
      }
      var header: CSVHeader
      do { header = try CSVHeader(cells: cells, next: next, delimiter: delimiter, options: options) } catch {
        throw .columnsNotFound(file: window.file, line: window.line, problem: error.text, columns: cells.map(visible))
      }
      if preambleCount > 0 { header.notes.insert(.skippedPreamble(lineCount: preambleCount), at: 0) }
      if !header.isHeader && options.columns == .automatic {
        header.notes.append(.noHeader(isPlanar: header.isPlanar))
      }
      if header.isHeader {
        header.isRepaired = !isValidUTF8(Bytes(rebasing: bytes[..<record.contentEnd]))
        consume(record)
      }
      return header
    }
    throw .empty(file: window.file)
  }

  /// Returns the first line without its line break. If the line goes on beyond the bytes in the window, reads more
  /// bytes into the window and returns nil. The line must then be read again.
  private func firstLine() throws(ReadingError) -> Bytes? {
    let bytes = window.bytes
    if let end = bytes.firstIndex(where: { $0 == Byte.lineFeed || $0 == Byte.carriageReturn }) {
      return Bytes(rebasing: bytes[..<end])
    }
    if window.isAtEnd { return bytes }
    try window.extend()
    return nil
  }

  /// Returns the delimiter in a line such as `sep=;`.
  private func known(_ separator: Bytes, _ line: Bytes) throws(ReadingError) -> UInt8 {
    if let byte = separator.first, delimiters.contains(byte) { return byte }
    throw window.malformed(
      expected: "\"sep=\" with a comma, a semicolon, a tab or |",
      found: excerpt(line) + "; separate the cells with one of these signs")
  }

  /// Returns whether a line that begins with `#` is the header rather than a comment. Returns nil if more bytes were
  /// read into the window, because the next row was incomplete. The line must then be checked again.
  ///
  /// The header is a line that names the coordinate columns. If the columns are chosen by number, the header is a line
  /// with the same number of cells as the next row.
  private func isHeader(_ line: Bytes, _ named: UInt8?) throws(ReadingError) -> Bool? {
    guard let delimiter = named ?? detectDelimiter(line, isFinal: true, options.decimal) else { return false }
    var cells: [String] = []
    _ = scanCSVRecord(line, delimiter: delimiter, isFinal: true) { _, cell in cells.append(cell.text(of: line)) }
    guard let header = try? CSVHeader(cells: cells, delimiter: delimiter, options: options) else { return false }
    if header.isNamed || options.columns == .automatic { return header.isNamed }
    let count = cells.count
    return try self.cells(after: line.count, delimiter).map { $0.count == count && $0.first?.first != "#" }
  }

  /// Returns the cells of the next row that is not blank, or no cells if no such row follows. If the row goes on
  /// beyond the bytes in the window, reads more bytes into the window and returns nil. The header must then be read
  /// again.
  ///
  /// - Parameter offset: Offset at which the previous row ends, counted from the start of the window.
  private func cells(after offset: Int, _ delimiter: UInt8) throws(ReadingError) -> [String]? {
    let bytes = window.bytes
    var offset = offset
    while offset < bytes.count {
      let rest = Bytes(rebasing: bytes[offset...])
      var cells: [String] = []
      let scan = scanCSVRecord(rest, delimiter: delimiter, isFinal: window.isAtEnd) { _, cell in
        cells.append(cell.text(of: rest))
      }
      guard case .record(let record) = scan else { break }
      if !isBlank(record, rest) { return cells }
      offset += record.end
    }
    // The row may be longer than the maximum size of the window. The error about such a row is reported only when the
    // row itself is read.
    guard !window.isAtEnd, try window.more() else { return [] }
    return nil
  }

  @inline(__always) private func readRecord(
    _ layout: CSVLayout, spelled spelling: CoordinateSpelling, into builder: inout TableBuilder
  ) throws(ReadingError) {
    let bytes = window.bytes
    var first = CSVCell()
    var second = CSVCell()
    var hasSurplus = false
    let scan = scanCSVRecord(bytes, delimiter: layout.delimiter, isFinal: window.isAtEnd) { column, cell in
      if column == layout.first {
        first = cell
      } else if column == layout.second {
        second = cell
      } else if column >= layout.columnCount && cell.end > cell.start {
        // Empty cells after the last column are not surplus, because a row may end with extra delimiters.
        hasSurplus = true
      }
    }
    guard let record = try self.record(scan) else { return }
    if record.strayColumn < 0 && record.columnCount >= layout.leastColumnCount && !hasSurplus,
      let point = spelling.coordinate(first.bytes(of: bytes), second.bytes(of: bytes), builder.axes)
    {
      try builder.add(
        first: point.first, second: point.second, record: Bytes(rebasing: bytes[..<record.contentEnd]),
        line: window.line)
    } else if !isBlank(record, bytes) {
      let problem = CSVProblem(layout: layout, axes: builder.axes, bytes: bytes, record: record, line: window.line)
      try builder.reject { problem.invalidRow($0, first: first, second: second) }
    }
    consume(record)
  }

  /// Returns the scanned record. If the record goes on beyond the bytes in the window, reads more bytes into the
  /// window and returns nil. The record must then be scanned again.
  @inline(__always) private func record(_ scan: CSVScan) throws(ReadingError) -> CSVRecord? {
    switch scan {
    case .record(let record): return record
    case .incomplete:
      try window.extend()
      return nil
    case .unclosedQuote(let column):
      throw window.malformed(
        expected: "a closing quote for column \(column + 1) of the record", found: "the end of the input")
    }
  }

  @inline(__always) private func consume(_ record: CSVRecord) {
    window.consume(record.end, lineBreaks: record.lineBreaks)
  }

  private func isBlank(_ record: CSVRecord, _ bytes: Bytes) -> Bool {
    record.columnCount == 1 && bytes[..<record.contentEnd].allSatisfy { $0 == Byte.space }
  }
}

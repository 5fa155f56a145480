/// The columns of a CSV file, according to its first row.
struct CSVHeader {
  var layout: CSVLayout
  var isPlanar: Bool
  /// Whether the first row is a header rather than data.
  var isHeader: Bool
  /// Whether a column was found by its name.
  let isNamed: Bool
  /// Whether names had to be repaired because their bytes are not UTF-8.
  var isRepaired = false
  /// Notes to users about the choice of columns.
  var notes: [ReadingNote]

  /// - Parameters:
  ///   - cells: Texts of the cells in the first row.
  ///   - next: Texts of the cells in the second row; empty if it is not known.
  init(cells: [String], next: [String] = [], delimiter: UInt8, options: ReadingOptions) throws(ColumnProblem) {
    let names = cells.map(\.trimmed)
    let mark = options.decimal.mark
    let columns =
      switch options.columns {
      case .automatic: try ColumnFinder.automatic(names, next: next, mark)
      case .sphere(let longitude, let latitude): try ColumnFinder.pair(longitude, latitude, in: names, isPlanar: false)
      case .plane(let x, let y): try ColumnFinder.pair(x, y, in: names, isPlanar: true)
      case .wkt(let column): try ColumnFinder.oneCell(column, in: names, .wellKnownText)
      case .latitudeLongitude(let column): try ColumnFinder.oneCell(column, in: names, .latitudeLongitude)
      case .longitudeLatitude(let column): try ColumnFinder.oneCell(column, in: names, .longitudeLatitude)
      }
    if columns.first == columns.second && columns.oneCell == nil {
      throw ColumnProblem(text: "expected two different coordinate columns, found column \(columns.first + 1) twice")
    }
    isPlanar = options.isPlanar ?? columns.isPlanar
    (isNamed, notes) = (columns.isNamed, columns.note.map { [$0] } ?? [])
    // A row with a value in either coordinate column is data, even if the value is bad. If the row were taken for a
    // header, its point would be lost silently.
    isHeader = columns.isNamed || !(isValue(names[columns.first]) || isValue(names[columns.second]))
    let lastNamed = isHeader ? names.lastIndex { !$0.isEmpty } ?? 0 : cells.count - 1
    layout = CSVLayout(
      delimiter: delimiter, names: isHeader ? names : [], columnCount: cells.count,
      leastColumnCount: max(lastNamed, columns.first, columns.second) + 1, first: columns.first,
      second: columns.second,
      spelling: CoordinateSpelling(oneCell: columns.oneCell, mark), decimal: options.decimal)
  }
}

/// Returns whether a cell of the first row is data: a number, a placeholder for a number, an angle, two numbers, a
/// geometry, or empty.
private func isValue(_ cell: String) -> Bool {
  isNumber(cell) || CoordinatePair(cell, .point) != nil || CoordinatePair(cell, .comma) != nil
    || WellKnownText(cell) != .unknown || Array(cell.utf8).withUnsafeBufferPointer { Angle($0) != nil }
}

/// Returns whether a cell is a number with a decimal point or comma, a placeholder for a number, or empty.
func isNumber(_ cell: String) -> Bool {
  ["", "nan", "inf", "infinity", "null", "na", "n/a"].contains(
    String(cell.lowercased().drop { $0 == "-" || $0 == "+" }))
    || Array(cell.utf8).withUnsafeBufferPointer { parseDecimal($0) ?? parseDecimalComma($0) } != nil
}

/// The delimiters that are recognized, in order of preference.
let delimiters = [Byte.comma, Byte.tab, Byte.semicolon, Byte.bar]

/// Returns the text after `sep=` in a line that names the delimiter, as Excel writes it before the header; nil for
/// any other line.
///
/// - Parameter line: A line without its line break.
func namedDelimiter(_ line: Bytes) -> Bytes? {
  var text = trimmed(line)
  if text.count > 1, text.first == Byte.quote, text.last == Byte.quote {
    text = Bytes(rebasing: text[1..<text.count - 1])
  }
  guard text.count <= 5, String(decoding: text.prefix(4), as: UTF8.self).lowercased() == "sep=" else { return nil }
  return Bytes(rebasing: text.dropFirst(4))
}

/// Returns the most frequent delimiter outside quotes in the first record; a comma if there is none. Commas may be part
/// of numbers. So commas are ignored if another delimiter separates two or more numbers with decimal commas. If the
/// options request decimal commas, commas are also ignored if any other delimiter occurs.
///
/// - Returns: `nil` if the record does not end within `bytes` and more bytes may follow.
func detectDelimiter(_ bytes: Bytes, isFinal: Bool, _ decimal: DecimalSeparator) -> UInt8? {
  let candidates = delimiters
  var counts = candidates.map { _ in 0 }
  var position = 0
  var isQuoted = false
  var isCellStart = true
  var isComplete = isFinal
  var end = bytes.count
  scan: while position < bytes.count {
    let byte = bytes[position]
    position += 1
    if isQuoted {
      // At a doubled quote the quotes close and open again, which gives the right result.
      if byte == Byte.quote { isQuoted = false }
      isCellStart = byte == Byte.quote
      continue
    }
    switch byte {
    case Byte.lineFeed, Byte.carriageReturn:
      isComplete = true
      end = position - 1
      break scan
    case Byte.quote where isCellStart:
      isQuoted = true
      continue
    default: break
    }
    isCellStart = false
    if let index = candidates.firstIndex(of: byte) {
      counts[index] += 1
      isCellStart = true
    }
  }
  guard isComplete else { return nil }
  let record = Bytes(rebasing: bytes[..<end])
  let hasNumbers = candidates.dropFirst().contains { delimiter in
    record.split(separator: delimiter).count(where: { hasDecimalComma(Bytes(rebasing: $0)) }) >= 2
  }
  if hasNumbers || decimal == .comma && counts.dropFirst().contains(where: { $0 > 0 }) { counts[0] = 0 }
  return candidates[counts.firstIndex(of: counts.max()!)!]
}

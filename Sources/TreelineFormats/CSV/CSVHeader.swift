/// Columns of a CSV file. The first row of the file determines the columns.
struct CSVHeader {
  var layout: CSVLayout
  var isPlanar: Bool
  /// Whether the first row is a header. If not, the first row is data.
  var isHeader: Bool
  /// Whether any coordinate column was found by its name.
  let isNamed: Bool
  /// Whether the names contained bytes that are not UTF-8. Such bytes were replaced.
  var isRepaired = false
  /// Notes to the user about the choice of columns.
  var notes: [ReadingNote]

  /// Finds the columns.
  ///
  /// - Parameters:
  ///   - cells: Texts of the cells in the first row.
  ///   - next: Texts of the cells in the second row; empty if the second row is unknown.
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
      throw ColumnProblem(text: "column \(columns.first + 1) was chosen for both coordinates")
    }
    isPlanar = options.isPlanar ?? columns.isPlanar
    (isNamed, notes) = (columns.isNamed, columns.note.map { [$0] } ?? [])
    // If a coordinate column of the first row contains a value instead of a name, the row is data, even if the value
    // is invalid. If the row were treated as a header, its point would be lost without a message.
    isHeader = columns.isNamed || !(isValue(names[columns.first]) || isValue(names[columns.second]))
    let lastNamed = isHeader ? names.lastIndex { !$0.isEmpty } ?? 0 : cells.count - 1
    layout = CSVLayout(
      delimiter: delimiter, names: isHeader ? names : [], columnCount: cells.count,
      leastColumnCount: max(lastNamed, columns.first, columns.second) + 1, first: columns.first,
      second: columns.second,
      spelling: CoordinateSpelling(oneCell: columns.oneCell, mark), decimal: options.decimal)
  }
}

/// Returns whether a cell of the first row is data: empty, a number, a placeholder for a number, an angle, a pair of
/// numbers, or a geometry.
private func isValue(_ cell: String) -> Bool {
  isNumber(cell) || CoordinatePair(cell, .point) != nil || CoordinatePair(cell, .comma) != nil
    || WellKnownText(cell) != .unknown || Array(cell.utf8).withUnsafeBufferPointer { Angle($0) != nil }
}

/// Returns whether a cell is empty, a number with a decimal point or comma, or a placeholder for a number.
func isNumber(_ cell: String) -> Bool {
  ["", "nan", "inf", "infinity", "null", "na", "n/a", "\\n"].contains(
    String(cell.lowercased().drop { $0 == "-" || $0 == "+" }))
    || Array(cell.utf8).withUnsafeBufferPointer { parseDecimal($0) ?? parseDecimalComma($0) } != nil
}

/// The recognized delimiters, in order of preference.
let delimiters = [Byte.comma, Byte.tab, Byte.semicolon, Byte.bar]

/// Returns the text after `sep=` in a line such as `sep=;`, and nil for any other line. Excel writes such a line
/// before the header to name the delimiter.
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

/// Returns the most frequent delimiter outside quotes in the first record, or a comma if the record has none.
///
/// A comma may also be a decimal comma. Suppose that another delimiter splits the record into cells. If two or more of
/// these cells are numbers with decimal commas, commas do not count as delimiters. Commas also do not count if the
/// options request decimal commas and any other delimiter occurs.
///
/// - Returns: nil if the record does not end within `bytes` and the input may continue.
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
      // A doubled quote closes the cell and opens it again, so no special case is needed.
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

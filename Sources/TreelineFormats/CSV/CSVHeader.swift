/// What the first row says about the columns.
struct CSVHeader {
  var layout: CSVLayout
  var isPlanar: Bool
  /// Whether the first row is a header rather than data.
  var isHeader: Bool
  /// Whether names had to be repaired because their bytes are no UTF-8.
  var isRepaired = false
}

/// Why the columns cannot be told from the first row.
struct ColumnProblem: Error {
  let text: String
}

extension CSVHeader {
  /// - Parameter cells: the texts of the first row.
  init(cells: [String], delimiter: UInt8, options: ReadingOptions) throws(ColumnProblem) {
    let names = cells.map(trimmedName)
    let columns: (first: Int, second: Int, isPlanar: Bool, isNamed: Bool)
    switch options.columns {
    case .automatic:
      columns = try ColumnFinder.automatic(names)
    case .sphere(let longitude, let latitude):
      let first = try ColumnFinder.column(longitude, in: names)
      let second = try ColumnFinder.column(latitude, in: names)
      columns = (first.index, second.index, false, first.isNamed || second.isNamed)
    case .plane(let x, let y):
      let first = try ColumnFinder.column(x, in: names)
      let second = try ColumnFinder.column(y, in: names)
      columns = (first.index, second.index, true, first.isNamed || second.isNamed)
    }
    if columns.first == columns.second {
      throw ColumnProblem(
        text: "expected two different coordinate columns, found column \(columns.first + 1) twice")
    }
    isPlanar = options.isPlanar ?? columns.isPlanar
    // A row of which one cell is a value is data, if bad data; to take it for a header would lose it in silence.
    isHeader = columns.isNamed || !(isValue(names[columns.first]) || isValue(names[columns.second]))
    layout = CSVLayout(
      delimiter: delimiter, names: isHeader ? names : [], columnCount: cells.count, first: columns.first,
      second: columns.second)
  }
}

/// Whether a cell of a first row is data: a number, a stand-in for one, or empty.
func isValue(_ cell: String) -> Bool {
  ["", "nan", "inf", "infinity", "null", "na", "n/a"].contains(
    String(cell.lowercased().drop { $0 == "-" || $0 == "+" }))
    || Array(cell.utf8).withUnsafeBufferPointer { parseDecimal($0) } != nil
}

/// A name without the spaces around.
private func trimmedName(_ text: String) -> String {
  var name = Substring(text)
  while name.first?.isWhitespace == true { name.removeFirst() }
  while name.last?.isWhitespace == true { name.removeLast() }
  return String(name)
}

/// What is wrong with a record, for the message; only bad records get here, so it may take its time.
struct CSVProblem {
  let layout: CSVLayout
  let axes: Axes
  let bytes: UnsafeBufferPointer<UInt8>
  let record: CSVRecord
  let line: Int

  func invalidRow(_ row: Int, first: CSVCell, second: CSVCell) -> InvalidRow {
    let count = record.columnCount
    if record.strayColumn >= 0 {
      return invalidRow(row, record.strayColumn, "a delimiter after the closing quote", "other text")
    }
    if count < layout.columnCount {
      let found = "a row of \(count) column\(count == 1 ? "" : "s")"
      if layout.first >= count { return invalidRow(row, layout.first, axes.first, found) }
      if layout.second >= count { return invalidRow(row, layout.second, axes.second, found) }
    }
    if count != layout.columnCount {
      return InvalidRow(
        row: row, line: line, place: "the row", expected: "\(layout.columnCount) columns as in the first row",
        found: "\(count)")
    }
    let isFirstValid = parseDecimal(first.bytes(of: bytes)).map(axes.holdsFirst) ?? false
    return isFirstValid
      ? invalidRow(row, layout.second, axes.second, describe(second))
      : invalidRow(row, layout.first, axes.first, describe(first))
  }

  private func invalidRow(_ row: Int, _ column: Int, _ expected: String, _ found: String) -> InvalidRow {
    let name = column < layout.names.count ? visible(layout.names[column]) : nil
    return InvalidRow(
      row: row, line: line, place: name.map { "column \"\($0)\" (\(column + 1))" } ?? "column \(column + 1)",
      columnName: name, columnNumber: column + 1, expected: expected, found: found)
  }

  private func describe(_ cell: CSVCell) -> String {
    trimmed(cell.bytes(of: bytes)).isEmpty ? "an empty cell" : excerpt(cell.bytes(of: bytes))
  }
}

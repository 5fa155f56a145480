import Treeline
import TreelineBuilder
import TreelineFormats

/// The column that `--row` names. It contains the row numbers of the points.
struct RowColumn {
  let name: String

  /// Returns the row number of a point, from 0 to 2^53.
  func row(ofPoint point: Int, of table: PointTable, in input: Input) throws -> UInt64 {
    let value = table.value(ofColumn: name, point: point)
    if case .number(let literal) = value, let number = DecimalNumber(literal) {
      let (row, isWhole) = number.scaled(by: 0)
      if isWhole, 0...Int128(StoredRows.greatest) ~= row { return UInt64(row) }
    }
    let found =
      switch value {
      case nil: "none"
      case .null: "an empty value"
      case .bool(let value): "\(value)"
      case .number(let text), .string(let text), .json(let text): "\"\(text.visible)\""
      }
    throw Failure.badData(
      "\(input.place(ofPoint: point, in: table)): expected a whole number from 0 to 2^53 in the column "
        + "\(name.debugDescription) for --row, found \(found)")
  }

  /// Returns the points in ascending order of their row numbers.
  func numbered(_ table: PointTable, in input: Input) throws -> PointTable {
    let rows = try table.coordinates.indices.map { Int(try row(ofPoint: $0, of: table, in: input)) }
    let sorted = rows.sorted()
    if zip(sorted, sorted.dropFirst()).contains(where: ==) { throw refusal(ofTwiceIn: rows, of: table, in: input) }
    return table.numbered(by: rows)
  }

  /// Returns an error about the first row number that occurs twice.
  private func refusal(ofTwiceIn rows: [Int], of table: PointTable, in input: Input) -> Failure {
    var points: [Int: Int] = [:]
    let second = rows.indices.first { points.updateValue($0, forKey: rows[$0]) != nil } ?? 0
    let first = rows.firstIndex(of: rows[second]) ?? second
    var failure = refusal(of: .rowTwice(row: rows[second]), in: input)
    let lines = "on lines \(table.line(ofPoint: first)) and \(table.line(ofPoint: second))"
    failure.message.replace(" twice;", with: " twice, \(lines);")
    return failure
  }

  /// Adds the name of the column to an error about row numbers.
  func refusal(of error: PieceError, in input: Input) -> Failure {
    .badData("\(input.name): column \(name.debugDescription): \(error)")
  }

  /// Throws if the column does not exist.
  func check(_ table: PointTable, in input: Input) throws {
    try table.columnNames?.requireOne(name, as: "--row", in: input.name)
  }
}

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

  /// Returns the error about a row number that occurs twice.
  ///
  /// - Parameter lines: The lines with this number; empty if they are unknown.
  func refusal(ofTwice row: Int, lines: [Int], in input: Input) -> Failure {
    var message = "\(PieceError.rowTwice(row: row))"
    if lines.count > 1 { message.replace(" twice;", with: " twice, on lines \(lines[0]) and \(lines[1]);") }
    return .badData("\(input.name): column \(name.debugDescription): \(message)")
  }

  /// Throws if the column does not exist.
  func check(_ table: PointTable, in input: Input) throws {
    try table.columnNames?.requireOne(name, as: "--row", in: input.name)
  }
}

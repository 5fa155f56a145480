import Treeline

/// The spelling of coordinates in CSV rows.
enum CoordinateSpelling {
  /// Numbers in two cells.
  case decimalPoints
  case decimalCommas
  /// A point in one cell, as text or as binary in hexadecimal digits.
  case wellKnownText
  /// Two numbers in one cell.
  case pair(isLatitudeFirst: Bool, DecimalMark)

  /// - Parameter oneCell: Content of the cells if both coordinates are in one column; nil for two columns.
  init(oneCell: ColumnFinder.OneCell?, _ mark: DecimalMark) {
    self =
      switch oneCell {
      case nil: mark == .comma ? .decimalCommas : .decimalPoints
      case .wellKnownText: .wellKnownText
      case .latitudeLongitude: .pair(isLatitudeFirst: true, mark)
      case .longitudeLatitude: .pair(isLatitudeFirst: false, mark)
      }
  }

  /// Returns the coordinate in two cells, or in the first cell if it has both numbers; nil if it is not valid for the
  /// axes.
  @inline(__always) func coordinate(_ first: Bytes, _ second: Bytes, _ axes: Axes) -> (first: Double, second: Double)? {
    switch self {
    case .decimalPoints:
      guard let x = parseDecimal(first), axes.holdsFirst(x), let y = parseDecimal(second), axes.holdsSecond(y) else {
        return axes.coordinate(first, second, .point)
      }
      return (x, y)
    case .decimalCommas: return axes.coordinate(first, second, .comma)
    case .wellKnownText: return WellKnownText.coordinate(first, axes)
    case .pair(let isLatitudeFirst, let mark):
      guard let pair = CoordinatePair(first, mark).flatMap({ $0.ordered(isLatitudeFirst: isLatitudeFirst) }),
        axes.holdsFirst(pair.first), axes.holdsSecond(pair.second)
      else { return nil }
      return pair
    }
  }
}

extension Axes {
  /// Returns the coordinate in two cells, in any spelling; nil if it is not valid.
  @inline(never) fileprivate func coordinate(_ first: Bytes, _ second: Bytes, _ mark: DecimalMark) -> (
    first: Double, second: Double
  )? {
    guard let x = number(first, mark, isLatitude: false), holdsFirst(x),
      let y = number(second, mark, isLatitude: true), holdsSecond(y)
    else { return nil }
    return (x, y)
  }

  /// Returns the number in a cell of a coordinate, even if it is outside the axis's range. The cell contains a plain
  /// number, a number with marks between thousands, or, on the sphere, an angle.
  ///
  /// - Parameter isLatitude: Whether the letter of an angle must be N or S; otherwise it must be E or W.
  func number(_ cell: Bytes, _ mark: DecimalMark, isLatitude: Bool) -> Double? {
    if let number = mark == .point ? parseDecimal(cell) : parseDecimalComma(cell) { return number }
    if let number = parseGrouped(cell, mark) { return number }
    guard !isPlanar, let angle = Angle(cell) else { return nil }
    return angle.isLatitude ?? isLatitude == isLatitude ? angle.degrees : nil
  }
}

/// The layout of a CSV file, for reading and decoding.
struct CSVLayout: RecordDecoder {
  let delimiter: UInt8
  /// Names in the header; empty if there is none.
  let names: [String]
  /// Number of columns in the first row, and the maximum for all other rows.
  let columnCount: Int
  /// Minimum number of columns in each row: the number of columns of the first row up to its last name. A header may
  /// end with more delimiters than the rows.
  let leastColumnCount: Int
  /// Columns of the coordinates, counted from 0; equal if one cell has both.
  let first: Int
  let second: Int
  let spelling: CoordinateSpelling
  /// Decimal separator of the numbers in any column.
  let decimal: DecimalSeparator

  var cells: DecimalMark? { decimal.mark }

  func name(_ column: Int) -> String {
    column < names.count && !names[column].isEmpty ? names[column] : "column \(column + 1)"
  }

  /// Names of all columns except the coordinates.
  var columnNames: [String]? { (0..<columnCount).filter { $0 != first && $0 != second }.map(name) }

  func columnNames(of record: Bytes) -> [String] { columnNames ?? [] }

  /// Decodes only this cell, since callers read one column of every point before the next column.
  func value(ofColumn name: String, of record: Bytes, asWritten: Bool) -> AttributeValue? {
    guard let wanted = (0..<columnCount).first(where: { $0 != first && $0 != second && self.name($0) == name }) else {
      return nil
    }
    var value: AttributeValue?
    _ = scanCSVRecord(record, delimiter: delimiter, isFinal: true) { column, cell in
      if column == wanted { value = cell.value(of: record, decimal: decimal, asWritten: asWritten) }
    }
    return value
  }

  func survey(_ record: Bytes, _ columns: inout [CellColumn]) {
    var number = 0
    _ = scanCSVRecord(record, delimiter: delimiter, isFinal: true) { column, cell in
      if column == first || column == second || column >= columnCount { return }
      if number == columns.count { columns.append(CellColumn()) }
      if !columns[number].isText, !cell.isNull(record) {
        columns[number].add(trimmed(cell.bytes(of: record)), mark: decimal.mark)
      }
      number += 1
    }
  }

  /// Returns all columns of a record except the coordinates, with numbers as they are written.
  func columns(of record: Bytes) -> [(name: String, value: AttributeValue)] {
    var result: [(name: String, value: AttributeValue)] = []
    result.reserveCapacity(columnCount)
    _ = scanCSVRecord(record, delimiter: delimiter, isFinal: true) { column, cell in
      if column == first || column == second || column >= columnCount { return }
      result.append((name(column), cell.value(of: record, decimal: decimal, asWritten: true)))
    }
    return result
  }
}

extension CSVCell {
  @inline(__always) func bytes(of record: Bytes) -> Bytes { Bytes(rebasing: record[start..<end]) }

  /// Returns the text of the cell, with doubled quotes reduced to one and broken UTF-8 repaired.
  func text(of record: Bytes) -> String {
    let content = bytes(of: record)
    guard hasDoubledQuotes else { return String(decoding: content, as: UTF8.self) }
    var single: [UInt8] = []
    var position = 0
    while position < content.count {
      single.append(content[position])
      position += content[position] == Byte.quote ? 2 : 1
    }
    return String(decoding: single, as: UTF8.self)
  }

  /// - Parameter asWritten: Whether a number with a decimal comma is returned as its text, unchanged.
  func value(of record: Bytes, decimal: DecimalSeparator, asWritten: Bool = false) -> AttributeValue {
    if isNull(record) { return .null }
    let content = trimmed(bytes(of: record))
    let number =
      switch decimal {
      case .point: numberLiteral(content)
      case .comma where !asWritten && content.contains(Byte.comma): commaLiteral(content)
      case .comma: content.contains(Byte.point) ? nil : numberLiteral(content)
      }
    return number.map { .number($0) } ?? .string(text(of: record))
  }

  func isNull(_ record: Bytes) -> Bool {
    let content = trimmed(bytes(of: record))
    return content.isEmpty || content.count == 2 && isUnquotedNull(record)
  }

  /// Returns whether the cell is an unquoted `\N`, with which databases export NULL as text.
  private func isUnquotedNull(_ record: Bytes) -> Bool {
    end - start == 2 && record[start] == Byte.backslash && record[start + 1] == UInt8(ascii: "N")
      && (start == 0 || record[start - 1] != Byte.quote)
  }

  /// Returns the literal of a number with a decimal comma; nil for a number with a plus sign.
  private func commaLiteral(_ bytes: Bytes) -> String? {
    CellNumber.literal(String(decoding: bytes, as: UTF8.self), mark: .comma, allowsPlus: false)
  }

  private func numberLiteral(_ bytes: Bytes) -> String? {
    JSONSyntax.isNumber(UnsafeRawBufferPointer(bytes)) ? String(decoding: bytes, as: UTF8.self) : nil
  }
}

/// Returns the bytes without the spaces around them.
func trimmed(_ bytes: Bytes) -> Bytes {
  var start = 0
  var end = bytes.count
  while start < end, bytes[start] == Byte.space { start += 1 }
  while end > start, bytes[end - 1] == Byte.space { end -= 1 }
  return Bytes(rebasing: bytes[start..<end])
}

import Treeline

/// The ways in which CSV rows spell coordinates.
enum CoordinateSpelling {
  /// A number in each of two cells.
  case decimalPoints
  case decimalCommas
  /// A point in one cell, as well-known text or as well-known binary in hexadecimal digits.
  case wellKnownText
  /// A pair of numbers in one cell.
  case pair(isLatitudeFirst: Bool, DecimalMark)

  /// Chooses the spelling of the coordinates.
  ///
  /// - Parameter oneCell: The format of the cells if both coordinates are in one column; nil if each coordinate has
  ///   its own column.
  init(oneCell: ColumnFinder.OneCell?, _ mark: DecimalMark) {
    self =
      switch oneCell {
      case nil: mark == .comma ? .decimalCommas : .decimalPoints
      case .wellKnownText: .wellKnownText
      case .latitudeLongitude: .pair(isLatitudeFirst: true, mark)
      case .longitudeLatitude: .pair(isLatitudeFirst: false, mark)
      }
  }

  /// Returns the coordinate that is written in two cells, or in the first cell if this cell contains both numbers.
  /// Returns nil if the coordinate is not valid for the axes.
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
  /// Returns the coordinate that is written in two cells, in any spelling; nil if the coordinate is invalid.
  @inline(never) fileprivate func coordinate(_ first: Bytes, _ second: Bytes, _ mark: DecimalMark) -> (
    first: Double, second: Double
  )? {
    guard let x = number(first, mark, isLatitude: false), holdsFirst(x),
      let y = number(second, mark, isLatitude: true), holdsSecond(y)
    else { return nil }
    return (x, y)
  }

  /// Returns the number in a coordinate cell, even if the number is out of range. The number may have thousands
  /// separators. On the sphere, the cell may also contain an angle.
  ///
  /// - Parameter isLatitude: True if the letter of an angle must be N or S; false if the letter must be E or W.
  func number(_ cell: Bytes, _ mark: DecimalMark, isLatitude: Bool) -> Double? {
    if let number = mark == .point ? parseDecimal(cell) : parseDecimalComma(cell) { return number }
    if let number = parseGrouped(cell, mark) { return number }
    guard !isPlanar, let angle = Angle(cell) else { return nil }
    return angle.isLatitude ?? isLatitude == isLatitude ? angle.degrees : nil
  }
}

/// The layout of a CSV file, for readers and decoders.
struct CSVLayout: RecordDecoder {
  let delimiter: UInt8
  /// Names of the columns; empty if the file has no header.
  let names: [String]
  /// Number of columns in the first row. Other rows must not have more columns.
  let columnCount: Int
  /// Minimum number of columns in each row. In the first row, columns after the last named column do not count. So
  /// rows may be shorter than a header that ends with extra delimiters.
  let leastColumnCount: Int
  /// Columns of the coordinates, counted from 0. The two numbers are equal if one column contains both coordinates.
  let first: Int
  let second: Int
  let spelling: CoordinateSpelling
  /// Decimal separator of numbers in all columns.
  let decimal: DecimalSeparator

  var cells: DecimalMark? { decimal.mark }

  func name(_ column: Int) -> String {
    column < names.count && !names[column].isEmpty ? names[column] : "column \(column + 1)"
  }

  /// Names of all columns except the coordinates.
  var columnNames: [String]? { (0..<columnCount).filter { $0 != first && $0 != second }.map(name) }

  func columnNames(of record: Bytes) -> [String] { columnNames ?? [] }

  /// Number of the first column with a name, except the columns of the coordinates.
  private func column(named name: String) -> Int? {
    (0..<columnCount).first { $0 != first && $0 != second && self.name($0) == name }
  }

  func reader(ofColumns columns: [ReadColumn]) -> (_ record: Bytes, _ values: inout [AttributeValue?]) -> Void {
    // For each column of the file, its place among the values.
    var places = [(place: Int, isAsWritten: Bool)?](repeating: nil, count: columnCount)
    for (place, column) in columns.enumerated() {
      if let found = self.column(named: column.name) { places[found] = (place, column.isAsWritten) }
    }
    return { [places, delimiter, decimal] record, values in
      for place in values.indices { values[place] = nil }
      _ = scanCSVRecord(record, delimiter: delimiter, isFinal: true) { column, cell in
        guard column < places.count, let (place, isAsWritten) = places[column] else { return }
        values[place] = cell.value(of: record, decimal: decimal, asWritten: isAsWritten)
      }
    }
  }

  func value(ofColumn name: String, of record: Bytes, asWritten: Bool) -> AttributeValue? {
    guard let wanted = column(named: name) else { return nil }
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

  /// Returns all columns of a record except the coordinates. Numbers keep their spelling.
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

  /// Returns the text of the cell. Each doubled quote becomes one quote, and broken UTF-8 is repaired.
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

  /// - Parameter asWritten: Whether a number with a decimal comma is returned as text, in its original spelling.
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

  /// Returns whether the cell is `\N` without quotes. Databases write `\N` for NULL.
  private func isUnquotedNull(_ record: Bytes) -> Bool {
    end - start == 2 && record[start] == Byte.backslash && record[start + 1] == UInt8(ascii: "N")
      && (start == 0 || record[start - 1] != Byte.quote)
  }

  /// Returns the JSON literal of a number with a decimal comma; nil if the text is not a number or has a plus sign.
  private func commaLiteral(_ bytes: Bytes) -> String? {
    CellNumber.literal(String(decoding: bytes, as: UTF8.self), mark: .comma, allowsPlus: false)
  }

  private func numberLiteral(_ bytes: Bytes) -> String? {
    JSONSyntax.isNumber(UnsafeRawBufferPointer(bytes)) ? String(decoding: bytes, as: UTF8.self) : nil
  }
}

/// Returns the bytes without the spaces at both ends.
func trimmed(_ bytes: Bytes) -> Bytes {
  var start = 0
  var end = bytes.count
  while start < end, bytes[start] == Byte.space { start += 1 }
  while end > start, bytes[end - 1] == Byte.space { end -= 1 }
  return Bytes(rebasing: bytes[start..<end])
}

import Treeline

/// What reading and decoding need to know of a CSV file.
struct CSVLayout: RecordDecoder {
  let delimiter: UInt8
  /// The names of the header; empty if there is none.
  let names: [String]
  /// How many columns the first row has, and so every other.
  let columnCount: Int
  /// The coordinates' columns, counted from 0.
  let first: Int
  let second: Int

  private func name(_ column: Int) -> String {
    column < names.count && !names[column].isEmpty ? names[column] : "column \(column + 1)"
  }

  /// The names of all columns but the coordinates.
  var columnNames: [String]? { (0..<columnCount).filter { $0 != first && $0 != second }.map(name) }

  func columnNames(of record: Bytes) -> [String] { columnNames ?? [] }

  /// All columns of a record but the coordinates.
  func columns(of record: Bytes) -> [(name: String, value: AttributeValue)] {
    var result: [(name: String, value: AttributeValue)] = []
    result.reserveCapacity(columnCount)
    _ = scanCSVRecord(record, delimiter: delimiter, isFinal: true) { column, cell in
      if column == first || column == second || column >= columnCount { return }
      result.append((name(column), cell.value(of: record)))
    }
    return result
  }
}

extension CSVCell {
  @inline(__always) func bytes(of record: Bytes) -> Bytes { Bytes(rebasing: record[start..<end]) }

  /// The text of the cell, with doubled quotes made single and broken UTF-8 repaired.
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

  func value(of record: Bytes) -> AttributeValue {
    let content = trimmed(bytes(of: record))
    if content.isEmpty { return .null }
    if JSONSyntax.isNumber(UnsafeRawBufferPointer(content)) { return .number(String(decoding: content, as: UTF8.self)) }
    return .string(text(of: record))
  }
}

/// Without the spaces around.
func trimmed(_ bytes: Bytes) -> Bytes {
  var start = 0
  var end = bytes.count
  while start < end, bytes[start] == Byte.space { start += 1 }
  while end > start, bytes[end - 1] == Byte.space { end -= 1 }
  return Bytes(rebasing: bytes[start..<end])
}

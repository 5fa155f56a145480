import Synchronization
import Treeline

/// Determines which CSV columns contain only numbers. The cells are read on the first request.
final class CellTypes: Sendable {
  private let found = Mutex<[Bool]?>(nil)

  /// Returns, for each column of a table, whether the column contains only numbers.
  ///
  /// - Complexity: O(bytes of the kept records) on the first call.
  func areNumbers(of table: PointTable) -> [Bool] {
    found.withLock { found in
      if let found { return found }
      var columns: [CellColumn] = []
      for point in table.coordinates.indices { table.decode(point) { $0.survey($1, &columns) } }
      let areNumbers = columns.map { !$0.isText && $0.spelling.areNumbers }
      found = areNumbers
      return areNumbers
    }
  }
}

/// Summary of the cells of a column.
struct CellColumn {
  private(set) var spelling = CellSpelling()
  /// Whether any cell is not a number.
  var isText = false

  /// Adds a cell that is not empty and does not begin or end with spaces.
  mutating func add(_ cell: Bytes, mark: DecimalMark) {
    if let number = CellNumber(cell, mark: mark) {
      spelling.add(number)
    } else if !isNaN(cell) {
      isText = true
    }
  }

  /// Returns whether a cell is NaN, which databases write for unknown numbers.
  private func isNaN(_ cell: Bytes) -> Bool { cell.count == 3 && String(decoding: cell, as: UTF8.self).isNaN }
}

extension String {
  fileprivate var isNaN: Bool { utf8.count == 3 && lowercased() == "nan" }
}

extension AttributeValue {
  /// Returns the value of a cell, as a number or as a text.
  func cell(isNumber: Bool, mark: DecimalMark) -> AttributeValue {
    if self == .null { return self }
    guard isNumber else { return .string(text) }
    return CellNumber.literal(text, mark: mark, allowsPlus: true).map { .number($0) } ?? .null
  }
}

import Foundation
import Treeline

/// Which columns of CSV are of numbers, found when it is first asked for.
final class CellTypes: @unchecked Sendable {
  private let lock = NSLock()
  private var found: [Bool]?

  /// Whether the columns of a table are of numbers, in their order.
  ///
  /// - Complexity: O(bytes kept) the first time
  func areNumbers(of table: PointTable) -> [Bool] {
    lock.withLock {
      if let found { return found }
      var columns: [CellColumn] = []
      for point in table.coordinates.indices { table.decode(point) { $0.survey($1, &columns) } }
      let areNumbers = columns.map { !$0.isText && $0.spelling.areNumbers }
      found = areNumbers
      return areNumbers
    }
  }
}

/// What is known of the cells of a column.
struct CellColumn {
  private(set) var spelling = CellSpelling()
  /// Whether some cell is no number.
  var isText = false

  /// Adds a cell that is not empty, without the spaces around.
  mutating func add(_ cell: Bytes) {
    if let number = CellNumber(cell), !number.hasPlus {
      spelling.add(number)
    } else if !isNaN(cell) {
      isText = true
    }
  }

  /// Databases have NaN for what is not known.
  private func isNaN(_ cell: Bytes) -> Bool { cell.count == 3 && String(decoding: cell, as: UTF8.self).isNaN }
}

extension String {
  fileprivate var isNaN: Bool { utf8.count == 3 && lowercased() == "nan" }
}

extension AttributeValue {
  /// A cell of a column of numbers, or of one of texts.
  func cell(isNumber: Bool, mark: DecimalMark) -> AttributeValue {
    if self == .null { return self }
    guard isNumber else { return .string(text) }
    return CellNumber.literal(text, mark: mark, allowsPlus: false).map { .number($0) } ?? .null
  }
}

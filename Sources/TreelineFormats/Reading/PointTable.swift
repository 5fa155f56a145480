import Treeline

/// The points of an input, in the order of the input.
public struct PointTable: Sendable {
  /// Position of each point.
  public let coordinates: [Coordinate]
  /// Whether positions are x and y on a plane without a map projection. If false, they are longitudes and latitudes.
  public let isPlanar: Bool
  /// Number of data records in the input, including invalid records. Headers and blank lines do not count.
  public let rowCount: Int
  /// The first 1,000 rows that were skipped because they had no valid position.
  public let invalidRows: [InvalidRow]
  /// Number of rows with invalid UTF-8. The header counts as a row. Invalid bytes are decoded as U+FFFD. If columns
  /// were not kept, no rows are counted.
  public let repairedRowCount: Int
  /// Notes to the user about how the input was read.
  public let notes: [ReadingNote]
  /// Row numbers of all skipped rows of this table, in ascending order.
  let skippedRows: [Int]
  /// How many points and how many skipped rows were passed on in batches. They are not in this table.
  let handedOver: (points: Int, skippedRows: Int)
  let records: RecordArena
  /// Line on which each record begins, in the order of the input; empty if columns were not kept.
  package let lines: RecordLines
  /// Decoder of the records; nil if columns were not kept.
  let decoder: (any RecordDecoder)?
  private let cellTypes = CellTypes()
  /// Extent of all points, including points that were passed on in batches.
  package var extent = PointExtent()
  /// The columns with the coordinates; nil for GeoJSON.
  package var positionColumns: PositionColumns? = nil

  /// Number of rows that were skipped because they had no valid position.
  public var invalidRowCount: Int { handedOver.skippedRows + skippedRows.count }

  /// Number of points, including points that were passed on in batches.
  package var pointCount: Int { handedOver.points + coordinates.count }

  /// Returns the row of a point in the input, counted from 0. The row differs from `index` only if earlier rows were
  /// skipped.
  ///
  /// - Complexity: O(log of the number of skipped rows).
  public func row(ofPoint index: Int) -> Int {
    precondition(coordinates.indices.contains(index), "no point \(index) of \(coordinates.count)")
    // Before the row skippedRows[k], there are skippedRows[k] - k points. This number never decreases as k increases.
    return index + firstIndex(in: 0..<skippedRows.count) { skippedRows[$0] - $0 > index }
  }

  /// Returns the line of the input on which the record of a point begins, counted from 1. Columns must have been kept.
  package func line(ofPoint index: Int) -> Int { lines.line(ofRecord: index) }

  /// Returns the columns of a point, except the coordinates, in the order of the file; empty if columns were not kept.
  ///
  /// In CSV, an empty cell is null. Other cells are numbers if all cells of their column are numbers. In a column
  /// without decimal points, all cells are texts if any cell is like `007` or `1E8`, or is a whole number of more than
  /// 15 digits. A column without a name is named by its number, as in `column 3`. In GeoJSON, the columns are the
  /// members of `properties`.
  ///
  /// - Complexity: O(columns). For CSV, the first call takes O(bytes of the kept records).
  public func columns(ofPoint index: Int) -> [(name: String, value: AttributeValue)] {
    let columns = decode(index) { $0.columns(of: $1) } ?? []
    guard let mark = cells else { return columns }
    return zip(columns, cellTypes.areNumbers(of: self)).map { ($0.name, $0.value.cell(isNumber: $1, mark: mark)) }
  }

  /// Decimal separator of numbers in cells; nil for a format whose values have types, such as GeoJSON.
  package var cells: DecimalMark? { decoder?.cells }

  /// Returns the `id` of a point's GeoJSON Feature, which is a string or a number (RFC 7946, section 3.2). Returns nil
  /// if the Feature has no `id`, if the input is CSV, or if columns were not kept.
  public func featureID(ofPoint index: Int) -> AttributeValue? { decode(index) { $0.featureID(of: $1) } ?? nil }

  func decode<Result>(_ index: Int, _ work: (any RecordDecoder, Bytes) -> Result) -> Result? {
    precondition(coordinates.indices.contains(index), "no point \(index) of \(coordinates.count)")
    return decoder.map { decoder in records.withRecord(index) { work(decoder, $0) } }
  }
}

/// A column whose values are read for many points.
package struct ReadColumn {
  /// Name of the column. Of several columns with this name, the first is read.
  let name: String
  /// Whether a number with a decimal comma is returned as text, in its original spelling.
  let isAsWritten: Bool

  package init(_ name: String, isAsWritten: Bool) { (self.name, self.isAsWritten) = (name, isAsWritten) }
}

/// Decodes the records that are kept for the points of an input.
protocol RecordDecoder: Sendable {
  /// Names of the columns of all records, in the order of the file; nil if records have different columns.
  var columnNames: [String]? { get }
  /// Decimal separator of cells, see `PointTable.cells`.
  var cells: DecimalMark? { get }
  /// Adds each cell of the record to the summary of its column. Does nothing if the format has no cells.
  func survey(_ record: Bytes, _ columns: inout [CellColumn])
  func columnNames(of record: Bytes) -> [String]
  func columns(of record: Bytes) -> [(name: String, value: AttributeValue)]
  /// Returns the value in the first column that is named `name`; nil if the record has no such column.
  ///
  /// - Parameter asWritten: Whether a number with a decimal comma is returned as text, in its original spelling.
  func value(ofColumn name: String, of record: Bytes, asWritten: Bool) -> AttributeValue?
  /// Returns a function that reads the values of some columns from a record, in the order of the columns.
  func reader(ofColumns columns: [ReadColumn]) -> (_ record: Bytes, _ values: inout [AttributeValue?]) -> Void
  func featureID(of record: Bytes) -> AttributeValue?
}

extension RecordDecoder {
  var columnNames: [String]? { nil }
  var cells: DecimalMark? { nil }
  func survey(_ record: Bytes, _ columns: inout [CellColumn]) {}
  func featureID(of record: Bytes) -> AttributeValue? { nil }
}

// MARK: - Names of columns

extension PointTable {
  /// Names of a CSV file's columns, except the coordinates, in the order of the file. The names are known even if
  /// there are no rows. The names are nil for GeoJSON, because its Features may have different columns. The names are
  /// also nil if columns were not kept.
  package var columnNames: [String]? { decoder?.columnNames }

  /// Returns whether any point has a column with this name. Names are compared as Swift strings, so canonically
  /// equivalent names are equal.
  ///
  /// - Complexity: O(columns) for CSV. For GeoJSON, O(bytes of the kept records up to the first Feature with the
  ///   column).
  package func hasColumn(named name: String) -> Bool {
    columnNames?.contains(name)
      ?? coordinates.indices.contains { point in decode(point) { $0.columnNames(of: $1).contains(name) } ?? false }
  }

  /// Returns the value of a point in the first column that is named `name`; nil if the point has no such column. In
  /// CSV, only the value's own cell decides whether the value is a number. The other cells of the column do not
  /// matter.
  ///
  /// - Parameter asWritten: Whether a number with a decimal comma is returned as text, in its original spelling.
  package func value(ofColumn name: String, point index: Int, asWritten: Bool = false) -> AttributeValue? {
    decode(index) { $0.value(ofColumn: name, of: $1, asWritten: asWritten) } ?? nil
  }

  /// Visits the values that some points have in some columns, point by point. A value is nil if the point does not have
  /// the column. The record of each point is decoded only once.
  package func forEachPoint(
    in points: Range<Int>, columns: [ReadColumn], _ visit: (_ values: [AttributeValue?]) -> Void
  ) {
    var values = [AttributeValue?](repeating: nil, count: columns.count)
    let read = decoder?.reader(ofColumns: columns)
    for point in points {
      if let read { records.withRecord(point) { read($0, &values) } }
      visit(values)
    }
  }

  /// Returns names of columns in the order of the input. In GeoJSON, all Features together determine the order: for
  /// `{"a": 1, "c": 2}` and `{"b": 3, "c": 4}` the order may be `a`, `b`, `c`. If the Features do not determine the
  /// order of some columns, these columns keep the order of `names`. If the Features contradict each other, all columns
  /// keep the order of `names`.
  ///
  /// - Parameter names: Names of columns. No two are equal as Swift strings.
  /// - Returns: Each name in `names` for which the input has a column, spelled as in the input.
  /// - Complexity: O(bytes of the columns + the square of the number of names).
  package func inputOrder(ofColumns names: [String]) -> [String] {
    var order = ColumnOrder(of: names)
    order.add(self)
    return order.names
  }

  fileprivate func forEachListOfColumns(_ visit: ([String]) -> Void) {
    if let columnNames { return visit(columnNames) }
    for point in coordinates.indices { visit(decode(point) { $0.columnNames(of: $1) } ?? []) }
  }
}

extension ColumnOrder {
  /// Adds the columns of some points.
  package mutating func add(_ table: PointTable) { table.forEachListOfColumns { add($0) } }
}

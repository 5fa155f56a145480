import Treeline

/// The points of one input, in its order.
public struct PointTable: Sendable {
  /// The position of each point.
  public let coordinates: [Coordinate]
  /// Whether positions are x and y on a plain plane, not longitudes and latitudes in degrees.
  public let isPlanar: Bool
  /// Number of data records in the input, including invalid records. Headers and blank lines do not count.
  public let rowCount: Int
  /// The first 1,000 rows that were skipped because they have no valid position.
  public let invalidRows: [InvalidRow]
  /// Number of rows with bytes that are not UTF-8, including the header. These bytes are decoded as U+FFFD. The number
  /// is 0 unless columns were kept.
  public let repairedRowCount: Int
  /// Notes for users on how the input was read.
  public let notes: [ReadingNote]
  /// Numbers of all skipped rows, ascending.
  let skippedRows: [Int]
  /// Numbers of points and of skipped rows that were passed on in batches. This table does not contain them.
  let handedOver: (points: Int, skippedRows: Int)
  let records: RecordArena
  /// Line of each record, in the order before `numbered(by:)` sorted the records; empty unless columns were kept.
  let lines: RecordLines
  /// Decoder of the records; nil unless columns were kept.
  let decoder: (any RecordDecoder)?
  private let cellTypes = CellTypes()
  /// Row number of each point, if a column has them.
  private(set) var givenRows: [Int]? = nil
  /// Number of each point in the input, if the points were sorted by `givenRows`.
  private(set) var inputOrder: [Int]? = nil
  /// Extent of all points, including those passed on in batches.
  package var extent = PointExtent()
  /// Columns of the coordinates; nil for GeoJSON.
  package var positionColumns: PositionColumns? = nil

  /// Number of rows that were skipped because they have no valid position.
  public var invalidRowCount: Int { handedOver.skippedRows + skippedRows.count }

  /// Number of points, including those passed on in batches.
  package var pointCount: Int { handedOver.points + coordinates.count }

  /// Returns the number of a point's data record in the input, counted from 0. It differs from `index` only after
  /// skipped rows.
  ///
  /// - Complexity: O(log of the number of skipped rows).
  public func row(ofPoint index: Int) -> Int {
    precondition(coordinates.indices.contains(index), "no point \(index) of \(coordinates.count)")
    if let givenRows { return givenRows[index] }
    // The number of valid rows before the skipped row k is skippedRows[k] - k. It never decreases as k increases.
    return index + firstIndex(in: 0..<skippedRows.count) { skippedRows[$0] - $0 > index }
  }

  /// Returns the line of the input on which a point's record starts, counted from 1. Columns must have been kept.
  package func line(ofPoint index: Int) -> Int { lines.line(ofRecord: inputOrder?[index] ?? index) }

  /// Returns the columns of a point in file order, without its two coordinates; empty unless columns were kept.
  ///
  /// In CSV an empty cell is null. Other cells are numbers if all cells of their column are numbers. If a column has no
  /// decimal point, a cell such as `007`, `1E8` or a whole number of more than 15 digits makes all its cells texts. A
  /// column without a name is named by its position, as in `column 3`. In GeoJSON the columns are the members of
  /// `properties`.
  ///
  /// - Complexity: O(columns), and for CSV O(bytes kept) on the first call
  public func columns(ofPoint index: Int) -> [(name: String, value: AttributeValue)] {
    let columns = decode(index) { $0.columns(of: $1) } ?? []
    guard let mark = cells else { return columns }
    return zip(columns, cellTypes.areNumbers(of: self)).map { ($0.name, $0.value.cell(isNumber: $1, mark: mark)) }
  }

  /// Decimal separator of the numbers in cells; nil if values have types of their own, as in GeoJSON.
  package var cells: DecimalMark? { decoder?.cells }

  /// Returns the `id` of a point's GeoJSON Feature, a string or a number (RFC 7946, section 3.2). Returns nil if the
  /// Feature has no `id`, if the input is CSV, or if columns were not kept.
  public func featureID(ofPoint index: Int) -> AttributeValue? { decode(index) { $0.featureID(of: $1) } ?? nil }

  /// Returns the points in the order of the given row numbers.
  ///
  /// - Parameter rows: Row number of each point, all distinct.
  package func numbered(by rows: [Int]) -> PointTable {
    precondition(rows.count == coordinates.count, "Expected a row number for each point")
    let order = rows.indices.sorted { rows[$0] < rows[$1] }
    var sorted = RecordArena()
    if decoder != nil { for point in order { records.withRecord(point) { sorted.append(nil, $0) } } }
    var table = PointTable(
      coordinates: order.map { coordinates[$0] }, isPlanar: isPlanar, rowCount: rowCount, invalidRows: invalidRows,
      repairedRowCount: repairedRowCount, notes: notes, skippedRows: skippedRows, handedOver: handedOver,
      records: sorted, lines: lines, decoder: decoder)
    (table.givenRows, table.inputOrder) = (order.map { rows[$0] }, order)
    (table.extent, table.positionColumns) = (extent, positionColumns)
    return table
  }

  func decode<Result>(_ index: Int, _ work: (any RecordDecoder, Bytes) -> Result) -> Result? {
    precondition(coordinates.indices.contains(index), "no point \(index) of \(coordinates.count)")
    return decoder.map { decoder in records.withRecord(index) { work(decoder, $0) } }
  }
}

/// Decodes the stored records of an input.
protocol RecordDecoder: Sendable {
  /// Names of the columns that every record has, in file order; nil if records differ.
  var columnNames: [String]? { get }
  /// Decimal separator of cells, see `PointTable.cells`.
  var cells: DecimalMark? { get }
  /// Adds the cells of a record to the surveys of their columns, if there are cells.
  func survey(_ record: Bytes, _ columns: inout [CellColumn])
  func columnNames(of record: Bytes) -> [String]
  func columns(of record: Bytes) -> [(name: String, value: AttributeValue)]
  /// Returns the value of the first column with a name; nil if the record has no such column.
  ///
  /// - Parameter asWritten: Whether a number with a decimal comma is returned as its text, unchanged.
  func value(ofColumn name: String, of record: Bytes, asWritten: Bool) -> AttributeValue?
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
  /// Names of a CSV file's columns in file order, without its two coordinates, even if there are no rows. Nil for
  /// GeoJSON, whose Features may have different columns. Nil also if columns were not kept.
  package var columnNames: [String]? { decoder?.columnNames }

  /// Returns whether any point has a column with this name, by Swift's equality of strings, which is canonical
  /// equivalence.
  ///
  /// - Complexity: O(columns) for CSV; for GeoJSON O(bytes kept) up to the first Feature that has the column.
  package func hasColumn(named name: String) -> Bool {
    columnNames?.contains(name)
      ?? coordinates.indices.contains { point in decode(point) { $0.columnNames(of: $1).contains(name) } ?? false }
  }

  /// Returns a point's value in the first column with a name; nil if it has no such column. In CSV only this cell
  /// decides the type of the value.
  ///
  /// - Parameter asWritten: Whether a number with a decimal comma is returned as its text, unchanged.
  package func value(ofColumn name: String, point index: Int, asWritten: Bool = false) -> AttributeValue? {
    decode(index) { $0.value(ofColumn: name, of: $1, asWritten: asWritten) } ?? nil
  }

  /// Puts names of columns into the order of the input. In GeoJSON all Features together determine it: for `{"a": 1,
  /// "c": 2}` and `{"b": 3, "c": 4}` it may be `a`, `b`, `c`. Where the Features leave the order open, columns are in
  /// the order of `names`. If the Features contradict each other, all columns are in the order of `names`.
  ///
  /// - Parameter names: Distinct names, as Swift compares strings.
  /// - Returns: Those `names` that the input has, in its spelling.
  /// - Complexity: O(bytes of the columns + the square of the number of names)
  package func inputOrder(ofColumns names: [String]) -> [String] {
    var order = InputColumnOrder(of: names)
    order.add(self)
    return order.names
  }

  fileprivate func forEachListOfColumns(_ visit: ([String]) -> Void) {
    if let columnNames { return visit(columnNames) }
    for point in coordinates.indices { visit(decode(point) { $0.columnNames(of: $1) } ?? []) }
  }
}

/// The order of columns in an input that is read in batches; see `PointTable.inputOrder`.
package struct InputColumnOrder {
  private var order: ColumnOrder

  /// - Parameter names: Distinct names, as Swift compares strings.
  package init(of names: [String]) { order = ColumnOrder(of: names) }

  /// Adds the columns of some points.
  package mutating func add(_ table: PointTable) { table.forEachListOfColumns { order.add($0) } }

  /// The names that the input has, in the input's spelling.
  package var names: [String] { order.names }
}

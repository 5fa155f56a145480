import Treeline

/// The points of one input, in its order.
public struct PointTable: Sendable {
  /// The position of each point.
  public let coordinates: [Coordinate]
  /// Whether positions are x and y on a plain plane rather than longitudes and latitudes in degrees.
  public let isPlanar: Bool
  /// How many data records the input has, invalid ones included; headers and blank lines do not count.
  public let rowCount: Int
  /// The first 1,000 rows that were skipped because they have no valid position.
  public let invalidRows: [InvalidRow]
  /// How many rows, the header among them, hold bytes that are not UTF-8, which are decoded as U+FFFD; 0 unless
  /// columns were kept.
  public let repairedRowCount: Int
  /// What a person should know of how the input was read.
  public let notes: [ReadingNote]
  /// The numbers of all skipped rows, ascending.
  let skippedRows: [Int]
  /// How many points and skipped rows were taken by whoever reads in batches; then there are none here.
  let handedOver: (points: Int, skippedRows: Int)
  let records: RecordArena
  /// Nil unless columns were kept.
  let decoder: (any RecordDecoder)?
  private let cellTypes = CellTypes()
  /// The row number of each point, where a column gives it.
  private(set) var givenRows: [Int]? = nil
  /// Where all points lie, those that were taken in batches included.
  package var extent = PointExtent()
  /// Nil for GeoJSON.
  package var positionColumns: PositionColumns? = nil

  /// How many rows were skipped because they have no valid position.
  public var invalidRowCount: Int { handedOver.skippedRows + skippedRows.count }

  /// How many points there are, those that were taken in batches included.
  package var pointCount: Int { handedOver.points + coordinates.count }

  /// The number of a point's data record in the input, counted from 0; it differs from `index` only after skipped
  /// rows.
  ///
  /// - Complexity: O(log of the number of skipped rows).
  public func row(ofPoint index: Int) -> Int {
    precondition(coordinates.indices.contains(index), "no point \(index) of \(coordinates.count)")
    if let givenRows { return givenRows[index] }
    // skippedRows[k] - k valid rows precede the skipped row k, and that number never falls.
    return index + firstIndex(in: 0..<skippedRows.count) { skippedRows[$0] - $0 > index }
  }

  /// The columns of a point in file order, without its two coordinates; empty unless they were kept.
  ///
  /// An empty cell of CSV is null. Other cells are numbers if all of their column are: `007`, `1E8` and whole numbers
  /// of more than 15 digits make a column without a decimal point one of texts. A column without a name is named after
  /// its position, as in `column 3`. GeoJSON has the members of `properties`.
  ///
  /// - Complexity: O(columns), and of CSV once O(bytes kept)
  public func columns(ofPoint index: Int) -> [(name: String, value: AttributeValue)] {
    let columns = decode(index) { $0.columns(of: $1) } ?? []
    guard let mark = cells else { return columns }
    return zip(columns, cellTypes.areNumbers(of: self)).map { ($0.name, $0.value.cell(isNumber: $1, mark: mark)) }
  }

  /// What stands before the decimals of numbers, where values are cells of text, which have no type of their own.
  package var cells: DecimalMark? { decoder?.cells }

  /// The `id` of a point's GeoJSON Feature, a string or a number (RFC 7946, section 3.2); nil where it has none, in
  /// CSV, and unless columns were kept.
  public func featureID(ofPoint index: Int) -> AttributeValue? { decode(index) { $0.featureID(of: $1) } ?? nil }

  /// The same points in the order of row numbers that they are given.
  ///
  /// - Parameter rows: Of each point, no two the same.
  package func numbered(by rows: [Int]) -> PointTable {
    precondition(rows.count == coordinates.count, "Expected a row number for each point")
    let order = rows.indices.sorted { rows[$0] < rows[$1] }
    var sorted = RecordArena()
    if decoder != nil { for point in order { records.withRecord(point) { sorted.append(nil, $0) } } }
    var table = PointTable(
      coordinates: order.map { coordinates[$0] }, isPlanar: isPlanar, rowCount: rowCount, invalidRows: invalidRows,
      repairedRowCount: repairedRowCount, notes: notes, skippedRows: skippedRows, handedOver: handedOver,
      records: sorted, decoder: decoder)
    table.givenRows = order.map { rows[$0] }
    (table.extent, table.positionColumns) = (extent, positionColumns)
    return table
  }

  func decode<Result>(_ index: Int, _ work: (any RecordDecoder, Bytes) -> Result) -> Result? {
    precondition(coordinates.indices.contains(index), "no point \(index) of \(coordinates.count)")
    return decoder.map { decoder in records.withRecord(index) { work(decoder, $0) } }
  }
}

/// Decodes what is kept of the records of an input.
protocol RecordDecoder: Sendable {
  /// The names that every record has, in file order; nil where records differ.
  var columnNames: [String]? { get }
  /// As of `PointTable`.
  var cells: DecimalMark? { get }
  /// Adds the cells of a record to the columns that are surveyed, if there are cells.
  func survey(_ record: Bytes, _ columns: inout [CellColumn])
  func columnNames(of record: Bytes) -> [String]
  func columns(of record: Bytes) -> [(name: String, value: AttributeValue)]
  /// The value of the first column of a name; nil where the record has no such column.
  ///
  /// - Parameter asWritten: Whether a number with a decimal comma is a text as it stands, and not a number.
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
  /// The names of a CSV file's columns in file order, without its two coordinates, whether or not there are rows; nil
  /// for GeoJSON, whose Features differ, and unless columns were kept.
  package var columnNames: [String]? { decoder?.columnNames }

  /// Whether any point has a column of that name, by Swift's equality of strings, which is canonical equivalence.
  ///
  /// - Complexity: O(columns) for CSV; for GeoJSON O(bytes kept) up to the first Feature that has it.
  package func hasColumn(named name: String) -> Bool {
    columnNames?.contains(name)
      ?? coordinates.indices.contains { point in decode(point) { $0.columnNames(of: $1).contains(name) } ?? false }
  }

  /// The value that a point has in the first column of a name, of CSV as its cell alone looks; nil where it has no such
  /// column.
  ///
  /// - Parameter asWritten: Whether a number with a decimal comma is a text as it stands, and not a number.
  package func value(ofColumn name: String, point index: Int, asWritten: Bool = false) -> AttributeValue? {
    decode(index) { $0.value(ofColumn: name, of: $1, asWritten: asWritten) } ?? nil
  }

  /// Puts names of columns into the order of the input. All Features of GeoJSON together tell it: of `{"a": 1, "c": 2}`
  /// and `{"b": 3, "c": 4}` it may be `a`, `b`, `c`. What they leave open is as in `names`, and so is everything where
  /// they contradict each other.
  ///
  /// - Parameter names: distinct, as Swift compares strings.
  /// - Returns: Those of `names` that there are, as the input spells them.
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

  /// - Parameter names: distinct, as Swift compares strings.
  package init(of names: [String]) { order = ColumnOrder(of: names) }

  /// Takes in the columns of some points.
  package mutating func add(_ table: PointTable) { table.forEachListOfColumns { order.add($0) } }

  /// Those of the names that there are, as the input spells them.
  package var names: [String] { order.names }
}

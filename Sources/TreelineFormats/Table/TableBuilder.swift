import Treeline

/// Collects points and invalid rows into a table.
struct TableBuilder {
  /// How many invalid rows are described in full; all are counted.
  static let describedRows = 1_000

  let file: String
  let axes: Axes
  private let skipsInvalid: Bool
  private let keepsColumns: Bool
  private var coordinates: [Coordinate] = []
  private var records = RecordArena()
  private var invalidRows: [InvalidRow] = []
  private var skippedRows: [Int] = []
  private var repairedRowCount = 0

  init(file: String, options: ReadingOptions, isPlanar: Bool) {
    self.file = file
    axes = isPlanar ? .plane : .sphere
    skipsInvalid = options.skipsInvalid
    keepsColumns = options.keepsColumns
  }

  var rowCount: Int { coordinates.count + skippedRows.count }

  /// Adds a point whose coordinates `axes` holds; if columns are kept, `id` and behind it `record` are copied.
  @inline(__always)
  mutating func add(
    first: Double, second: Double, id: UnsafeBufferPointer<UInt8>? = nil, record: UnsafeBufferPointer<UInt8>
  ) {
    coordinates.append(Coordinate(longitude: first, latitude: second))
    guard keepsColumns else { return }
    records.append(id, record)
    if !isValidUTF8(record) || !(id.map(isValidUTF8) ?? true) { countRepairedRow() }
  }

  /// Counts a row, or the header, whose text is repaired when it is decoded.
  mutating func countRepairedRow() {
    if keepsColumns { repairedRowCount += 1 }
  }

  /// Skips a row, or throws if the options do not allow it; `describe` is given the row's number.
  mutating func reject(_ describe: (_ row: Int) -> InvalidRow) throws(ReadingError) {
    let row = rowCount
    guard skipsInvalid else { throw .invalidRow(file: file, describe(row)) }
    if skippedRows.count < Self.describedRows { invalidRows.append(describe(row)) }
    skippedRows.append(row)
  }

  func finish(_ layout: RecordLayout) -> PointTable {
    PointTable(
      coordinates: coordinates, isPlanar: axes.isPlanar, rowCount: rowCount, invalidRows: invalidRows,
      repairedRowCount: repairedRowCount, skippedRows: skippedRows, records: records,
      layout: keepsColumns ? layout : .none)
  }
}

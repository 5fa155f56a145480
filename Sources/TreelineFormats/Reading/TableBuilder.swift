import Treeline

/// Collects points and invalid rows into a table.
struct TableBuilder {
  /// Maximum number of invalid rows that are described. Further invalid rows are only counted.
  static let describedRows = 1_000

  let file: String
  let axes: Axes
  let skipsInvalid: Bool
  private let keepsColumns: Bool
  private var coordinates: [Coordinate] = []
  private var records = RecordArena()
  private var lines = RecordLines()
  private var invalidRows: [InvalidRow] = []
  private var skippedRows: [Int] = []
  private let decoder: any RecordDecoder
  private let batches: PointBatches?
  private let check: ColumnCheck?
  /// Memory left for further points and skipped rows, in bytes. If none is left, all collected points and rows are
  /// passed on.
  private var room: Int
  private let bytesPerPoint: Int
  private var handedOver = (points: 0, skippedRows: 0)
  private var repairedRowCount = 0
  private var notes: [ReadingNote] = []
  private var extent = PointExtent()
  var positionColumns: PositionColumns?

  init(file: String, options: ReadingOptions, isPlanar: Bool, decoder: some RecordDecoder, receivers: PointReceivers) {
    (self.file, self.decoder, batches, check) = (file, decoder, receivers.batches, receivers.check)
    // The columns of GeoJSON are known only after all Features are read, so as many as possible are read together.
    let hasFixedColumns = decoder.columnNames != nil || !options.keepsColumns
    room = batches.map { hasFixedColumns ? min($0.firstMemory, $0.laterMemory) : $0.firstMemory } ?? .max
    bytesPerPoint = batches?.bytesPerPoint ?? 0
    axes = isPlanar ? .plane : .sphere
    skipsInvalid = options.skipsInvalid
    keepsColumns = options.keepsColumns
  }

  var rowCount: Int { handedOver.points + coordinates.count + skippedRowCount }

  private var skippedRowCount: Int { handedOver.skippedRows + skippedRows.count }

  /// Checks the columns before any row is read. Throws if the receiver refuses the columns.
  func checkColumns() throws(ReadingError) { try check?.take(table(rowCount: 0), of: file) }

  /// Adds a point whose coordinates are valid for `axes`. If columns are kept, stores `id` and then `record`.
  ///
  /// - Parameter line: Line on which the record begins.
  @inline(__always) mutating func add(first: Double, second: Double, id: Bytes? = nil, record: Bytes, line: Int)
    throws(ReadingError)
  {
    coordinates.append(Coordinate(longitude: first, latitude: second))
    room &-= bytesPerPoint
    if keepsColumns {
      records.append(id, record)
      lines.append(line)
      room &-= record.count + (id?.count ?? 0) + Self.bytesPerRecord
      if !isValidUTF8(record) || !(id.map(isValidUTF8) ?? true) { countRepairedRow() }
    }
    if room <= 0 { try handOver() }
  }

  /// Approximate number of bytes that a record takes in addition to its text. These bytes hold the record's offset,
  /// and also the data that is computed from its columns.
  private static let bytesPerRecord = 64

  /// Counts a row whose broken UTF-8 is repaired during decoding. The header counts as a row.
  mutating func countRepairedRow() { if keepsColumns { repairedRowCount += 1 } }

  mutating func add(_ note: ReadingNote) { notes.append(note) }

  /// Skips an invalid row, or throws if the options do not allow this. `describe` is called with the row number.
  mutating func reject(_ describe: (_ row: Int) -> InvalidRow) throws(ReadingError) {
    let row = rowCount
    guard skipsInvalid else { throw .invalidRow(file: file, describe(row)) }
    if skippedRowCount < Self.describedRows { invalidRows.append(describe(row)) }
    skippedRows.append(row)
    room &-= bytesPerPoint
    if room <= 0 { try handOver() }
  }

  private mutating func handOver(isAll: Bool = false) throws(ReadingError) {
    guard let batches else { return }
    let table = table(rowCount: coordinates.count + skippedRows.count)
    try batches.take(PointBatch(table: table, isAll: isAll, byteCount: batches.byteCount), of: file)
    handedOver.points += coordinates.count
    extent.add(coordinates)
    handedOver.skippedRows += skippedRows.count
    (coordinates, skippedRows, records, lines) = ([], [], RecordArena(), RecordLines())
    room = batches.laterMemory
  }

  mutating func finish() throws(ReadingError) -> PointTable {
    let rowCount = rowCount
    let remedy = commonRemedy
    try handOver(isAll: handedOver == (0, 0))
    if let remedy { notes.append(.mostRowsInvalid(remedy: remedy)) }
    extent.add(coordinates)
    var table = table(rowCount: rowCount)
    table.extent = extent
    return table
  }

  /// Creates a table of the points in memory.
  private func table(rowCount: Int) -> PointTable {
    var table = PointTable(
      coordinates: coordinates, isPlanar: axes.isPlanar, rowCount: rowCount, invalidRows: invalidRows,
      repairedRowCount: repairedRowCount, notes: notes, skippedRows: skippedRows, handedOver: handedOver,
      records: records, lines: lines, decoder: keepsColumns ? decoder : nil)
    table.positionColumns = positionColumns
    return table
  }

  /// The remedy for more than half of the described invalid rows. Nil if there is no such remedy, or if at most half
  /// of all rows are invalid.
  private var commonRemedy: String? {
    guard 2 * skippedRowCount > rowCount else { return nil }
    let counts = Dictionary(grouping: invalidRows.compactMap(\.remedy)) { $0 }.mapValues(\.count)
    return counts.first { 2 * $0.value > invalidRows.count }?.key
  }
}

/// Valid ranges of the two coordinates of a position, and texts that describe these ranges in messages.
struct Axes {
  let isPlanar: Bool
  private let firstLimit: Double
  private let secondLimit: Double

  /// Limits in degrees.
  static let sphere = Axes(isPlanar: false, firstLimit: 180, secondLimit: 90)
  /// The limits of x and y. They are much smaller than the largest Double, so extents and distances stay finite.
  static let plane = Axes(isPlanar: true, firstLimit: 1e300, secondLimit: 1e300)

  // Every comparison with NaN is false. So these functions return true only for finite numbers.
  @inline(__always) func holdsFirst(_ value: Double) -> Bool { value.magnitude <= firstLimit }
  @inline(__always) func holdsSecond(_ value: Double) -> Bool { value.magnitude <= secondLimit }

  /// Returns whether two coordinates would be valid if they were swapped.
  func areSwapped(_ first: Double, _ second: Double) -> Bool {
    !isPlanar && holdsFirst(second) && holdsSecond(first)
  }

  var first: String { isPlanar ? "an x from -1e300 to 1e300" : "a longitude from -180 to 180" }
  var second: String { isPlanar ? "a y from -1e300 to 1e300" : "a latitude from -90 to 90" }
}

/// The bytes of many records, one after another. They are stored in blocks, because growing a single array would
/// double the peak memory.
struct RecordArena: Sendable {
  private static let blockSize = 4 << 20
  /// Size of the first block. It is smaller than other blocks, because tests and pipes usually have few records.
  private static let firstBlockSize = 16 << 10
  private var blocks: [[UInt8]] = []
  /// Start of each record: the block number in the upper half, the offset in the lower half. A block has at most
  /// `blockSize` bytes, or contains a single longer record. `ReadingLimits` bounds the length of a record.
  private var starts: [UInt64] = []

  /// Adds a record that consists of two parts.
  mutating func append(_ start: Bytes?, _ record: Bytes) {
    let count = (start?.count ?? 0) + record.count
    let size = blocks.count == 1 ? Self.firstBlockSize : Self.blockSize
    if blocks.isEmpty || blocks[blocks.count - 1].count + count > size {
      let next = blocks.isEmpty ? Self.firstBlockSize : Self.blockSize
      blocks.append([])
      blocks[blocks.count - 1].reserveCapacity(max(next, count))
    }
    let last = blocks.count - 1
    starts.append(UInt64(last) << 32 | UInt64(blocks[last].count))
    if let start { blocks[last].append(contentsOf: start) }
    blocks[last].append(contentsOf: record)
  }

  func withRecord<Result>(_ index: Int, _ body: (Bytes) -> Result) -> Result {
    let block = Int(starts[index] >> 32)
    let start = Int(starts[index] & 0xFFFF_FFFF)
    let isLastOfBlock = index + 1 == starts.count || Int(starts[index + 1] >> 32) != block
    let end = isLastOfBlock ? blocks[block].count : Int(starts[index + 1] & 0xFFFF_FFFF)
    return blocks[block].withUnsafeBufferPointer { body(Bytes(rebasing: $0[start..<end])) }
  }
}

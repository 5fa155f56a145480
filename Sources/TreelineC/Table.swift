import CTreeline
import Treeline

/// A table that C can read.
final class Table {
  let columns: [TableColumn]

  /// - Precondition: All columns have the same number of rows.
  init(_ columns: [TableColumn]) { self.columns = columns }

  var rowCount: Int { columns.first?.rowCount ?? 0 }
}

/// A column of a table. The column has a name, and its values are in arrays at fixed addresses.
struct TableColumn {
  let name: Block
  let rowCount: Int
  private let type: treeline_value_type
  private var values: Block?
  private var validity: Block?
  private var offsets: Block?
  private var bytes: Block?
  private var lists: Block?
  private var unitsPerSecond: Int64 = 0

  private init<Value>(_ name: String, _ type: treeline_value_type, validityOf values: [Value?]) {
    (self.name, self.type, rowCount) = (Block(text: name), type, values.count)
    guard values.contains(where: { $0 == nil }) else { return }
    var bits = [UInt8](repeating: 0, count: (values.count + 7) / 8)
    for (row, value) in values.enumerated() where value != nil { bits[row / 8] |= 1 << (row % 8) }
    validity = Block(bits)
  }

  init(_ name: String, doubles: [Double?]) {
    self.init(name, TREELINE_DOUBLES, validityOf: doubles)
    values = Block(doubles.map { $0 ?? .nan })
  }

  init(_ name: String, integers: [Int64?]) {
    self.init(name, TREELINE_INTEGERS, validityOf: integers)
    values = Block(integers.map { $0 ?? 0 })
  }

  init(_ name: String, booleans: [Bool?]) {
    self.init(name, TREELINE_BOOLEANS, validityOf: booleans)
    values = Block(booleans.map { $0 == true ? 1 : 0 as UInt8 })
  }

  init(_ name: String, texts: [String?]) {
    self.init(name, TREELINE_TEXTS, validityOf: texts)
    setTexts(texts)
  }

  /// - Parameter digits: Minimum number of decimal places for the seconds in the column.
  init(_ name: String, instants: [Instant?], digits: Int) {
    self.init(name, TREELINE_INSTANTS, validityOf: instants)
    let needed = instants.reduce(digits) { max($0, $1?.digits ?? 0) }
    // The number of decimal places is rounded up to 0, 3, 6 or 9, because other table formats count times in seconds,
    // milliseconds, microseconds or nanoseconds.
    let digits = (needed + 2) / 3 * 3
    unitsPerSecond = (0..<digits).reduce(1) { units, _ in units * 10 }
    values = Block(instants.map { $0.map { Int64(clamping: $0.ticks(digits: digits)) } ?? .min })
  }

  /// - Parameter counts: The distinct values of each row, and the number of points with each value.
  init(_ name: String, counts: [[(value: String, count: Int)]]) {
    self.init(name, TREELINE_COUNTS, validityOf: counts.map(Optional.some))
    let all = counts.flatMap { $0 }
    values = Block(all.map { Int64($0.count) })
    setTexts(all.map(\.value))
    lists = Block(counts.reduce(into: [0 as Int64]) { $0.append($0.last! + Int64($1.count)) })
  }

  private mutating func setTexts(_ texts: [String?]) {
    var (bytes, offsets) = ([UInt8](), [0 as Int64])
    offsets.reserveCapacity(texts.count + 1)
    for text in texts {
      if let text { bytes += text.utf8 }
      offsets.append(Int64(bytes.count))
    }
    (self.bytes, self.offsets) = (Block(bytes), Block(offsets))
  }

  var array: treeline_array {
    treeline_array(
      type: type, values: values?.start, validity: validity?.start.assumingMemoryBound(to: UInt8.self),
      offsets: offsets?.start.assumingMemoryBound(to: Int64.self),
      bytes: bytes?.start.assumingMemoryBound(to: CChar.self),
      lists: lists?.start.assumingMemoryBound(to: Int64.self), units_per_second: unitsPerSecond)
  }
}

extension TableColumn {
  /// Creates a column from values in a column of a tree. If the tree's column has only numbers, booleans or times,
  /// the new column has doubles, booleans or instants. In all other cases the new column has texts: a number becomes a
  /// text that is spelled as in the input.
  init(_ name: String, _ values: [AttributeValue?], of column: Column?) {
    switch (column?.kind, column?.type) {
    case (.time, _):
      self.init(
        name, instants: values.map { $0?.plainText.flatMap { Instant($0) } }, digits: column?.secondDigits ?? 0)
    case (_, .number):
      self.init(name, doubles: values.map { if case .number(let text) = $0 { Double(text) } else { nil } })
    case (_, .boolean): self.init(name, booleans: values.map { if case .bool(let value) = $0 { value } else { nil } })
    default: self.init(name, texts: values.map { $0?.plainText })
    }
  }
}

extension Column {
  /// Number of decimal places that the seconds have in a column of times.
  fileprivate var secondDigits: Int { if case .integers(let integers) = values { integers.digits } else { 0 } }
}

@_cdecl("treeline_table_free") public func freeTable(_ table: OpaquePointer?) { table?.release() }

@_cdecl("treeline_table_row_count")
public func tableRowCount(_ table: OpaquePointer?) -> Int { table.objectIfAny(Table.self)?.rowCount ?? 0 }

@_cdecl("treeline_table_column_count")
public func tableColumnCount(_ table: OpaquePointer?) -> Int { table.objectIfAny(Table.self)?.columns.count ?? 0 }

@_cdecl("treeline_table_name")
public func tableName(_ table: OpaquePointer?, _ column: Int) -> UnsafePointer<CChar>? {
  let columns = table.objectIfAny(Table.self)?.columns ?? []
  return columns.indices.contains(column) ? columns[column].name.text : nil
}

@_cdecl("treeline_table_column")
public func tableColumn(_ table: OpaquePointer?, _ column: Int, _ array: UnsafeMutablePointer<treeline_array>?) {
  let columns = table.objectIfAny(Table.self)?.columns ?? []
  array?.pointee = columns.indices.contains(column) ? columns[column].array : treeline_array()
}

import Treeline
import TreelineBuilder
import TreelineFormats

/// What `build` was told to keep of the columns of its input.
struct ColumnOptionValues {
  let attributes: [String]
  let columns: [String]
  let row: RowColumn?

  var isEmpty: Bool { attributes.isEmpty && columns.isEmpty && row == nil }
}

/// The columns of a build in pieces, whose points are read in batches.
struct ColumnsInPieces {
  private let input: Input
  private let row: RowColumn?
  private let attributeCount: Int
  private let names: [String]
  let columns: [ScratchBuild.RequestedColumn]
  /// Nil where the first batch tells the names and their order.
  private var order: InputColumnOrder?

  /// Finds the columns that the options name, as far as the first batch tells.
  init(_ options: ColumnOptionValues, of table: PointTable, in input: Input) throws {
    self.input = input
    row = options.row
    try row?.check(table, in: input)
    // Features may have columns that no feature of the first batch has.
    let isOpen = table.columnNames == nil
    if isOpen && options.columns.contains("all") {
      throw Failure.usage(
        "\(input.name): which columns features have is known only when all are read, and they do not fit the memory; "
          + "name the columns in place of 'all' or allow more memory with --memory")
    }
    let attributes = try KeptColumns(options.attributes, of: table, in: input, takesAnyName: isOpen).names
    let typed = try TypedColumns(options.columns, of: table, in: input, besides: attributes, takesAnyName: isOpen)
    attributeCount = attributes.count
    columns = attributes.map { .init(.attribute, name: $0, cells: table.cells == nil ? nil : .point) } + typed.requested
    names = attributes + typed.names
    order = isOpen ? InputColumnOrder(of: names) : nil
  }

  /// The row numbers of some points; none where the input numbers them.
  func rows(_ points: Range<Int>, of table: PointTable) throws -> [UInt64] {
    guard let row else { return [] }
    return try points.map { try row.row(ofPoint: $0, of: table, in: input) }
  }

  /// The values of some points.
  func values(_ points: Range<Int>, of table: PointTable) -> [ColumnValues] {
    names.enumerated().map { number, name in
      var values = ColumnValues()
      let isTyped = number >= attributeCount
      for point in points { values.append(table.value(ofColumn: name, point: point, asWritten: isTyped)) }
      return values
    }
  }

  /// Takes in the order of columns of a batch.
  mutating func note(_ table: PointTable) { order?.add(table) }

  /// The columns as the index has them, once all batches are read: in the order of the input and as it spells them.
  func arranged() throws -> [(column: Int, name: String)] {
    guard let order else { return names.enumerated().map { ($0, $1) } }
    let found = order.names
    if let missing = names.first(where: { !found.contains($0) }) {
      let option = names.firstIndex(of: missing)! < attributeCount ? "attributes" : "columns"
      throw Failure.usage(
        "\(input.name): expected a column \(missing.debugDescription), as --\(option) names it, found none")
    }
    return found.map { name in (names.firstIndex(of: name)!, name) }
  }
}

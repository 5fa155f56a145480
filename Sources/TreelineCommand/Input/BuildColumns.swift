import Treeline
import TreelineBuilder
import TreelineFormats

/// The columns of the input that the subcommand `build` keeps.
struct ColumnOptionValues {
  let attributes: [String]
  let columns: [String]
  /// Names of columns that are prepared for search.
  let search: [String]
  let row: RowColumn?

  var isEmpty: Bool { attributes.isEmpty && columns.isEmpty && search.isEmpty && row == nil }
}

/// The columns of an index that is built from points in batches.
struct BuildColumns {
  private let input: Input
  private let row: RowColumn?
  private let attributeCount: Int
  private let names: [String]
  let columns: [IndexBuild.RequestedColumn]
  let typed: TypedColumns
  /// Order of the columns in all batches; nil if the first batch alone determines the order.
  private var order: ColumnOrder?

  /// Finds the columns that the options name.
  ///
  /// - Parameters:
  ///   - table: The first batch.
  ///   - areAll: Whether the first batch has all points.
  init(_ options: ColumnOptionValues, of table: PointTable, areAll: Bool, in input: Input) throws {
    self.input = input
    row = options.row
    try row?.check(table, in: input)
    // Features in later batches may have columns that are missing in the first batch.
    let isOpen = table.columnNames == nil && !areAll
    if isOpen && options.columns.flatMap(KeptColumns.names(in:)).contains("all") {
      throw Failure.usage(
        "\(input.name): '--columns all' is not possible, because the features do not fit into memory; "
          + "name the columns instead of 'all' or allow more memory with --memory")
    }
    let attributes = try KeptColumns(options.attributes, of: table, in: input, takesAnyName: isOpen).names
    typed = try TypedColumns(
      options.columns, searched: options.search, of: table, in: input, besides: attributes, takesAnyName: isOpen)
    try KeptColumns.refuseTooMany(attributes.count + typed.sectionCount, "--attributes and --columns", in: input)
    attributeCount = attributes.count
    columns = attributes.map { .init(.attribute, name: $0, cells: table.cells == nil ? nil : .point) } + typed.requested
    names = attributes + typed.names
    order = isOpen ? ColumnOrder(of: names) : nil
  }

  /// Returns the row numbers of some points; empty if no option names a column of row numbers.
  func rows(_ points: Range<Int>, of table: PointTable) throws -> [UInt64] {
    guard let row else { return [] }
    return try points.map { try row.row(ofPoint: $0, of: table, in: input) }
  }

  /// Returns the values of several ranges of points. The ranges are read concurrently.
  func values(_ ranges: ArraySlice<Range<Int>>, of table: PointTable) -> [[ColumnValues]] {
    let columns = self
    return concurrentResults(ranges.count) { columns.values(ranges[ranges.startIndex + $0], of: table) }
  }

  /// Returns the values of some points.
  func values(_ points: Range<Int>, of table: PointTable) -> [ColumnValues] {
    var values = [ColumnValues](repeating: ColumnValues(), count: names.count)
    let read = names.enumerated().map { number, name in ReadColumn(name, isAsWritten: number >= attributeCount) }
    table.forEachPoint(in: points, columns: read) { row in
      for (number, value) in row.enumerated() { values[number].append(value) }
    }
    return values
  }

  /// Adds the columns of a batch to the order.
  mutating func note(_ table: PointTable) { order?.add(table) }

  /// Returns the columns for the index, in the order and spelling of the input. All batches must have been read.
  func arranged() throws -> [(column: Int, name: String)] {
    guard let order else { return names.enumerated().map { ($0, $1) } }
    let found = order.names
    if let missing = names.first(where: { !found.contains($0) }) {
      let option = names.firstIndex(of: missing)! < attributeCount ? "attributes" : "columns"
      throw Failure.usage(
        "\(input.name): there is no column \(missing.debugDescription) for --\(option)")
    }
    return found.map { name in (names.firstIndex(of: name)!, name) }
  }
}

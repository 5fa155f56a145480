import Treeline
import TreelineBuilder
import TreelineFormats

/// The columns that `--attributes` names.
///
/// All options compare the names of columns as Swift strings, so canonically equivalent names are equal.
struct KeptColumns {
  /// Names in the order and spelling of the input. So an answer from an index lists columns in the same order as an
  /// answer from points.
  private(set) var names: [String] = []
  private let table: PointTable

  /// Returns the names in a value of the option, such as `name, population`.
  static func names(in value: String) -> [String] {
    value.split(separator: ",", omittingEmptySubsequences: false).map { String($0).trimmed }
  }

  /// Finds the columns whose names are in `values`, the values of the option `--attributes`. Throws if a column is
  /// missing.
  ///
  /// - Parameter takesAnyName: Whether to accept names of columns that are not in the table. Points that are not in
  ///   the table may have such columns.
  init(_ values: [String], of table: PointTable, in input: Input, takesAnyName: Bool = false) throws {
    self.table = table
    // An input of Features, such as GeoJSON, has no fixed list of columns. If such an input is empty, its columns are
    // unknown, so any name is accepted.
    let isAnyName = takesAnyName || table.columnNames == nil && table.coordinates.isEmpty
    try Self.refuseTooMany(values.flatMap(Self.names(in:)).count, "--attributes", in: input)
    for value in values {
      let whole = columns(named: value)
      if !whole.isEmpty {
        try add(whole, named: value, in: input)
      } else {
        for name in Self.names(in: value) { try add(isAnyName ? [name] : columns(named: name), named: name, in: input) }
      }
    }
    if !isAnyName { names = table.inputOrder(ofColumns: names) }
  }

  /// Greatest number of columns and preparations (such as `+search`) that the options may request. Every index has
  /// room for this many columns and preparations.
  private static let maximumCount = 1_000

  /// Throws if there are more columns and preparations than an index can have.
  static func refuseTooMany(_ count: Int, _ options: String, in input: Input) throws {
    guard count <= maximumCount else {
      throw Failure.usage(
        "\(input.name): \(options) may name at most \(maximumCount) columns and suffixes such as '+search', "
          + "found \(count); name fewer")
    }
  }

  private func columns(named name: String) -> [String] {
    if let names = table.columnNames { return names.filter { $0 == name } }
    return table.hasColumn(named: name) ? [name] : []
  }

  private mutating func add(_ columns: [String], named name: String, in input: Input) throws {
    try (columns.count == 1 ? columns : table.columnNames ?? [])
      .requireOne(name, as: "--attributes", in: input.name, table.positionColumns)
    let column = columns[0]
    guard !names.contains(column) else {
      throw Failure.usage("--attributes names the column \(name.debugDescription) twice; name each column only once")
    }
    names.append(column)
  }
}

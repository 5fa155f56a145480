import Treeline
import TreelineBuilder
import TreelineFormats

/// The columns named by `--attributes`.
///
/// Wherever an option names a column, names are compared like Swift strings, by canonical equivalence.
struct KeptColumns {
  /// Names in the input's order and spelling, so that an index returns them like the points themselves.
  private(set) var names: [String] = []
  private let table: PointTable

  /// Returns the names in a value of the option.
  static func names(in value: String) -> [String] {
    value.split(separator: ",", omittingEmptySubsequences: false).map { String($0).trimmed }
  }

  /// Finds the columns that the option's values name. Throws if a column is missing.
  ///
  /// - Parameter takesAnyName: Whether more points will follow, which may have other columns.
  init(_ values: [String], of table: PointTable, in input: Input, takesAnyName: Bool = false) throws {
    self.table = table
    // Features may have any columns. If there are no features yet, every name is accepted.
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

  /// Number of columns and preparations for which an index always has room.
  private static let maximumCount = 1_000

  /// Refuses more columns than an index can have.
  static func refuseTooMany(_ count: Int, _ options: String, in input: Input) throws {
    guard count <= maximumCount else {
      throw Failure.usage(
        "\(input.name): expected at most \(maximumCount) columns and preparations, named by \(options), found \(count); "
          + "name fewer")
    }
  }

  private func columns(named name: String) -> [String] {
    if let names = table.columnNames { return names.filter { $0 == name } }
    return table.hasColumn(named: name) ? [name] : []
  }

  private mutating func add(_ columns: [String], named name: String, in input: Input) throws {
    guard let column = columns.first else {
      throw Failure.usage(
        "\(input.name): expected a column \(name.debugDescription), named by --attributes, found none"
          + (table.columnNames ?? []).alternatives(to: name))
    }
    let name = name.debugDescription
    guard columns.count == 1 else {
      throw Failure.usage(
        "\(input.name): expected one column \(name), named by --attributes, found \(columns.count); "
          + "give them different names")
    }
    guard !names.contains(column) else {
      throw Failure.usage("--attributes must name each column once, found \(name) again")
    }
    names.append(column)
  }

  /// The attributes that the index keeps.
  var attributes: [IndexAttribute] {
    names.map { name in
      IndexAttribute(name: name) { [table] in table.value(ofColumn: name, point: $0) }
        .holdingCells(table.cells != nil)
    }
  }
}

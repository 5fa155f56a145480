import Treeline
import TreelineBuilder
import TreelineFormats

/// The columns that `--columns` names. If the option gives no kind for a column, the values of the column determine
/// its kind.
struct TypedColumns {
  private struct Named {
    let name: String
    let kind: IndexColumn.Kind?
    var preparations: Set<IndexColumn.Preparation> = []
  }

  private var named: [Named] = []
  private let cells: DecimalMark?
  private let positions: PositionColumns?
  private let takesAnyName: Bool

  static let kinds = IndexColumn.Kind.allCases.map(\.rawValue).listed("or")
  static let preparations = IndexColumn.Preparation.allCases.map { "+\($0.rawValue)" }.listed("or")

  /// Finds the columns that the option `--columns` names. `values` are the values of this option.
  ///
  /// - Parameters:
  ///   - searched: Names of columns that are prepared for search. If `values` does not contain such a column, the
  ///     column gets the kind `text`.
  ///   - attributes: Columns that the index keeps as they are written. The value `all` names all other columns.
  ///   - takesAnyName: Whether points that are not in the table may have other columns.
  init(
    _ values: [String], searched: [String] = [], of table: PointTable, in input: Input, besides attributes: [String],
    takesAnyName: Bool = false
  ) throws {
    (cells, positions, self.takesAnyName) = (table.cells, table.positionColumns, takesAnyName)
    let names = values.isEmpty && searched.isEmpty ? [] : table.allColumnNames
    var parts = values.flatMap { names.contains($0) ? [$0] : KeptColumns.names(in: $0) }
    let namesAll = parts.contains("all") && !names.contains("all")
    if namesAll { parts.removeAll { $0 == "all" } }
    try KeptColumns.refuseTooMany(namesAll ? names.count : parts.count, "--columns", in: input)
    for part in parts { try add(part, names, in: input, besides: attributes) }
    for name in searched {
      if let number = named.firstIndex(where: { $0.name == name }) {
        named[number].preparations.insert(.search)
      } else {
        if !(takesAnyName && !names.contains(name)) {
          try names.requireOne(name, as: "--search", in: input.name, positions)
        }
        guard !attributes.contains(name) else {
          throw Failure.usage(
            "'--search' cannot use \(name.debugDescription), which is among '--attributes'; "
              + "leave this column out of '--attributes'")
        }
        named.append(Named(name: name, kind: .text, preparations: [.search]))
      }
    }
    if namesAll {
      let taken = named.map(\.name) + attributes
      for name in names where !taken.contains(name) {
        try names.requireOne(name, as: "--columns all", in: input.name)
        named.append(Named(name: name, kind: nil))
      }
    }
    if takesAnyName { return }
    let order = table.inputOrder(ofColumns: named.map(\.name))
    named.sort { order.firstIndex(of: $0.name) ?? 0 < order.firstIndex(of: $1.name) ?? 0 }
  }

  private mutating func add(_ part: String, _ names: [String], in input: Input, besides attributes: [String]) throws {
    var (name, kind) = (part, IndexColumn.Kind?.none)
    let preparations = names.contains(part) ? [] : Self.splitPreparations(from: &name)
    if !names.contains(name), let colon = name.lastIndex(of: ":") {
      let word = String(name[name.index(after: colon)...]).trimmed
      let whole = name
      name = String(name[..<colon]).trimmed
      kind = IndexColumn.Kind(rawValue: word)
      if kind == nil && takesAnyName && !names.contains(name) {
        // A later batch may have a column such as `name:en`.
        name = whole
      } else if kind == nil && names.contains(name) {
        throw Failure.usage(
          "--columns: \(word.debugDescription) after \(name.debugDescription) is not a kind; the kinds are "
            + "\(Self.kinds), optionally followed by \(Self.preparations)")
      }
    }
    if name == "all" && !names.contains("all") {
      throw Failure.usage(
        "--columns: expected 'all' without a kind or a suffix, found \(part.debugDescription); give 'all', and name "
          + "each column that needs a kind, as in 'all,\(names.first ?? "name"):text'")
    }
    if !(takesAnyName && !names.contains(name)) {
      try names.requireOne(name, as: "--columns", in: input.name, positions)
    }
    guard !named.contains(where: { $0.name == name }), !attributes.contains(name) else {
      throw Failure.usage(
        "the column \(name.debugDescription) is named twice in --columns and --attributes; name each column only once")
    }
    named.append(Named(name: name, kind: kind, preparations: preparations))
  }

  /// Removes suffixes such as `+percentiles` from a name, and returns the preparations that the suffixes name.
  private static func splitPreparations(from part: inout String) -> Set<IndexColumn.Preparation> {
    var preparations: Set<IndexColumn.Preparation> = []
    while let plus = part.lastIndex(of: "+"),
      let found = IndexColumn.Preparation(rawValue: String(part[part.index(after: plus)...]).trimmed)
    {
      preparations.insert(found)
      part = String(part[..<plus]).trimmed
    }
    return preparations
  }

  /// Returns an error if a value of a point does not fit the declared kind of its column; nil if all values fit.
  func error(ofPoint point: Int, in table: PointTable) -> ColumnError? {
    for column in named where column.kind != nil {
      var survey = ColumnSurvey(of: .typed(column.kind), name: column.name, cells: table.cells)
      var values = ColumnValues()
      values.append(table.value(ofColumn: column.name, point: point, asWritten: true))
      survey.add(values, firstPoint: point)
      do throws(ColumnError) { _ = try survey.mustGather() } catch { return error }
    }
    return nil
  }

  var names: [String] { named.map(\.name) }

  /// Number of sections that an index needs for the columns.
  var sectionCount: Int { named.reduce(0) { $0 + 1 + $1.preparations.count } }

  /// The columns that the index will contain.
  var requested: [IndexBuild.RequestedColumn] {
    named.map {
      .init(.typed($0.kind), name: $0.name, preparations: $0.preparations, cells: cells)
    }
  }
}

extension PointTable {
  /// Names of all columns. For GeoJSON, names of the columns of all features.
  var allColumnNames: [String] {
    if let columnNames { return columnNames }
    var (names, known): ([String], Set<String>) = ([], [])
    for point in coordinates.indices {
      for (name, _) in columns(ofPoint: point) where known.insert(name).inserted { names.append(name) }
    }
    return names
  }
}

/// A report on a column of an index.
struct ColumnReport {
  let column: ColumnEncoding
  /// Number of values that the column cannot represent exactly.
  let inexactCount: Int

  /// The column in words, such as `population number` or `kind category (14 values)`.
  private var phrase: String {
    "\(column.name) \(column.kind.rawValue)"
      + (column.entryCount.map { " (\($0) \($0 == 1 ? "value" : "values"))" } ?? "")
  }

  /// A note on unusual values of the column; nil if there are none.
  var oddity: String? {
    if column.hasCommaNumbers {
      return "column \(column.name.debugDescription) may have numbers with decimal commas (if so, give --decimal comma)"
    }
    guard column.hasOddTimes else { return nil }
    return "column \(column.name.debugDescription) has times before 1971 or after 2100 "
      + "(the kind 'time' reads numbers as seconds, and 'time-ms' as milliseconds; write dates as 2024-05-01)"
  }

  /// Returns the columns in words, such as `columns: population number, kind category (14 values)`.
  static func phrase(_ columns: [ColumnReport]) -> String {
    "columns: " + columns.map(\.phrase).joined(separator: ", ")
  }

  /// Prints reports on the columns of an index.
  ///
  /// - Parameter summary: Summary of the input; nil if an earlier process read the input.
  static func print(_ columns: [ColumnReport], _ summary: InputSummary?) {
    if let summary {
      summary.print(columns)
    } else if !columns.isEmpty {
      Notes.print("treelinemap: \(phrase(columns))")
    }
    for report in columns where report.inexactCount > 0 {
      Notes.print(
        "treelinemap: column \(report.column.name.debugDescription): \(report.inexactCount) "
          + "\(report.inexactCount == 1 ? "number was" : "numbers were") rounded to a double, because a double cannot "
          + "hold so many digits or so small a number; declare the column as text to keep its cells as written")
    }
  }
}

extension PositionColumns {
  /// Throws if an option names a column of coordinates as a column that the index should keep.
  func refuse(_ name: String, as option: String, in input: String) throws {
    guard name == first || name == second else { return }
    throw Failure.usage(
      "\(input): the column \(name.debugDescription) has coordinates, which every index keeps; "
        + "leave it out of \(option)")
  }
}

extension [String] {
  /// Throws unless exactly one column has the given name. Names are compared as Swift strings, so canonically
  /// equivalent names are equal.
  ///
  /// - Parameters:
  ///   - option: The option that names the column.
  ///   - positions: The columns of coordinates, which are not in this list.
  func requireOne(_ name: String, as option: String, in input: String, _ positions: PositionColumns? = nil) throws {
    let count = self.count { $0 == name }
    if count == 1 { return }
    if count == 0 { try positions?.refuse(name, as: option, in: input) }
    throw Failure.usage(
      "\(input): there \(count == 0 ? "is no column" : "are \(count) columns") \(name.debugDescription) "
        + "for \(option)" + (count > 1 ? "; rename all but one" : alternatives(to: name)))
  }
}

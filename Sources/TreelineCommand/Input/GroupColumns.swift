import Treeline
import TreelineBuilder
import TreelineFormats

/// The columns that `--group-by` and `--never-cluster` name.
struct GroupColumns {
  let groupBy: String?
  let neverCluster: String?

  var isEmpty: Bool { groupBy == nil && neverCluster == nil }

  typealias Named = (option: String, name: String)

  private var named: [Named] {
    [("--group-by", groupBy), ("--never-cluster", neverCluster)].compactMap { option, name in
      name.map { (option, $0) }
    }
  }

  /// Throws if an option names a column that the input lacks, or a column that the input has more than once.
  func refuseColumns(of table: PointTable, in input: Input) throws {
    if let names = table.columnNames {
      for (option, name) in named { try names.requireOne(name, as: option, in: input.name) }
    } else if !table.coordinates.isEmpty {
      try refuse(missing(in: table), in: input)
    }
  }

  /// Returns the columns that no point of a table has, although an option names them.
  fileprivate func missing(in table: PointTable) -> [Named] { named.filter { !table.hasColumn(named: $0.name) } }

  fileprivate func refuse(_ missing: [Named], in input: Input) throws {
    guard let (option, name) = missing.first else { return }
    throw Failure.usage(
      "\(input.name): there is no column \(name.debugDescription) for \(option)")
  }

  func group(ofPoint point: Int, of table: PointTable, in input: Input) throws -> PointGroups.Group {
    func value(_ name: String) -> AttributeValue? { table.value(ofColumn: name, point: point) }
    if let neverCluster {
      let place = { input.place(ofPoint: point, in: table) }
      if try isTrue(value(neverCluster), place) { return .neverClustered }
    }
    // Points without a value form a group without a name.
    return .named(groupBy.flatMap { value($0)?.plainText } ?? "")
  }

  private func isTrue(_ value: AttributeValue?, _ place: () -> String) throws -> Bool {
    switch value {
    case nil, .null: return false
    case .bool(let value): return value
    case .number("1"): return true
    case .number("0"): return false
    case .string(let text) where ["true", "yes", "t"].contains(text.lowercased()): return true
    case .string(let text) where ["false", "no", "f", ""].contains(text.lowercased()): return false
    case .number(let text), .string(let text), .json(let text):
      throw Failure.badData(
        "\(place()): expected true, false, yes, no, 1, 0 or an empty value in the column "
          + "for --never-cluster, found \"\(text.visible)\"")
    }
  }
}

/// The groups of points that are read in batches.
struct BuildGroups {
  private let columns: GroupColumns
  private let input: Input
  /// Columns that have not occurred in any batch so far.
  private var missing: [GroupColumns.Named]

  /// Looks in the first batch for the columns that `--group-by` and `--never-cluster` name. The result is nil if
  /// neither option is given.
  ///
  /// - Parameter areAll: Whether the first batch has all points.
  init?(_ columns: GroupColumns, of table: PointTable, areAll: Bool, in input: Input) throws {
    if columns.isEmpty { return nil }
    (self.columns, self.input, missing) = (columns, input, columns.missing(in: table))
    // Features in later batches may have columns that are missing in the first batch.
    if areAll || table.columnNames != nil { try columns.refuseColumns(of: table, in: input) }
  }

  /// Returns the groups of some points of a batch.
  func groups(_ points: Range<Int>, of batch: PointBatch) throws -> [PointGroups.Group] {
    try points.map { try columns.group(ofPoint: $0, of: batch.table, in: input) }
  }

  /// Remembers which columns occur in a batch. Must be called after the groups of the batch have been read.
  mutating func note(_ batch: PointBatch) { missing.removeAll { batch.table.hasColumn(named: $0.name) } }

  /// Throws if an option names a column that no batch contains. All batches must have been read.
  ///
  /// - Parameter isEmpty: Whether the batches have no points. In this case the input may lack all columns.
  func finish(isEmpty: Bool) throws { if !isEmpty { try columns.refuse(missing, in: input) } }
}

@_spi(Server) import Treeline

extension ClusterTree {
  /// Returns this tree with more columns. The new columns are kept in memory, and come after the columns of this tree.
  ///
  /// ```swift
  /// let hotels = try tree.adding(columns: [.number(name: "price") { prices[$0] }])
  /// ```
  ///
  /// The new tree shares the memory of this tree, but has no filter. This tree does not change. Clusters of this tree
  /// cannot be used with the new tree, and clusters of the new tree cannot be used with this tree.
  ///
  /// - Parameter columns: Columns to add. All columns must have different names.
  /// - Throws: `ColumnError`, which is `cancelled` if the current task is cancelled.
  /// - Complexity: O(pointCount) for each column
  public func adding(columns: [IndexColumn]) throws -> ClusterTree {
    try adding(columns: columns, stoppingWith: nil, progress: nil)
  }

  /// Returns this tree with more columns, with progress reports and a way to cancel.
  ///
  /// - Parameters:
  ///   - cancellation: Stops the work. If `cancellation` is nil, the work stops when the task is cancelled.
  ///   - progress: Called at most once for each percent.
  package func adding(
    columns: [IndexColumn], stoppingWith cancellation: BuildCancellation?,
    progress: (@Sendable (BuildProgress) -> Void)?
  ) throws(ColumnError) -> ClusterTree {
    let names = columns.map(\.name)
    if let twice = names.firstTwice(among: self.columns.map(\.name) + names) { throw .nameTwice(name: twice) }
    var memory: [ColumnMemory] = []
    var added: [Column] = []
    for encoded in try encoded(columns, row: nil, stoppingWith: cancellation, progress: progress) {
      let section = ColumnMemory(encoded.bytes)
      memory.append(section)
      var column = Column.encoded(section.bytes, pointCount: pointCount)
      for (kind, bytes) in encoded.matrices {
        let section = ColumnMemory(bytes)
        memory.append(section)
        column.attachMade(section.bytes, of: kind)
      }
      added.append(column)
    }
    let sections = memory
    return with(columns: self.columns + added) { withExtendedLifetime(sections) {} }
  }

  /// Returns this tree without some of its columns and without a filter. An index that is written from the new tree
  /// does not contain the removed columns.
  ///
  /// - Parameter names: Names of the columns to leave out. Names that no column has are ignored.
  public func removing(columns names: Set<String>) -> ClusterTree {
    with(columns: columns.filter { !names.contains($0.name) }, release: {})
  }

  /// Encodes columns of this tree.
  ///
  /// - Parameters:
  ///   - row: Converts a row of the tree to the row number that an error reports; nil to report the row of the tree.
  ///     If several values do not suit their columns, the error is about the value with the least row number.
  ///   - cancellation: Stops the work. If `cancellation` is nil, the work stops when the task is cancelled.
  ///   - progress: Called at most once for each percent.
  func encoded(
    _ columns: [IndexColumn], row: ((Int) -> Int)?, stoppingWith cancellation: BuildCancellation? = nil,
    progress: (@Sendable (BuildProgress) -> Void)? = nil
  ) throws(ColumnError) -> [EncodedColumn] {
    // The values of each column are read once for the survey and once for the encoding. If the column has preparations,
    // its values are also sorted once, and read once more for each preparation.
    let passCount = columns.reduce(0) { $0 + 2 + ($1.preparations.isEmpty ? 0 : 1 + $1.preparations.count) }
    let monitor = BuildMonitor(pointCount: passCount * pointCount, stoppingWith: cancellation, report: progress)
    for column in columns { try column.checkPreparations() }
    return try columns.map { column throws(ColumnError) in
      let found: Result<EncodedColumn, UnsuitableValue>
      do throws(UnsuitableValue) { found = .success(try encoded(column, monitor)) } catch { found = .failure(error) }
      if monitor.isCancelled { throw .cancelled }
      switch found {
      case .success(let encoded): return encoded
      case .failure(let error):
        let treeRow = self.row(atTreeIndex: error.point)
        throw firstUnsuitableValue(of: columns, row: row)
          ?? error.error(column: column.name, row: row?(treeRow) ?? treeRow)
      }
    }
  }

  /// Finds all values that do not suit their column, and returns the error for the value with the least row number.
  /// Returns nil if each value suits its column. This function is called only after encoding has failed. If each value
  /// suits its column, encoding failed because the values of one column have no common encoding.
  private func firstUnsuitableValue(of columns: [IndexColumn], row: ((Int) -> Int)?) -> ColumnError? {
    let problems = columns.compactMap { column -> (column: String, problem: UnsuitableValue)? in
      guard case .values(let kind?, let value) = column.source else { return nil }
      var survey = ColumnSurvey(of: .typed(kind), name: column.name, cells: column.cells)
      for treeRow in 0..<pointCount { survey.add(value(treeRow), ofPoint: row?(treeRow) ?? treeRow) }
      return survey.problem.map { (column.name, $0) }
    }
    return problems.min { $0.problem.point < $1.problem.point }.map { $0.problem.error(column: $0.column) }
  }

  private func encoded(_ column: IndexColumn, _ monitor: BuildMonitor) throws(UnsuitableValue) -> EncodedColumn {
    var encoded = try encoded(valuesOf: column, monitor)
    encoded.prepare(for: column.preparations, pointCount: pointCount, monitor)
    return encoded
  }

  private func encoded(
    valuesOf column: IndexColumn, _ monitor: BuildMonitor
  ) throws(UnsuitableValue) -> EncodedColumn {
    switch column.source {
    case .values(_, let value):
      return try EncodedColumn(
        .typed(column.kind), name: column.name, cells: column.cells, pointCount: pointCount, monitor
      ) { value(row(atTreeIndex: $0)) }
    case .numbers(let number, areInMemory: true):
      return EncodedColumn(
        name: column.name, pointCount: pointCount, monitor, number: number, place: { row(atTreeIndex: $0) })
    case .numbers(let number, areInMemory: false):
      return EncodedColumn(
        name: column.name, pointCount: pointCount, monitor, number: { number(row(atTreeIndex: $0)) }, place: { $0 })
    case .instants(let instant):
      return try EncodedColumn(
        name: column.name, pointCount: pointCount, monitor, instant: { instant(row(atTreeIndex: $0)) })
    }
  }
}

extension Column {
  fileprivate mutating func attachMade(_ section: UnsafeRawBufferPointer, of kind: IndexSection.Kind) {
    do throws(IndexError) { try attach(section: section, of: kind) } catch {
      preconditionFailure("A section that was just made cannot be read: \(error)")
    }
  }
}

extension Sequence<String> {
  /// The first string that occurs twice. Strings are compared by their bytes, like the entries of a column's
  /// dictionary.
  var firstTwice: String? {
    var names: Set<[UInt8]> = []
    return first { !names.insert(Array($0.utf8)).inserted }
  }

  /// Returns the first of these names that occurs more than once in `all`. Swift treats canonically equivalent strings
  /// as equal, and columns are looked up by this equality. So if two columns had equivalent names, a look-up would
  /// never find the second column.
  func firstTwice(among all: [String]) -> String? {
    let counts = Dictionary(all.map { ($0, 1) }, uniquingKeysWith: +)
    return first { counts[$0] ?? 0 > 1 }
  }
}

import Treeline

extension ClusterTree {
  /// The same tree with more columns, kept in memory: behind those that it has.
  ///
  /// ```swift
  /// let hotels = try tree.adding(columns: [IndexColumn(name: "price", kind: .number) { .number(prices[$0]) }])
  /// ```
  ///
  /// It shares all else but a filter with this one, which stays as it is. Clusters of either are none of the other's.
  ///
  /// - Parameter columns: What to add. No two columns share a name.
  /// - Throws: `ColumnError`
  /// - Complexity: O(pointCount) for each column
  public func adding(columns: [IndexColumn]) throws(ColumnError) -> ClusterTree {
    let names = columns.map(\.name)
    if let twice = names.firstTwice(among: self.columns.map(\.name) + names) { throw .nameTwice(name: twice) }
    var memory: [ColumnMemory] = []
    var added: [Column] = []
    for encoded in try encoded(columns, row: nil) {
      let section = ColumnMemory(encoded.bytes)
      memory.append(section)
      var column = Column.encoded(section.bytes, pointCount: pointCount)
      for (kind, bytes) in encoded.matrices {
        let section = ColumnMemory(bytes)
        memory.append(section)
        column.attach(section.bytes, of: kind)
      }
      added.append(column)
    }
    let sections = memory
    return with(columns: self.columns + added) { withExtendedLifetime(sections) {} }
  }

  /// The same tree without some of its columns and without a filter, as for an index that tells less.
  ///
  /// - Parameter names: Of the columns; those that the tree has not change nothing.
  public func removing(columns names: Set<String>) -> ClusterTree {
    with(columns: columns.filter { !names.contains($0.name) }, release: {})
  }

  /// - Parameter row: The row of the input, for errors, given that of the tree; nil where both are the same.
  package func encoded(_ columns: [IndexColumn], row: ((Int) -> Int)?) throws(ColumnError) -> [EncodedColumn] {
    try columns.map { column throws(ColumnError) in
      do throws(UnsuitableValue) { return try encoded(column) } catch {
        let treeRow = self.row(atTreeIndex: error.point)
        throw error.error(column: column.name, row: row?(treeRow) ?? treeRow)
      }
    }
  }

  private func encoded(_ column: IndexColumn) throws(UnsuitableValue) -> EncodedColumn {
    var encoded = try encoded(valuesOf: column)
    encoded.prepare(for: column.preparations, pointCount: pointCount)
    return encoded
  }

  private func encoded(valuesOf column: IndexColumn) throws(UnsuitableValue) -> EncodedColumn {
    switch column.source {
    case .values(let kind, let value):
      return try EncodedColumn(
        .typed(kind), name: column.name, holdsCells: column.holdsCells, pointCount: pointCount
      ) { value(row(atTreeIndex: $0)) }
    case .integers(let integer):
      if let encoded = EncodedColumn(
        name: column.name, pointCount: pointCount, integer: { integer(row(atTreeIndex: $0)) })
      {
        return encoded
      }
      return try EncodedColumn(
        .typed(.number), name: column.name, holdsCells: false, pointCount: pointCount
      ) { index in
        integer(row(atTreeIndex: index)).map { .number("\($0)") }
      }
    case .instants(let instant):
      return try EncodedColumn(
        name: column.name, pointCount: pointCount, instant: { instant(row(atTreeIndex: $0)) })
    }
  }
}

extension Column {
  fileprivate mutating func attach(_ section: UnsafeRawBufferPointer, of kind: IndexSection.Kind) {
    do throws(IndexError) {
      attach(try ColumnMatrix(section: section, of: kind, pointCount: pointCount), of: kind)
    } catch { preconditionFailure("A section that was just made cannot be read: \(error)") }
  }
}

extension Sequence<String> {
  /// The first one that comes up again. Bytes tell names apart, as they tell the strings of a dictionary.
  var firstTwice: String? {
    var names: Set<[UInt8]> = []
    return first { !names.insert(Array($0.utf8)).inserted }
  }

  /// The first one that there is twice among all names, of which these are some. Columns are looked up by Swift's
  /// equality of strings, so the second of two that are canonically equivalent would never be found.
  func firstTwice(among all: [String]) -> String? {
    let counts = Dictionary(all.map { ($0, 1) }, uniquingKeysWith: +)
    return first { counts[$0] ?? 0 > 1 }
  }
}

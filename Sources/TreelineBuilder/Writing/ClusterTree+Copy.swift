@_spi(Server) import Treeline

extension ClusterTree {
  /// Writes the tree with all columns that it has, as they are, and its description unless another is given.
  ///
  /// - Parameters:
  ///   - destination: Where.
  ///   - description: What the index tells people of itself; nil for what the tree's own index does.
  /// - Throws: `IndexWritingError`
  /// - Complexity: O(pointCount); O(pointCount log pointCount) where there are columns kept as they were written.
  package func writeWithColumns(to destination: IndexDestination, description: IndexDescription?)
    throws(IndexWritingError)
  {
    let columns = columns
    let rows = columns.contains { $0.attribute != nil } ? RowOrder(of: self) : nil
    let attributes = columns.filter { $0.attribute != nil }.map { column in
      IndexAttribute(name: column.name) { row in
        rows?.treeIndex(ofRow: row).flatMap { column.value(atTreeIndex: $0) }
      }
    }
    try write(
      to: destination, attributes: attributes, encoded: columns.compactMap(EncodedColumn.init(copying:)),
      description: description ?? withStorage(\.description), row: nil, progress: nil)
  }
}

extension EncodedColumn {
  /// The column of a tree as it lies in its section; nil for an attribute, which has another one.
  fileprivate init?(copying column: Column) {
    guard let section = column.section, column.attribute == nil else { return nil }
    self.init(
      name: column.name, kind: column.kind, bytes: Array(section),
      matrices: [(.ranks, column.ranks), (.links, column.links)].compactMap { kind, matrix in
        matrix.map { (kind, Array($0.section)) }
      })
  }
}

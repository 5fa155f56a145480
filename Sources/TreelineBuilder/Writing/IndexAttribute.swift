import Treeline

/// A column for display. An index keeps the values of the column exactly as they are written in the input.
public struct IndexAttribute: Sendable {
  let name: String
  let value: @Sendable (Int) -> AttributeValue?

  /// - Parameters:
  ///   - name: Name of the column.
  ///   - value: Returns the value of a point, given its row in the input from which the tree was built. The closure
  ///     returns nil if the point lacks the column. A missing value differs from null. The text of a number must be a
  ///     JSON number, and the text of a nested value must be JSON. Otherwise `write` throws
  ///     `IndexWritingError.column`.
  public init(name: String, value: @escaping @Sendable (Int) -> AttributeValue?) {
    (self.name, self.value) = (name, value)
  }
}

extension IndexAttribute {
  /// Encodes the column, in the form that `AttributeColumn` reads.
  ///
  /// Numbers are stored as doubles if the spelling of every number can be reproduced from its double. Otherwise numbers
  /// are stored as text. So an index returns values with the same bytes as in the input.
  ///
  /// - Parameters:
  ///   - row: Converts a row of the tree to the row in errors; nil if both are the same.
  ///   - monitor: If the work is cancelled, the section is unusable.
  /// - Throws: `ColumnError.unsuitableValue` if the text of a value does not fit the type of the value.
  func encoded(
    for tree: ClusterTree, row: ((Int) -> Int)? = nil, _ monitor: BuildMonitor
  ) throws(ColumnError) -> EncodedColumn {
    do throws(UnsuitableValue) {
      return try EncodedColumn(
        .attribute, name: name, pointCount: tree.pointCount, monitor
      ) { value(tree.row(atTreeIndex: $0)) }
    } catch {
      let treeRow = tree.row(atTreeIndex: error.point)
      throw error.error(column: name, row: row?(treeRow) ?? treeRow)
    }
  }
}

import Treeline

/// A column that an index keeps for each point, as it is written.
public struct IndexAttribute: Sendable {
  let name: String
  let value: @Sendable (Int) -> AttributeValue?
  private var holdsCells = false

  /// - Parameters:
  ///   - name: Name of the column.
  ///   - value: Returns the value of a point, given its row in the input from which the tree was built; nil if the
  ///     point lacks the column, which is not the same as null.
  public init(name: String, value: @escaping @Sendable (Int) -> AttributeValue?) {
    (self.name, self.value) = (name, value)
  }

  /// Returns this column for values that may be cells of text; see `IndexColumn.holdingCells(_:)`. Numbers have decimal
  /// points.
  package func holdingCells(_ holdsCells: Bool) -> IndexAttribute {
    var attribute = self
    attribute.holdsCells = holdsCells
    return attribute
  }
}

extension IndexAttribute {
  /// Returns the bytes of the column's section, as `AttributeColumn` reads them.
  ///
  /// Numbers are stored as doubles if doubles return every literal as it was written, and as text otherwise. So an
  /// index returns the same bytes as the input.
  ///
  /// - Parameter monitor: If it is cancelled, the section is useless.
  func section(for tree: ClusterTree, _ monitor: BuildMonitor) -> [UInt8] {
    do throws(UnsuitableValue) {
      return try EncodedColumn(
        .attribute, name: name, cells: holdsCells ? .point : nil, pointCount: tree.pointCount, monitor
      ) {
        value(tree.row(atTreeIndex: $0))
      }.bytes
    } catch { preconditionFailure("Any value suits an attribute: \(error)") }
  }
}

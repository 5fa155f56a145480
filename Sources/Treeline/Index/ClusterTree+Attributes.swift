extension ClusterTree {
  /// The names of the columns that the index keeps, in its order; none for a tree that was built in memory.
  public var attributeNames: [String] { storage.attributes.map(\.name) }

  /// What the values of the columns are, in the order of `attributeNames`.
  ///
  /// Of a column whose values are not all numbers the first 4,096 distinct ones say so.
  public var attributeTypes: [AttributeType] {
    defer { withExtendedLifetime(storage) {} }
    return storage.attributes.map(\.type)
  }

  /// What the index keeps of a point, given by its place in tree order: a single point's is `range.lowerBound`.
  ///
  /// Columns that the point lacks are left out, as the members that a GeoJSON feature does not have.
  ///
  /// - Precondition: `index` is in `0 ..< pointCount`.
  public func attributes(at index: Int) -> [(name: String, value: AttributeValue)] {
    defer { withExtendedLifetime(storage) {} }
    return storage.attributes.compactMap { column in
      column.value(at: index).map { (column.name, $0) }
    }
  }

  /// The row number of a point, given by its place in tree order.
  ///
  /// - Precondition: `index` is in `0 ..< pointCount`.
  public func row(at index: Int) -> Int {
    precondition(index >= 0 && index < pointCount, "Expected an index below \(pointCount), found \(index)")
    defer { withExtendedLifetime(storage) {} }
    return Int(storage.rows[index])
  }
}

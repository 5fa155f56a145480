import Treeline

extension PointTable {
  /// The value that a point has in the first column of a name; nil where it has no such column.
  public func value(ofColumn name: String, point index: Int) -> AttributeValue? {
    columns(ofPoint: index).first { $0.name == name }?.value
  }

  /// Puts names of columns into the order of the input: one in which every point has those that it has.
  ///
  /// The columns of CSV have one order. GeoJSON Features may each lack some, and only all of them together tell it: of
  /// `{"a": 1, "c": 2}` and `{"b": 3, "c": 4}` it may be `a`, `b`, `c`. What they leave open is as in `names`. Where
  /// they contradict each other, so that no order suits all, everything is as in `names`.
  ///
  /// - Parameter names: different from each other, as Swift compares strings.
  /// - Returns: Those of `names` that there are, as the input spells them.
  /// - Complexity: O(bytes of the columns + the square of the number of names)
  public func inputOrder(ofColumns names: [String]) -> [String] {
    var order = ColumnOrder(of: names)
    if let columnNames {
      order.add(columnNames)
    } else if case .features = layout {
      for point in coordinates.indices {
        order.add(records.withRecord(point) { FeatureRecord($0).columnNames })
      }
    }
    return order.names
  }
}

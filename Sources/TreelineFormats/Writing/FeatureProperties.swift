import Treeline

/// What the properties of a feature are called, in whatever format they are written.
public enum FeatureProperties {
  /// Goes through a point's columns, which follow the properties of its cluster. One that shares a name with these, or with
  /// a column before it, gets a low line at its end, so that no value hides another.
  ///
  /// - Complexity: O(columns)
  public static func forEachColumn(
    _ columns: [(name: String, value: AttributeValue)],
    _ work: (_ name: String, _ value: AttributeValue) -> Void
  ) {
    // Looked at pairwise, a handful is done before a set is made of it.
    if columns.count <= 8, areDistinct(columns) {
      for column in columns { work(column.name, column.value) }
      return
    }
    var taken = own
    // How many low lines the last column of a name has: a damaged index may have a thousand of one.
    var lines: [String: Int] = [:]
    for column in columns {
      var name = column.name
      while !taken.insert(name).inserted {
        lines[column.name, default: 0] += 1
        name = column.name + String(repeating: "_", count: lines[column.name]!)
      }
      work(name, column.value)
    }
  }

  private static func areDistinct(_ columns: [(name: String, value: AttributeValue)]) -> Bool {
    for (number, column) in columns.enumerated() {
      if own.contains(column.name) { return false }
      for other in columns[..<number] where other.name == column.name { return false }
    }
    return true
  }

  /// Those of a cluster.
  private static let own: Set<String> = [
    "cluster", "cluster_id", "point_count", "point_count_abbreviated", "stack", "ellipse", "shown_index",
    "index",
    "members",
  ]
}

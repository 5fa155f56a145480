import Treeline
import TreelineBuilder
import TreelineFormats

/// The columns that `--group-by` and `--never-cluster` name.
struct GroupColumns {
  let groupBy: String?
  let neverCluster: String?

  /// Finds the columns and reads what they tell of each point; nil where none is named.
  func groups(of table: PointTable, in input: Input) throws -> PointGroups? {
    if groupBy == nil && neverCluster == nil { return nil }
    for (option, name) in [("--group-by", groupBy), ("--never-cluster", neverCluster)] {
      guard let name, !table.coordinates.isEmpty || table.columnNames != nil, !table.hasColumn(named: name) else {
        continue
      }
      throw Failure.usage(
        "\(input.name): expected a column \(name.debugDescription), as \(option) names it, found none")
    }
    let groups = try table.coordinates.indices.map { point -> PointGroups.Group in
      let columns = table.columns(ofPoint: point)
      func value(_ name: String?) -> AttributeValue? { columns.first { $0.name == name }?.value }
      if try neverCluster != nil && isTrue(value(neverCluster), ofPoint: point, of: table, in: input) {
        return .neverClustered
      }
      return .named(groupBy == nil ? "" : Self.name(of: value(groupBy)))
    }
    do { return try PointGroups(groups) } catch {
      throw Failure.usage("\(input.name): --group-by: \(error)")
    }
  }

  /// Points without a value form a group without a name.
  private static func name(of value: AttributeValue?) -> String {
    switch value {
    case nil, .null: ""
    case .bool(let value): "\(value)"
    case .number(let text), .string(let text), .json(let text): text
    }
  }

  private func isTrue(_ value: AttributeValue?, ofPoint point: Int, of table: PointTable, in input: Input) throws
    -> Bool
  {
    switch value {
    case nil, .null: return false
    case .bool(let value): return value
    case .number("1"): return true
    case .number("0"): return false
    case .string(let text) where ["true", "yes", "t"].contains(text.lowercased()): return true
    case .string(let text) where ["false", "no", "f", ""].contains(text.lowercased()): return false
    case .number(let text), .string(let text), .json(let text):
      throw Failure.badData(
        "\(input.name), row \(table.row(ofPoint: point)): expected true, false, yes, no, 1, 0 or nothing in the column "
          + "that --never-cluster names, found \(text.debugDescription)")
    }
  }
}

/// A value of one of the input's columns.
public enum AttributeValue: Hashable, Sendable {
  /// A text.
  case string(String)
  /// A JSON number of any length, as written in the input.
  case number(String)
  /// A JSON boolean.
  case bool(Bool)
  /// JSON's null.
  case null
  /// A nested JSON object or array, as written in the input.
  case json(String)
}

/// The type of a column's values that are not null, named as in TileJSON.
package enum AttributeType: String, Hashable, Sendable {
  /// Strings, including nested objects and arrays, which are text in tiles.
  case string = "String"
  /// Numbers only.
  case number = "Number"
  /// Booleans only.
  case boolean = "Boolean"
  /// Values of several types.
  case mixed = "Mixed"
}

extension AttributeValue {
  /// The kind of a value in a dictionary of an index.
  package enum Tag: UInt8 {
    case null = 0
    case no = 1
    case yes = 2
    case number = 3
    case string = 4
    case json = 5
    /// No value, not even null: the input lacks the column for that point.
    case absent = 6
  }

  package var tag: Tag {
    switch self {
    case .string: .string
    case .number: .number
    case .bool(let value): value ? .yes : .no
    case .null: .null
    case .json: .json
    }
  }

  package var text: String {
    switch self {
    case .string(let text), .number(let text), .json(let text): text
    case .bool, .null: ""
    }
  }

  /// Makes a value from its tag and its text; nil for the tag of an absent value.
  package init?(_ tag: Tag, _ text: String) {
    switch tag {
    case .absent: return nil
    case .null: self = .null
    case .no: self = .bool(false)
    case .yes: self = .bool(true)
    case .number: self = .number(text)
    case .string: self = .string(text)
    case .json: self = .json(text)
    }
  }
}

extension ClusterTree {
  /// Returns the attributes of a point, by its index in tree order. Columns that the point lacks are left out.
  ///
  /// - Precondition: `treeIndex` is in `0 ..< pointCount`.
  package func attributes(atTreeIndex treeIndex: Int) -> [(name: String, value: AttributeValue)] {
    withStorage { storage in
      storage.columns.compactMap { column in column.value(atTreeIndex: treeIndex).map { (column.name, $0) } }
    }
  }

  /// Returns the attributes of a cluster that has only one point; an empty array for a larger cluster.
  ///
  /// - Precondition: The cluster is from an answer of this tree.
  public func attributes(of cluster: Cluster) -> [(name: String, value: AttributeValue)] {
    cluster.treeIndex.map { attributes(atTreeIndex: $0) } ?? []
  }
}

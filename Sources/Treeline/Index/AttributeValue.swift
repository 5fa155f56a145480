/// A value of one of the input's columns.
public enum AttributeValue: Hashable, Sendable {
  case string(String)
  /// A JSON number, as the input has it, of any length.
  case number(String)
  case bool(Bool)
  case null
  /// A nested JSON object or array, as the input has it.
  case json(String)
}

/// What the values of a column are, but for null, in the words of TileJSON.
public enum AttributeType: String, Hashable, Sendable {
  /// Nested objects and arrays among them, which are text in tiles.
  case string = "String"
  case number = "Number"
  case boolean = "Boolean"
  case mixed = "Mixed"
}

extension AttributeValue {
  /// How a value is told apart in a dictionary of an index.
  package enum Tag: UInt8 {
    case null = 0
    case no = 1
    case yes = 2
    case number = 3
    case string = 4
    case json = 5
    /// The point has no value, not even null: the input lacks the column there.
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

  /// Nil where the tag says that there is none.
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

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

extension AttributeValue {
  /// How a value is told apart in a dictionary of an index.
  package enum Tag: UInt8 {
    case null = 0
    case no = 1
    case yes = 2
    case number = 3
    case string = 4
    case json = 5
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

  package init(_ tag: Tag, _ text: String) {
    self =
      switch tag {
      case .null: .null
      case .no: .bool(false)
      case .yes: .bool(true)
      case .number: .number(text)
      case .string: .string(text)
      case .json: .json(text)
      }
  }
}

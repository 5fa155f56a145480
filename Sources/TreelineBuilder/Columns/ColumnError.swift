import Treeline

/// The reason why a typed column cannot be built.
public enum ColumnError: Error, Hashable, Sendable {
  /// A value does not suit the declared kind of its column. `row` is the row of the input, counted from 0.
  case unsuitableValue(column: String, row: Int, expected: String, found: String, remedy: String)
  /// Two columns have the same name.
  case nameTwice(name: String)
  /// A key path does not contain a name, which may happen with computed properties and subscripts.
  case namelessKeyPath(String)
  /// A search is prepared for a column whose values are not texts.
  case notSearchable(name: String, kind: IndexColumn.Kind)
  /// The task or the build was cancelled.
  case cancelled
}

extension ColumnError {
  /// Row of the unsuitable value; nil for any other error.
  package var row: Int? { if case .unsuitableValue(_, let row, _, _, _) = self { row } else { nil } }
}

extension ColumnError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unsuitableValue(let column, let row, let expected, let found, let remedy):
      "column \(column.debugDescription), row \(row) counted from 0: expected \(expected), found \(found); \(remedy)"
    case .nameTwice(let name): "expected columns of different names, found \(name.debugDescription) twice"
    case .namelessKeyPath(let keyPath):
      "expected a key path whose text ends with the name of a property, found \(keyPath); give the column a name, "
        + "as in .number(\\.price, name: \"price\")"
    case .notSearchable(let name, let kind):
      "column \(name.debugDescription): expected kind text or category for '+search', found \(kind.rawValue); declare "
        + "the column as text, or leave out '+search'"
    case .cancelled: "the work on columns was cancelled"
    }
  }
}

/// A value that does not suit its column. The row of its point is not known yet.
struct UnsuitableValue: Error {
  /// Number of the point in its survey.
  var point: Int
  let expected: String
  let found: String
  var remedy = "declare the column as category or text, or leave the value out"

  init(at point: Int, expected: String, found: String, remedy: String? = nil) {
    (self.point, self.expected, self.found) = (point, expected, found)
    if let remedy { self.remedy = remedy }
  }

  init(at point: Int, expected: String, found: AttributeValue, remedy: String? = nil) {
    self.init(at: point, expected: expected, found: found.briefDescription, remedy: remedy)
  }

  /// - Parameters:
  ///   - column: Name of the value's column.
  ///   - row: Row of the input, counted from 0.
  func error(column: String, row: Int) -> ColumnError {
    .unsuitableValue(column: column, row: row, expected: expected, found: found, remedy: remedy)
  }

  /// Returns the error. The error's row is the number of the point.
  func error(column: String) -> ColumnError { error(column: column, row: point) }
}

extension UnsuitableValue: BinaryCodable {
  func write(to bytes: inout PlainBytes) {
    bytes.append(UInt64(point))
    for text in [expected, found, remedy] { bytes.append(text) }
  }

  init(from bytes: inout PlainBytes) throws(PieceError) {
    let point = try bytes.read(UInt64.self)
    guard point <= StoredRows.greatest else {
      throw .damaged(what: "a value of a column", expected: "a row up to 2^53", found: "\(point)")
    }
    self.point = Int(point)
    (expected, found) = (try bytes.readText(), try bytes.readText())
    remedy = try bytes.readText()
  }
}

extension AttributeValue {
  /// Text for errors, shortened if it is long.
  @_spi(Server) public var briefDescription: String {
    return switch self {
    case .string(let text): "\"\(text.visible)\""
    case .number(let text), .json(let text): text.visible
    case .bool(let value): "\(value)"
    case .null: "null"
    }
  }
}

/// A value of a kept column.
public enum ColumnValue: Hashable, Sendable {
  case string(String)
  /// The literal as the input has it, a valid JSON number of any length.
  case number(String)
  case bool(Bool)
  case null
  /// A nested object or array, as the input has it.
  case json(String)
}

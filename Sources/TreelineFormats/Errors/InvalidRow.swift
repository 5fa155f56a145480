/// A data record without a valid position.
public struct InvalidRow: Hashable, Sendable {
  /// Number of the record in the input, counted from 0; headers and blank lines do not count.
  public let row: Int
  /// The line of the input on which the record starts, counted from 1.
  public let line: Int
  /// What part of the record is wrong, as in `column "latitude" (2)` or `feature 18, geometry`.
  public let place: String
  /// The column's name, where there is a header and one column is to blame.
  public let columnName: String?
  /// The column's position counted from 1, where one column is to blame.
  public let columnNumber: Int?
  public let expected: String
  public let found: String

  init(
    row: Int, line: Int, place: String, columnName: String? = nil, columnNumber: Int? = nil, expected: String,
    found: String
  ) {
    self.row = row
    self.line = line
    self.place = place
    self.columnName = columnName
    self.columnNumber = columnNumber
    self.expected = expected
    self.found = found
  }
}

extension InvalidRow: CustomStringConvertible {
  /// For example `18: column "latitude" (2): expected a latitude from -90 to 90, found "91.5"`; a file's name goes before.
  public var description: String { "\(line): \(place): expected \(expected), found \(found)" }
}

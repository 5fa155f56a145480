/// The reason why a tree cannot apply a filter.
public enum FilterError: Error, Hashable, Sendable {
  /// The filter names a column that the tree does not have.
  @_spi(Server) case unknownColumn(name: String, known: [String])
  /// A condition does not suit the kind of its column.
  @_spi(Server) case unsuited(column: String, kind: Column.Kind, expected: String, found: String)
  /// The column has more text than LIKE may search.
  @_spi(Server) case tooMuchText(column: String, bytes: Int, maximum: Int)
  /// A box or a polygon is not valid.
  @_spi(Server) case noArea(expected: String, found: String)
  /// The work was cancelled on request.
  @_spi(Server) case cancelled
}

extension FilterError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownColumn(let name, let known):
      "there is no column \"\(name.visible)\""
        + (known.isEmpty ? "; the tree has no columns: build it with columns" : known.alternatives(to: name))
    case .unsuited(let column, let kind, let expected, let found):
      "the column \(column.debugDescription) is of kind \(kind.rawValue): expected \(expected), found \(found)"
    case .tooMuchText(let column, let bytes, let maximum):
      "the distinct texts of the column \(column.debugDescription) have \(bytes) bytes in total, but LIKE searches "
        + "at most \(maximum) bytes; compare whole texts with '=' instead, or use a column of categories"
    case .noArea(let expected, let found): "expected \(expected), found \(found)"
    case .cancelled: "the filter was cancelled before it was prepared"
    }
  }
}

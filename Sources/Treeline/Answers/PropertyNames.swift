/// Finds the name of the column that contains a property of a map's values.
///
/// Key paths never change, so several threads may read them. The attribute `@unchecked` is needed because the standard
/// library does not declare the type `AnyKeyPath` as `Sendable`.
package struct PropertyNames: @unchecked Sendable {
  /// The name of each column by its key path, for a map that was built with columns; nil if the map was made on an
  /// existing tree.
  private let built: [AnyKeyPath: String]?
  private let known: [String]

  /// Makes the names for a map on an existing tree. The column of a property is the column with the same name.
  init(of tree: ClusterTree) { (built, known) = (nil, tree.columns.map(\.name)) }

  /// Makes the names for a map that is built with columns. A property is found by its key path.
  package init(_ columns: [(keyPath: AnyKeyPath, name: String)]) {
    built = Dictionary(columns.map { ($0.keyPath, $0.name) }) { first, _ in first }
    known = columns.map(\.name)
  }

  func name(of property: AnyKeyPath) throws(QueryError) -> String {
    let name = built.map { $0[property] } ?? Self.lastProperty(of: property).flatMap { known.contains($0) ? $0 : nil }
    guard let name else { throw .unknownProperty(keyPath: "\(property)", columns: known) }
    return name
  }

  /// Returns the name of the last property: `price` for `\Hotel.price`, `\Hotel.offer.price` and `\Hotel.offer?.price`;
  /// nil if the text of the key path does not contain this name.
  package static func lastProperty(of keyPath: AnyKeyPath) -> String? {
    let text = "\(keyPath)"
    guard let point = text.lastIndex(of: ".") else { return nil }
    var name = text[text.index(after: point)...]
    while let last = name.last, last == "?" || last == "!" { name.removeLast() }
    guard let first = name.first, first.isLetter || first == "_",
      name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
    else { return nil }
    return String(name)
  }
}

/// A point whose text matches a search.
public struct SearchHit: Hashable, Sendable {
  /// The point's index in tree order.
  package let treeIndex: Int
  /// The whole text of the point in the searched column.
  public let text: String
}

extension ClusterTree {
  /// Names of the columns that `search` can search: columns of texts or categories that were prepared for a search.
  @_spi(Server) public var searchableColumns: [String] { columns.filter { $0.search != nil }.map(\.name) }

  /// Searches a column for `text`. Returns the points whose text in the column contains `text` at the beginning of a
  /// word. The points whose whole text begins with `text` come first. Case, accents and punctuation do not matter:
  /// `saint den` finds `Saint-Denis`.
  ///
  /// Points whose whole text begins with `text` are in alphabetical order, so `Paris` comes before `Paris 10e`. Points
  /// with equal texts are in tree order. Points that contain `text` only at the beginning of a later word come last,
  /// sorted by their text from this word on. The filter of the tree has no effect. The page about the index format
  /// says which words of a point's text are searched, and which characters count as equal.
  ///
  /// ```swift
  /// for hit in try map.tree.search("ritz", in: "name", limit: 5) { print(hit.text) }
  /// ```
  ///
  /// - Parameters:
  ///   - text: The text to look for. If it contains no letters, digits or symbols, no points are found.
  ///   - column: Name of a column; nil for the first searchable column.
  ///   - limit: Greatest number of points.
  /// - Throws: `SearchError` if there is no such column, or if it was not prepared.
  /// - Complexity: O(log(texts)^2 + limit x (log(points) + words of a text))
  public func search(_ text: String, in column: String? = nil, limit: Int = 10) throws -> [SearchHit] {
    let column = try searchable(column)
    return withStorage { _ in column.search(text, limit: limit) }
  }

  private func searchable(_ name: String?) throws(SearchError) -> Column {
    guard let name else {
      guard let column = columns.first(where: { $0.search != nil }) else { throw .noSearch }
      return column
    }
    guard let column = column(name) else { throw .unknownColumn(name: name, known: columns.map(\.name)) }
    guard column.search != nil else { throw .notPrepared(column: name, known: searchableColumns) }
    return column
  }
}

extension Column {
  /// Returns the points that `ClusterTree.search(_:in:limit:)` finds; an empty array if the column was not prepared.
  ///
  /// - Precondition: The bytes of the column's sections are valid during the call.
  func search(_ text: String, limit: Int) -> [SearchHit] {
    let beginning = FoldedText.characters(of: text)
    guard !beginning.isEmpty, limit > 0, let search, case .entries(let entries) = values else { return [] }
    var hits: [SearchHit] = []
    search.forEachEntry(of: entries.dictionary, from: beginning) { entry in
      let found = entries.dictionary.value(ofEntry: entry)?.text ?? ""
      for index in search.indices(ofEntry: entry, in: self, limit: limit - hits.count) {
        hits.append(SearchHit(treeIndex: index, text: found))
      }
      return hits.count < limit
    }
    return hits
  }
}

/// The reason why a tree cannot be searched.
public enum SearchError: Error, Hashable, Sendable {
  /// The tree has no column of that name.
  @_spi(Server) case unknownColumn(name: String, known: [String])
  /// The column was not prepared for a search. `known` has the names of the prepared columns.
  @_spi(Server) case notPrepared(column: String, known: [String])
  /// No column was prepared for a search.
  @_spi(Server) case noSearch
}

extension SearchError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownColumn(let name, let known): "\(FilterError.unknownColumn(name: name, known: known))"
    case .notPrepared(let column, let known):
      "the column \(column.debugDescription) was not prepared for a search; build the index with '+search' after "
        + "the column's name (in Swift: '.prepared(for: .search)')"
        + (known.isEmpty ? "" : ", or search " + known.map(\.debugDescription).listed("or"))
    case .noSearch:
      "no column was prepared for a search; build the index with '--search' and the name of a column of texts "
        + "(in Swift: '.text(…).prepared(for: .search)')"
    }
  }
}

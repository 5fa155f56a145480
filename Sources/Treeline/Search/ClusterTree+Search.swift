/// A point whose text matches a search.
public struct SearchHit: Hashable, Sendable {
  /// The point's index in tree order.
  public let treeIndex: Int
  /// The whole text of the point in the searched column.
  public let text: String
}

extension ClusterTree {
  /// Names of the columns that `search` can search: columns of texts or categories that were prepared for it.
  public var searchableColumns: [String] { columns.filter { $0.search != nil }.map(\.name) }

  /// Returns the points whose text in a column begins with the searched text, and then the points that have a word with
  /// this beginning. Case, accents and punctuation do not matter: `saint den` finds `Saint-Denis`.
  ///
  /// Points whose whole text begins with the searched text are in alphabetical order; so `Paris` comes before `Paris
  /// 10e`. Points with equal texts are in tree order. The other points are in the order of their texts from the word
  /// that was found. A filter has no effect. The page about the index format says which words are listed, and which
  /// characters count as equal.
  ///
  /// ```swift
  /// for hit in try map.tree.search("ritz", in: "name", limit: 5) { print(hit.text) }
  /// ```
  ///
  /// - Parameters:
  ///   - text: The searched text. A text without letters, digits or symbols finds nothing.
  ///   - column: Name of a column; nil for the first searchable column.
  ///   - limit: Greatest number of points.
  /// - Throws: `SearchError` if there is no such column, or if it was not prepared.
  /// - Complexity: O(log(texts)^2 + limit x (log(points) + words of a text))
  public func search(_ text: String, in column: String? = nil, limit: Int = 10) throws(SearchError) -> [SearchHit] {
    let (column, search) = try searchable(column)
    let beginning = FoldedText.characters(of: text)
    guard !beginning.isEmpty, limit > 0, case .entries(let entries) = column.values else { return [] }
    return withStorage { _ in
      var hits: [SearchHit] = []
      search.forEachEntry(of: entries.dictionary, from: beginning) { entry in
        let found = entries.dictionary.value(ofEntry: entry)?.text ?? ""
        for index in search.indices(ofEntry: entry, in: column, limit: limit - hits.count) {
          hits.append(SearchHit(treeIndex: index, text: found))
        }
        return hits.count < limit
      }
      return hits
    }
  }

  private func searchable(_ name: String?) throws(SearchError) -> (Column, ColumnSearch) {
    guard let name else {
      for column in columns { if let search = column.search { return (column, search) } }
      throw .noSearch
    }
    guard let column = column(name) else { throw .unknownColumn(name: name, known: columns.map(\.name)) }
    guard let search = column.search else { throw .notPrepared(column: name, known: searchableColumns) }
    return (column, search)
  }
}

/// The reason why a tree cannot be searched.
public enum SearchError: Error, Hashable, Sendable {
  /// The tree has no column of that name.
  case unknownColumn(name: String, known: [String])
  /// The column was not prepared for a search. The names of the prepared columns follow.
  case notPrepared(column: String, known: [String])
  /// No column was prepared for a search.
  case noSearch
}

extension SearchError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownColumn(let name, let known): "\(FilterError.unknownColumn(name: name, known: known))"
    case .notPrepared(let column, let known):
      "the column \(column.debugDescription) was not prepared for a search; build the index with '+search' after its "
        + "name" + (known.isEmpty ? "" : ", or search " + known.map(\.debugDescription).listed("or"))
    case .noSearch:
      "no column was prepared for a search; build the index with '--search' and the name of a column of texts"
    }
  }
}

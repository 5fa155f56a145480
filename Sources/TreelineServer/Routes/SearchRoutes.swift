@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// `/v1/{index}/search`.
enum SearchRoutes {
  /// Maximum number of points in an answer.
  static let mostPoints = 100

  /// Returns the points whose text begins with the requested text, or contains a word that begins with the requested
  /// text.
  static func search(_ request: inout IndexRequestContext) -> Representation {
    let (index, tree) = (request.index, request.tree)
    let (text, column) = (request.parameters.text("text"), request.parameters.text("column"))
    if text == nil { request.parameters.refuse("text", expected: "the beginning of a word", found: nil) }
    let limit = request.parameters.integer("limit", in: 1...mostPoints) ?? 10
    return Representation(ContentType.geoJSON, cost: 50 + 4 * limit) { bytes in
      let hits: [SearchHit]
      do { hits = try tree.search(text!, in: column, limit: limit) } catch is SearchError {
        let names = tree.searchableColumns
        throw Problem.invalid(
          "column",
          expected: names.isEmpty
            ? "an index built with --search"
            : "one of the columns \(names.joined(separator: ", "))",
          found: column)
      }
      index.features.open(&bytes)
      try index.features.append(hits, to: &bytes) { try ClusterFeature(ofSinglePointAt: $0.index.rawValue, of: tree) }
    }
  }
}

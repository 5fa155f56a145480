@_spi(Server) import TreelineFormats

/// What an answer consists of: its media type, and what writes it once it turns out to be needed.
struct Answer: Sendable {
  let type: String
  /// Whether writing it may take so long that an event loop is better left to others.
  let isDear: Bool
  let write: @Sendable (inout OutputBytes) throws -> Void

  init(_ type: String, isDear: Bool = false, write: @escaping @Sendable (inout OutputBytes) throws -> Void) {
    self.type = type
    self.isDear = isDear
    self.write = write
  }

  static let json = "application/json"
  static let geoJSON = "application/geo+json"
  static let problem = "application/problem+json"
  static let vectorTile = "application/vnd.mapbox-vector-tile"
}

/// How long what is answered may be used, and by whom it is told from what is answered later.
struct Freshness: Sendable {
  /// Without quotation marks; nil for what is new each time.
  let tag: String?
  let cacheControl: String
}

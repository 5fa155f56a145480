/// The media types of the viewer's files, by their extensions.
enum MediaTypes {
  static func type(ofPath path: String) -> String {
    guard let dot = path.lastIndex(of: ".") else { return unknown }
    return byExtension[path[path.index(after: dot)...].lowercased()] ?? unknown
  }

  /// Whether compression makes it smaller.
  static func isText(_ type: String) -> Bool {
    type.hasPrefix("text/") || type.hasPrefix("application/json") || type.hasPrefix("application/geo+json")
      || type == "image/svg+xml"
  }

  private static let unknown = "application/octet-stream"

  private static let byExtension = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "mjs": "text/javascript; charset=utf-8",
    "json": "application/json", "geojson": "application/geo+json", "webmanifest": "application/manifest+json",
    "map": "application/json", "svg": "image/svg+xml", "png": "image/png", "ico": "image/x-icon",
    "webp": "image/webp", "jpg": "image/jpeg", "woff2": "font/woff2", "txt": "text/plain; charset=utf-8",
    "pbf": "application/x-protobuf",
  ]
}

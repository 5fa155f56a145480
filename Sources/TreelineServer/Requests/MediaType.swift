import HTTPTypes

extension HTTPRequest {
  /// The media type of the body in lower case, without parameters; nil if the head names no type, or if it names a
  /// character encoding other than UTF-8 and its subset ASCII.
  var mediaType: String? {
    let parts = headerFields[.contentType]?.split(separator: ";").map { part in
      part.lowercased().filter { !" \t\"".contains($0) }
    }
    guard let parts, let type = parts.first else { return nil }
    let encodings = parts.dropFirst().filter { $0.hasPrefix("charset=") }
    return encodings.allSatisfy { ["utf-8", "utf8", "us-ascii"].contains($0.dropFirst("charset=".count)) } ? type : nil
  }
}

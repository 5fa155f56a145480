import HTTPTypes
import Hummingbird
import NIOCore
import TreelineFormats

/// What an answer consists of: its media type, and what writes it once it turns out to be needed.
struct Answer {
  let type: String
  let write: (inout OutputBytes) throws -> Void

  init(_ type: String, write: @escaping (inout OutputBytes) throws -> Void) {
    self.type = type
    self.write = write
  }

  static let json = "application/json"
  static let geoJSON = "application/geo+json"
  static let problem = "application/problem+json"
  static let vectorTile = "application/vnd.mapbox-vector-tile"
}

/// How long what is answered may be used, and by whom it is told from what is answered later.
struct Freshness {
  /// Without quotation marks; nil for what is new each time.
  let tag: String?
  let cacheControl: String
}

extension Request {
  /// The response that carries an answer: 304 where the client has it already, compressed where that is taken and worth it.
  func response(_ answer: Answer, _ freshness: Freshness, status: HTTPResponse.Status = .ok) throws
    -> Response
  {
    let isCompressed = acceptsGzip
    var headers = HTTPFields()
    headers.reserveCapacity(8)
    headers[.vary] = "Accept-Encoding"
    headers[.cacheControl] = freshness.cacheControl
    if let tag = freshness.tag {
      headers[.eTag] = isCompressed ? "\"\(tag)-gzip\"" : "\"\(tag)\""
      if names(tag: tag) { return Response(status: .notModified, headers: headers) }
    }
    headers[.contentType] = answer.type
    var bytes = OutputBytes(capacity: 1 << 15)
    try answer.write(&bytes)
    let body = bytes.withBytes { bytes in
      guard isCompressed, bytes.count >= Gzip.leastLength else { return ByteBuffer(bytes: bytes) }
      headers[.contentEncoding] = "gzip"
      return ByteBuffer(bytes: Gzip.compressed(bytes))
    }
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
  }

  /// Whether `If-None-Match` names a tag (RFC 9110, section 13.1.2), compressed or not.
  func names(tag: String) -> Bool {
    guard let known = headers[.ifNoneMatch] else { return false }
    if known == "*" { return true }
    return known.split(separator: ",").contains { part in
      var part = part.drop { $0 == " " }
      while part.last == " " { part.removeLast() }
      if part.hasPrefix("W/") { part = part.dropFirst(2) }
      guard part.first == "\"", part.last == "\"", part.count >= 2 else { return false }
      part = part.dropFirst().dropLast()
      return part == tag[...] || (part.hasSuffix("-gzip") && part.dropLast(5) == tag[...])
    }
  }

  /// Whether `Accept-Encoding` names gzip with a weight above 0 (RFC 9110, section 12.5.3).
  var acceptsGzip: Bool {
    guard let accepted = headers[.acceptEncoding] else { return false }
    return accepted.split(separator: ",").contains { coding in
      let parts = coding.split(separator: ";").map { $0.filter { $0 != " " } }
      guard let name = parts.first?.lowercased(), name == "gzip" || name == "*" else { return false }
      guard let weight = parts.dropFirst().first(where: { $0.hasPrefix("q=") }) else { return true }
      return Double(weight.dropFirst(2)).map { $0 > 0 } ?? false
    }
  }
}

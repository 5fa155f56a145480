import HTTPTypes
import Hummingbird
import NIOCore
@_spi(Server) import TreelineFormats

/// What is sent to a client, by the router or past it.
struct Reply {
  var status: HTTPResponse.Status
  var headers: HTTPFields
  var body = ByteBuffer()

  /// As the router wants it.
  var response: Response {
    body.readableBytes == 0
      ? Response(status: status, headers: headers)
      : Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
  }
}

extension HTTPRequest {
  /// What carries an answer: 304 where the client has it already, compressed where that is taken and worth it.
  func reply(_ answer: Answer, _ freshness: Freshness) throws -> Reply {
    let isCompressed = acceptsGzip
    var headers = HTTPFields()
    headers.reserveCapacity(8)
    headers[.vary] = "Accept-Encoding"
    headers[.cacheControl] = freshness.cacheControl
    if let tag = freshness.tag {
      headers[.eTag] = isCompressed ? "\"\(tag)-gzip\"" : "\"\(tag)\""
      if names(tag: tag) { return Reply(status: .notModified, headers: headers) }
    }
    var bytes = OutputBytes(capacity: 1 << 15)
    try answer.write(&bytes)
    // Whatever there is, is known already; what there is not has failed by now.
    if headerFields[.ifNoneMatch] == "*" { return Reply(status: .notModified, headers: headers) }
    headers[.contentType] = answer.type
    let body = bytes.withBytes { bytes in
      guard isCompressed, bytes.count >= Gzip.leastLength else { return ByteBuffer(bytes: bytes) }
      headers[.contentEncoding] = "gzip"
      return ByteBuffer(bytes: Gzip.compressed(bytes))
    }
    return Reply(status: .ok, headers: headers, body: body)
  }

  /// Whether `If-None-Match` names a tag (RFC 9110, section 13.1.2), compressed or not.
  func names(tag: String) -> Bool {
    guard let known = headerFields[.ifNoneMatch] else { return false }
    return known.split(separator: ",").contains { part in
      var part = part.drop { $0 == " " || $0 == "\t" }
      while part.last == " " || part.last == "\t" { part.removeLast() }
      if part.hasPrefix("W/") { part = part.dropFirst(2) }
      guard part.first == "\"", part.last == "\"", part.count >= 2 else { return false }
      part = part.dropFirst().dropLast()
      return part == tag[...] || (part.hasSuffix("-gzip") && part.dropLast(5) == tag[...])
    }
  }

  /// Whether `Accept-Encoding` names gzip with a weight above 0 (RFC 9110, section 12.5.3).
  var acceptsGzip: Bool {
    guard let accepted = headerFields[.acceptEncoding] else { return false }
    var weights: [String: Double] = [:]
    for coding in accepted.lowercased().split(separator: ",") {
      let parts = coding.split(separator: ";").map { $0.filter { $0 != " " } }
      guard let name = parts.first else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
      weights[name] = weight.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
    }
    return weights["gzip"] ?? weights["*"] ?? 0 > 0
  }
}

import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

enum ContentType {
  static let json = "application/json"
  static let geoJSON = "application/geo+json"
  static let problem = "application/problem+json"
  static let vectorTile = "application/vnd.mapbox-vector-tile"
  static let events = "text/event-stream"
  /// Media types of a body with one JSON value per line.
  static let lines = ["application/x-ndjson", "application/ndjson"]
}

/// The content of a response: its type, and a function that writes the content on demand.
struct Representation: Sendable {
  let contentType: String
  /// Cost of writing the content, in units of `AnswerCost`.
  let cost: Int
  let write: @Sendable (inout OutputBytes) throws -> Void

  init(_ contentType: String, cost: Int = 1, write: @escaping @Sendable (inout OutputBytes) throws -> Void) {
    (self.contentType, self.cost, self.write) = (contentType, cost, write)
  }

  /// Whether writing could block an event loop for too long.
  var isExpensive: Bool { cost > AnswerCost.mostOnEventLoop }

  /// Returns a value as JSON. Frequently called routes write their JSON without this function.
  static func json(
    cost: Int = 1, _ value: @escaping @Sendable () throws -> some Encodable & SendableMetatype
  ) -> Representation {
    Representation(ContentType.json, cost: cost) { try $0.append(encoding: value()) }
  }
}

extension OutputBytes {
  /// Throws if the answer is too long, or if no client waits for the answer. Called every few hundred microseconds.
  ///
  /// - Throws: `Problem.answerTooLong`, `CancellationError`
  func check() throws {
    if isOverLimit { throw Problem.answerTooLong }
    try Cancellation.check()
  }

  /// Appends a value as JSON. The names of members get underscores, as in `point_count`. The keys of dictionaries stay
  /// as they are. The order of members is fixed, because equal entity tags promise equal bytes.
  mutating func append(encoding value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let bytes = [UInt8](try encoder.encode(value))
    bytes.withUnsafeBufferPointer { append($0) }
    append("\n")
  }
}

/// A wrapper that encodes nil as null. Without the wrapper, a member that is nil would be left out.
@propertyWrapper struct ExplicitNull<Value: Encodable & Sendable>: Encodable, Sendable {
  let wrappedValue: Value?

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

/// Caching rules of an answer: how long the answer may be reused, and the entity tag that distinguishes the answer
/// from later answers.
struct CachePolicy: Sendable {
  /// Entity tag without quotation marks; nil if the answer must not be compared with earlier answers.
  let tag: String?
  let cacheControl: String

  static let noStore = CachePolicy(tag: nil, cacheControl: "no-store")
}

/// The 64-bit hash FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo), for entity tags.
enum ContentHash {
  /// Returns the hash as sixteen hexadecimal digits.
  static func digits(of bytes: some Sequence<UInt8>) -> String { digits(of: hash(of: bytes)) }

  static func hash(of bytes: some Sequence<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }

  static func digits(of number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension ResponseBody {
  /// Sends a long body in pieces, so that other connections get a turn between two pieces. A pause follows each piece,
  /// because an event loop reads requests only when it has nothing else to do.
  fileprivate init(inPieces body: ByteBuffer) {
    let length = 1 << 16
    guard body.readableBytes > 2 * length else {
      self.init(byteBuffer: body)
      return
    }
    self.init(contentLength: body.readableBytes) { writer in
      var rest = body
      while let piece = rest.readSlice(length: min(length, rest.readableBytes)), piece.readableBytes > 0 {
        try await writer.write(piece)
        try await Task.sleep(for: .microseconds(50))
      }
      try await writer.finish(nil)
    }
  }
}

extension HTTPRequest {
  /// Responds with a representation. If writing the representation is expensive, another thread does the work, so that
  /// the event loop stays free for other requests.
  ///
  /// - Parameter context: Context of the request. Clients take turns, and this work counts as a turn of the client
  ///   that sent the request. The work ends when the connection closes.
  func response(
    with representation: Representation, _ policy: CachePolicy, on pool: AnswerPool, for context: ServerRequestContext
  ) async throws -> Response {
    // Compressing an answer takes as long as writing it.
    let cost = acceptsGzip ? 2 * representation.cost : representation.cost
    let isKnown = policy.tag.map(matches) ?? false
    if isKnown || cost <= AnswerCost.mostOnEventLoop { return try responseHere(with: representation, policy) }
    let client = context.client?.address?.network.description ?? ""
    return try await pool.run(for: client, cost: cost, on: context.channel) {
      try responseHere(with: representation, policy)
    }
  }

  /// Responds with 304 if the client already has the answer. Compresses a long answer if the client accepts gzip.
  private func responseHere(with representation: Representation, _ policy: CachePolicy) throws -> Response {
    let isCompressed = acceptsGzip
    var headers = HTTPFields()
    headers.reserveCapacity(8)
    headers.append(HTTPField(name: .vary, value: "Accept-Encoding"))
    headers.append(HTTPField(name: .cacheControl, value: policy.cacheControl))
    if let tag = policy.tag {
      headers.append(HTTPField(name: .eTag, value: isCompressed ? "\"\(tag)-gzip\"" : "\"\(tag)\""))
      if matches(tag: tag) { return Response(status: .notModified, headers: headers) }
    }
    var bytes = OutputBytes(capacity: 1 << 15, limit: Problem.longestAnswer)
    try representation.write(&bytes)
    try bytes.check()
    // `*` matches any existing answer. Here an answer exists; otherwise an error would have been thrown before.
    if headerFields[.ifNoneMatch] == "*" { return Response(status: .notModified, headers: headers) }
    headers.append(HTTPField(name: .contentType, value: representation.contentType))
    let body = try bytes.withBytes { bytes in
      guard isCompressed, bytes.count >= Gzip.leastLength else { return ByteBuffer(bytes: bytes) }
      headers.append(HTTPField(name: .contentEncoding, value: "gzip"))
      return ByteBuffer(bytes: try Gzip.compressed(bytes, check: Cancellation.check))
    }
    return Response(status: .ok, headers: headers, body: ResponseBody(inPieces: body))
  }

  /// Returns whether `If-None-Match` contains a tag, with or without the suffix of compressed answers (RFC 9110,
  /// section 13.1.2).
  func matches(tag: String) -> Bool {
    guard let known = headerFields[.ifNoneMatch] else { return false }
    return known.split(separator: ",").contains { part in
      var part = part.drop { $0 == " " || $0 == "\t" }
      while part.last == " " || part.last == "\t" { part.removeLast() }
      if part.hasPrefix("W/") { part = part.dropFirst(2) }
      return part == "\"\(tag)\"" || part == "\"\(tag)-gzip\""
    }
  }

  /// Whether `Accept-Encoding` allows gzip with a weight above 0 (RFC 9110, section 12.5.3).
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

import HTTPTypes
import Hummingbird
import NIOCore
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// `PATCH /v1/{index}/points` for live indexes, and `/v1/{index}/events` for all indexes.
struct LiveRoutes {
  let catalog: Catalog
  let options: ServerOptions
  let pool: AnswerPool

  /// Maximum duration of a stream of events, in seconds. A stream must end before the time limits of its connection are
  /// reached. The client connects again when a stream ends.
  private static let longestStream = 45

  @Sendable func change(_ request: Request, _ context: Routes.Context) async throws -> Response {
    let live = try index(context)
    guard options.writeToken != nil else {
      throw Problem(
        status: .forbidden, detail: "The server was started without a token for changes, so it refuses all changes.")
    }
    try refuseParameters(of: request)
    guard let id = request.headers[.idempotencyKey], 1...LiveBatch.longestID ~= id.utf8.count,
      id.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
    else {
      throw Problem.invalid(
        "Idempotency-Key",
        expected: "1 to \(LiveBatch.longestID) visible ASCII characters, different for each batch of changes",
        found: request.headers[.idempotencyKey].map { String($0.prefix(100)) })
    }
    guard let type = request.head.mediaType, ContentType.lines.contains(type) else {
      throw Problem(
        status: .unsupportedMediaType,
        detail: "The body must be lines of JSON in UTF-8, sent as \(ContentType.lines[0]).")
    }
    let length = request.headers[.contentLength].flatMap { Int($0) } ?? RequestBodyLimit.batchLength
    let answer = try await live.apply(id: id, length: min(max(length, 0), RequestBodyLimit.batchLength)) {
      Array(try await request.boundedBody().readableBytesView)
    }
    return try await request.head.response(with: .json { answer }, .noStore, on: pool, for: context)
  }

  @Sendable func events(_ request: Request, _ context: Routes.Context) async throws -> Response {
    guard let versions = catalog.versions(of: context.parameters.get("index") ?? "") else { throw Self.noIndex }
    try refuseParameters(of: request)
    let known = request.headers[.lastEventID]
    let time = Duration.seconds(min(Self.longestStream, max(options.responseSeconds * 3 / 4, 1)))
    // A write to a closed connection fails, but the next version may come much later.
    let closed = context.channel.closeFuture
    let body = ResponseBody { writer in
      // Sends an empty comment, so that the client sees the head of the answer at once.
      try await writer.write(ByteBuffer(string: "retry: 1000\n:\n\n"))
      var last = known
      for await index in versions.stream(for: time, orUntil: closed) where index.version != last {
        last = index.version
        try await writer.write(try Self.event(index))
      }
      try await writer.finish(nil)
    }
    return Response(
      status: .ok, headers: [.contentType: ContentType.events, .cacheControl: "no-store"], body: body)
  }

  /// An event (HTML Standard, section 9.2).
  private static func event(_ index: ServedIndex) throws -> ByteBuffer {
    struct Data: Encodable {
      let version: String
      let sequence: UInt64?
      let pointCount: Int
    }
    var bytes = OutputBytes()
    bytes.append(text: "event: version\nid: \(index.version)\ndata: ")
    try bytes.append(
      encoding: Data(version: index.version, sequence: index.sequence, pointCount: index.tree.pointCount))
    bytes.append("\n")
    return bytes.withBytes { ByteBuffer(bytes: $0) }
  }

  private func index(_ context: Routes.Context) throws -> LiveIndex {
    let name = context.parameters.get("index") ?? ""
    if let live = catalog.live(name) { return live }
    throw catalog[name] == nil ? Self.noIndex : Problem.notFound("The index is not live; it was served without --live.")
  }

  private static var noIndex: Problem { .notFound("There is no index with this name; /v1/indexes lists all names.") }

  private func refuseParameters(of request: Request) throws {
    var parameters = try QueryParameters(url: request.uri.query.map { $0[...] })
    try parameters.finish()
  }
}

extension HTTPField.Name {
  static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
  static let lastEventID = HTTPField.Name("Last-Event-ID")!
}

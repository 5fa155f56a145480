import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
@_spi(Server) import TreelineFormats

/// The routes and what they lead to; `openapi.json` tells them to clients.
struct Routes {
  typealias Context = BasicRequestContext
  typealias Handler = @Sendable (Request, Context) async throws -> Response

  let catalog: Catalog
  let options: ServerOptions
  let ledger: Ledger
  let assets: Assets
  let document: [UInt8]

  func router() -> Router<Context> {
    let router = Router(context: Context.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: RequestGuard(ledger: ledger))

    add("/", to: router) { request, _ in
      try assets.reply(to: request.head, path: "index.html").response
    }
    add("/viewer/**", to: router) { request, context in
      let path = context.parameters.getCatchAll().joined(separator: "/")
      return try assets.reply(
        to: request.head, path: QueryParameters.decoded(path[...].utf8, plusIsSpace: false)
      ).response
    }
    add("/openapi.json", to: router) { request, _ in
      try request.head.reply(
        Answer(Answer.json) { bytes in document.withUnsafeBufferPointer { bytes.append($0) } },
        Freshness(tag: documentTag, cacheControl: "no-cache")
      ).response
    }
    add("/health", to: router) { request, _ in
      let count = catalog.names.count
      return try request.head.reply(
        Answer(Answer.json) { bytes in
          bytes.append("{\"status\":\"ok\",\"indexes\":")
          bytes.append(count)
          bytes.append("}\n")
        }, Freshness(tag: nil, cacheControl: "no-store")
      ).response
    }
    add("/metrics", to: router) { request, _ in
      let text = ledger.metrics.text(openIndexes: catalog.names.count)
      return try request.head.reply(
        Answer("text/plain; version=0.0.4; charset=utf-8") { $0.append(text: text) },
        Freshness(tag: nil, cacheControl: "no-store")
      ).response
    }
    add("/v1/indexes", to: router) { request, _ in
      var parameters = QueryParameters(request.uri.query.map { $0[...] })
      try parameters.finish()
      let indexes = catalog.indexes
      let versions = QuestionHash.digits(
        of: indexes.map { $0.name + "/" + $0.version }.joined(separator: " ").utf8)
      return try request.head.reply(
        IndexRoutes.all(indexes), Freshness(tag: versions, cacheControl: options.cacheControl)
      ).response
    }

    for route in IndexRoute.all {
      let post: Handler? = route.path == Self.transition ? transition : nil
      add(RouterPath(route.path), to: router, answering(route), post: post)
    }
    return router
  }

  private var documentTag: String { QuestionHash.digits(of: document) }

  /// A route, and for every other method what says that it is none of its.
  private func add(
    _ path: RouterPath, to router: Router<Context>, _ get: @escaping Handler, post: Handler? = nil
  ) {
    router.get(path, use: get)
    if let post { router.post(path, use: post) }
    let allowed = post == nil ? "GET, HEAD" : "GET, HEAD, POST"
    let others: [HTTPRequest.Method] = [.put, .delete, .patch, .options, .trace, .connect]
    for method in others + (post == nil ? [.post] : []) {
      router.on(path, method: method) { _, _ -> Response in
        throw Problem(
          status: .methodNotAllowed, detail: "Allowed here: \(allowed).", headers: [.allow: allowed])
      }
    }
  }

  private func answering(_ route: IndexRoute) -> Handler {
    { request, context in
      let question = try question(
        request.head, route, pathParameters(context), query: request.uri.query.map { $0[...] })
      return try await question.reply().response
    }
  }

  private func pathParameters(_ context: Context) -> PathParameters {
    PathParameters(context.parameters.map { (name: $0.key, value: $0.value) })
  }

  /// - Throws: whatever the client is to be told.
  func question(
    _ request: HTTPRequest, _ route: IndexRoute, _ path: PathParameters, query: Substring?
  ) throws -> Question {
    var asked = try Asked(path, query: query, root: root(of: request), of: catalog)
    let answer = try route.ask(&asked)
    try asked.parameters.finish()
    let host = route.isByHost ? asked.root ?? "" : ""
    let tag = asked.index.version + "-" + QuestionHash.digits(of: ((request.path ?? "") + host).utf8)
    return Question(
      request: request, answer: answer, freshness: Freshness(tag: tag, cacheControl: options.cacheControl))
  }

  private func transition(_ request: Request, _ context: Context) async throws -> Response {
    var asked = try Asked(
      pathParameters(context), query: request.uri.query.map { $0[...] }, root: nil, of: catalog)
    let type = request.headers[.contentType]?.split(separator: ";").first?.lowercased().filter { $0 != " " }
    guard type == Answer.json else {
      throw Problem(status: .unsupportedMediaType, detail: "The body must be \(Answer.json).")
    }
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > Self.longestBody,
      request.headers[.expect] != nil
    {
      throw Self.bodyTooLong
    }
    var request = request
    let body = try await body(of: &request)
    let answer = try body.withUnsafeReadableBytes { try TransitionRoutes.fromClusters(&asked, $0) }
    try asked.parameters.finish()
    let freshness = Freshness(tag: nil, cacheControl: "no-store")
    return try await Question(request: request.head, answer: answer, freshness: freshness).reply().response
  }

  /// The whole body, if it comes in time and is not too long.
  private func body(of request: inout Request) async throws -> ByteBuffer {
    let collecting = request
    return try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
      group.addTask {
        do {
          return try await collecting.body.collect(upTo: Self.longestBody)
        } catch is NIOTooManyBytesError {
          throw Self.bodyTooLong
        }
      }
      group.addTask {
        try await Task.sleep(for: Self.bodyTime)
        throw Problem(
          status: .requestTimeout, detail: "The body must come within \(Self.bodyTime).")
      }
      defer { group.cancelAll() }
      return try await group.next()!
    }
  }

  private static var bodyTooLong: Problem {
    Problem(status: .contentTooLarge, detail: "The body must be at most \(longestBody) bytes.")
  }

  private static let transition = "/v1/{index}/transition"
  static let longestBody = 256 << 10
  static let bodyTime = Duration.seconds(10)

  /// The server's address as the client knows it; nil where that does not tell.
  private func root(of request: HTTPRequest) -> String? {
    options.publicURL ?? request.authority.map { "http://\($0)" }
  }
}

import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import TreelineFormats

/// The routes and what they lead to; `openapi.json` tells them to clients.
struct Routes {
  typealias Context = BasicRequestContext
  typealias Handler = @Sendable (Request, Context) async throws -> Response

  let catalog: Catalog
  let options: ServerOptions
  let metrics: ServerMetrics
  let logger: Logger
  let assets: Assets
  let document: [UInt8]

  func router() -> Router<Context> {
    let router = Router(context: Context.self, options: .autoGenerateHeadEndpoints)
    if let origin = options.allowedOrigin {
      router.add(
        middleware: CORSMiddleware(
          allowOrigin: origin == "*" ? .all : .custom(origin),
          allowHeaders: [.accept, .contentType, .ifNoneMatch], allowMethods: [.get, .head, .post, .options],
          exposedHeaders: ["ETag"], maxAge: .hours(1)))
    }
    router.add(middleware: RequestGuard(metrics: metrics, logger: logger))

    add("/", to: router) { request, _ in try assets.response(to: request, path: "index.html") }
    add("/viewer/**", to: router) { request, context in
      let path = context.parameters.getCatchAll().joined(separator: "/")
      return try assets.response(
        to: request, path: QueryParameters.decoded(path[...].utf8, plusIsSpace: false))
    }
    add("/openapi.json", to: router) { request, _ in
      try request.response(
        Answer(Answer.json) { bytes in document.withUnsafeBufferPointer { bytes.append($0) } },
        Freshness(tag: documentTag, cacheControl: "no-cache"))
    }
    add("/health", to: router) { request, _ in
      let count = catalog.names.count
      return try request.response(
        Answer(Answer.json) { bytes in
          bytes.append("{\"status\":\"ok\",\"indexes\":")
          bytes.append(count)
          bytes.append("}\n")
        }, Freshness(tag: nil, cacheControl: "no-store"))
    }
    add("/metrics", to: router) { request, _ in
      let text = metrics.text(openIndexes: catalog.names.count)
      return try request.response(
        Answer("text/plain; version=0.0.4; charset=utf-8") { $0.append(text: text) },
        Freshness(tag: nil, cacheControl: "no-store"))
    }
    add("/v1/indexes", to: router) { request, _ in
      var parameters = QueryParameters(request.uri.query)
      try parameters.finish()
      let indexes = catalog.indexes
      let versions = QuestionHash.digits(
        of: indexes.map { $0.name + "/" + $0.version }.joined(separator: " ").utf8)
      return try request.response(
        IndexRoutes.all(indexes), Freshness(tag: versions, cacheControl: options.cacheControl))
    }

    add("/v1/{index}", to: router, answering { asked, _ in IndexRoutes.index(&asked) })
    add("/v1/{index}/clusters", to: router, answering { asked, _ in ClusterRoutes.clusters(&asked) })
    add("/v1/{index}/clusters/{id}", to: router, answering { asked, _ in try ClusterRoutes.cluster(&asked) })
    add(
      "/v1/{index}/clusters/{id}/members", to: router,
      answering { asked, _ in try ClusterRoutes.members(&asked) })
    add(
      "/v1/{index}/clusters/{id}/children", to: router,
      answering { asked, _ in try ClusterRoutes.children(&asked) })
    add(
      "/v1/{index}/clusters/{id}/parent", to: router,
      answering { asked, _ in try ClusterRoutes.parent(&asked) })
    add(
      "/v1/{index}/clusters/{id}/expansion-zoom", to: router,
      answering { asked, _ in try ClusterRoutes.expansionZoom(&asked) })
    add("/v1/{index}/where-is", to: router, answering { asked, _ in try ClusterRoutes.whereIs(&asked) })
    add("/v1/{index}/measures", to: router, answering { asked, _ in MeasureRoutes.measures(&asked) })
    add(
      "/v1/{index}/transition", to: router, answering { asked, _ in TransitionRoutes.betweenViews(&asked) },
      post: { request, context in try await transition(request, context) })
    add(
      "/v1/{index}/tiles.json", to: router,
      answering(isByHost: true) { asked, request in
        try TileRoutes.tileJSON(&asked, request, at: root(of: request))
      })
    add(
      "/v1/{index}/tiles/{z}/{x}/{y}.mvt", to: router, answering { asked, _ in try TileRoutes.tile(&asked) })
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

  /// What answers a question about an index, and is the same as long as the index is.
  ///
  /// - Parameter isByHost: whether the answer names the server as the client does.
  private func answering(
    isByHost: Bool = false, _ ask: @escaping @Sendable (inout Asked, Request) throws -> Answer
  ) -> Handler {
    { request, context in
      var asked = try Asked(request, context, of: catalog)
      let answer = try ask(&asked, request)
      try asked.parameters.finish()
      let host = isByHost ? root(of: request) ?? "" : ""
      let tag = asked.index.version + "-" + QuestionHash.digits(of: (request.uri.string + host).utf8)
      return try request.response(
        answer, Freshness(tag: tag, cacheControl: options.cacheControl))
    }
  }

  private func transition(_ request: Request, _ context: Context) async throws -> Response {
    var asked = try Asked(request, context, of: catalog)
    let type = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
    guard type == Answer.json else {
      throw Problem(status: .unsupportedMediaType, detail: "The body must be \(Answer.json).")
    }
    var request = request
    let body = try await body(of: &request)
    let answer = try body.withUnsafeReadableBytes { try TransitionRoutes.fromClusters(&asked, $0) }
    try asked.parameters.finish()
    return try request.response(answer, Freshness(tag: nil, cacheControl: "no-store"))
  }

  /// The whole body, if it comes in time and is not too long.
  private func body(of request: inout Request) async throws -> ByteBuffer {
    let collecting = request
    return try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
      group.addTask {
        do {
          return try await collecting.body.collect(upTo: Self.longestBody)
        } catch is NIOTooManyBytesError {
          throw Problem(
            status: .contentTooLarge, detail: "The body must be at most \(Self.longestBody) bytes.",
            headers: [.connection: "close"])
        }
      }
      group.addTask {
        try await Task.sleep(for: Self.bodyTime)
        throw Problem(
          status: .requestTimeout, detail: "The body must come within \(Self.bodyTime).",
          headers: [.connection: "close"])
      }
      defer { group.cancelAll() }
      return try await group.next()!
    }
  }

  static let longestBody = 256 << 10
  static let bodyTime = Duration.seconds(10)

  /// The server's address as the client knows it; nil where that does not tell.
  private func root(of request: Request) -> String? {
    options.publicURL ?? request.head.authority.map { "http://\($0)" }
  }
}

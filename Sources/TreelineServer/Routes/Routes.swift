import Hummingbird
import Treeline
@_spi(Server) import TreelineFormats

/// The routes and what they lead to; `openapi.json` tells them to clients.
struct Routes {
  typealias Context = BasicRequestContext
  typealias Handler = @Sendable (Request, Context) async throws -> Response

  let catalog: Catalog
  let options: ServerOptions
  let middleware: RequestMiddleware
  let viewer: ViewerFiles
  /// The OpenAPI document.
  let document: [UInt8]

  func router() -> Router<Context> {
    let router = Router(context: Context.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: middleware)
    addServer(to: router)

    addIndexRoute("", to: router, IndexRoutes.index)
    addIndexRoute("/clusters", to: router, ClusterRoutes.clusters)
    addIndexRoute("/clusters/{id}", to: router, ClusterRoutes.cluster)
    addIndexRoute("/clusters/{id}/members", to: router, ClusterRoutes.members)
    addIndexRoute("/clusters/{id}/children", to: router, ClusterRoutes.children)
    addIndexRoute("/clusters/{id}/parent", to: router, ClusterRoutes.parent)
    addIndexRoute("/clusters/{id}/expansion-zoom", to: router, ClusterRoutes.expansionZoom)
    addIndexRoute("/where-is", to: router, ClusterRoutes.whereIs)
    addIndexRoute("/measures", to: router, MeasureRoutes.measures)
    addIndexRoute("/transition", to: router, post: transition, TransitionRoutes.betweenViews)
    addIndexRoute("/tiles.json", to: router, namesServer: true, TileRoutes.tileJSON)
    addIndexRoute("/tiles/{z}/{x}/{y}.mvt", to: router, TileRoutes.tile)
    return router
  }

  /// What is not of one index.
  private func addServer(to router: Router<Context>) {
    add("/", to: router) { request, _ in try viewer.response(to: request.head, path: "index.html") }
    add("/viewer/**", to: router) { request, context in
      let path = context.parameters.getCatchAll().joined(separator: "/")
      return try viewer.response(to: request.head, path: QueryParameters.decoded(path[...], plusIsSpace: false))
    }
    let documentPolicy = CachePolicy(tag: ContentHash.digits(of: document), cacheControl: "no-cache")
    add("/openapi.json", to: router) { request, _ in
      try await request.head.response(
        with: Representation(ContentType.json) { bytes in document.withUnsafeBufferPointer { bytes.append($0) } },
        documentPolicy)
    }
    add("/health", to: router) { request, _ in
      try await request.head.response(with: .json { Health(status: "ok", indexes: catalog.names.count) }, .noStore)
    }
    add("/metrics", to: router) { request, _ in
      let text = middleware.metrics.text(openIndexes: catalog.names.count)
      return try await request.head.response(
        with: Representation("text/plain; version=0.0.4; charset=utf-8") { $0.append(text: text) }, .noStore)
    }
    add("/v1/indexes", to: router) { request, _ in
      var parameters = QueryParameters(url: request.uri.query.map { $0[...] })
      try parameters.finish()
      let indexes = catalog.indexes
      let versions = indexes.map { $0.name + "/" + $0.tag }.joined(separator: " ")
      return try await request.head.response(
        with: IndexRoutes.all(indexes),
        CachePolicy(tag: ContentHash.digits(of: versions.utf8), cacheControl: options.cacheControl))
    }
  }

  private struct Health: Encodable {
    let status: String
    let indexes: Int
  }

  /// A route whose answers hold as long as the index is the same, and the server's address if it `namesServer`.
  private func addIndexRoute(
    _ path: String, to router: Router<Context>, namesServer: Bool = false, post: Handler? = nil,
    _ answer: @escaping @Sendable (inout IndexRequestContext) throws -> Representation
  ) {
    add(RouterPath("/v1/{index}" + path), to: router, post: post) { request, context in
      var indexRequest = try IndexRequestContext(
        request, path: context.parameters, root: options.publicURL, of: catalog)
      let representation = try answer(&indexRequest)
      try indexRequest.parameters.finish()
      let address = request.uri.string + (namesServer ? indexRequest.root ?? "" : "")
      let tag = indexRequest.index.tag + "-" + ContentHash.digits(of: address.utf8)
      return try await request.head.response(
        with: representation, CachePolicy(tag: tag, cacheControl: options.cacheControl))
    }
  }

  /// A route, and for every other method a problem that names those that are allowed.
  private func add(_ path: RouterPath, to router: Router<Context>, post: Handler? = nil, get: @escaping Handler) {
    router.get(path, use: get)
    if let post { router.post(path, use: post) }
    let allowed = post == nil ? "GET, HEAD" : "GET, HEAD, POST"
    let others: [HTTPRequest.Method] = [.put, .delete, .patch, .options, .trace, .connect]
    for method in others + (post == nil ? [.post] : []) {
      router.on(path, method: method) { _, _ -> Response in
        throw Problem(status: .methodNotAllowed, detail: "Allowed here: \(allowed).", headers: [.allow: allowed])
      }
    }
  }

  @Sendable private func transition(_ request: Request, _ context: Context) async throws -> Response {
    var indexRequest = try IndexRequestContext(request, path: context.parameters, root: nil, of: catalog)
    let type = request.headers[.contentType]?.split(separator: ";").first?.lowercased().filter { $0 != " " }
    guard type == ContentType.json else {
      throw Problem(status: .unsupportedMediaType, detail: "The body must be \(ContentType.json).")
    }
    let body = try await request.boundedBody()
    let representation = try body.withUnsafeReadableBytes { try TransitionRoutes.fromClusters(&indexRequest, $0) }
    try indexRequest.parameters.finish()
    return try await request.head.response(with: representation, .noStore)
  }
}

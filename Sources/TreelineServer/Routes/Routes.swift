import Hummingbird
import Logging
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// The routes and their handlers; `openapi.json` describes them to clients.
struct Routes {
  typealias Context = ServerRequestContext
  typealias Handler = @Sendable (Request, Context) async throws -> Response

  let catalog: Catalog
  let options: ServerOptions
  let metrics: ServerMetrics
  let bounds: ServerBounds
  let pool: AnswerPool
  let logger: Logger
  let viewer: ViewerFiles
  /// The OpenAPI document.
  let document: [UInt8]

  func router() -> Router<Context> {
    let router = Router(context: Context.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: RequestMiddleware(metrics: metrics, logger: logger, options: options))
    router.add(
      middleware: AdmissionMiddleware(
        bounds: bounds, token: options.token, writeToken: options.writeToken,
        rate: options.requestsPerSecond.map(RequestRate.init)))
    if options.hasViewer { addViewer(to: router) }
    addServer(to: router)
    addState(to: router)
    if options.managementPort == nil { addMetrics(to: router) }

    addIndexRoute("", to: router, IndexRoutes.index)
    addIndexRoute("/clusters", to: router, ClusterRoutes.clusters)
    addIndexRoute("/clusters/{id}", to: router, ClusterRoutes.cluster)
    addIndexRoute("/clusters/{id}/members", to: router, ClusterRoutes.members)
    addIndexRoute("/clusters/{id}/children", to: router, ClusterRoutes.children)
    addIndexRoute("/clusters/{id}/parent", to: router, ClusterRoutes.parent)
    addIndexRoute("/clusters/{id}/expansion-zoom", to: router, ClusterRoutes.expansionZoom)
    addIndexRoute("/where-is", to: router, ClusterRoutes.whereIs)
    addIndexRoute("/search", to: router, SearchRoutes.search)
    addIndexRoute("/measures", to: router, MeasureRoutes.measures)
    addIndexRoute("/histogram", to: router, IndexRoutes.histogram)
    addIndexRoute("/transition", to: router, post: transition, TransitionRoutes.betweenViews)
    let live = LiveRoutes(catalog: catalog, options: options, pool: pool)
    add("/v1/{index}/points", to: router, [.patch: live.change])
    add("/v1/{index}/events", to: router, get: live.events)
    addIndexRoute("/tiles.json", to: router, namesServer: true, TileRoutes.tileJSON)
    addIndexRoute("/tiles/{z}/{x}/{y}.mvt", to: router, TileRoutes.tile)
    return router
  }

  /// Returns the routes of the separate port for metrics, health and readiness.
  func managementRouter() -> Router<Context> {
    let router = Router(context: Context.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: RequestMiddleware(metrics: metrics, logger: logger, options: options))
    addState(to: router)
    addMetrics(to: router)
    return router
  }

  private func addViewer(to router: Router<Context>) {
    add("/", to: router) { request, context in try await viewerFile("index.html", request, context) }
    add("/viewer/**", to: router) { request, context in
      let path = context.parameters.getCatchAll().joined(separator: "/")
      if path == "basemap.pmtiles", let archive = options.basemapFile {
        return try await viewer.archive(at: archive, for: request.head)
      }
      guard let path = QueryParameters.decoded(path[...], plusIsSpace: false) else {
        throw Problem(status: .badRequest, detail: "The percent-encoding of the path is invalid.")
      }
      return try await viewerFile(path, request, context)
    }
  }

  /// Serves a file of the viewer. If the file has changed, a separate thread reads and compresses it.
  private func viewerFile(_ path: String, _ request: Request, _ context: Context) async throws -> Response {
    let file = if let kept = viewer.kept(at: path) { kept } else { try await viewer.load(path) }
    return try file.response(to: request.head, frameAncestors: options.frameAncestors)
  }

  /// Adds `/health`, which reports whether the server runs, and `/ready`, which reports whether it can serve all its
  /// indexes.
  private func addState(to router: Router<Context>) {
    add("/health", to: router) { request, context in
      try await respond(.json { Health(status: "ok", indexes: catalog.names.count) }, .noStore, request, context)
    }
    add("/ready", to: router) { request, context in
      let damaged = catalog.indexes.filter(\.isDamaged).map(\.name)
      guard damaged.isEmpty else {
        throw Problem(
          status: .serviceUnavailable,
          detail: "These indexes are damaged and not served: \(damaged.joined(separator: ", ")).")
      }
      return try await respond(
        .json { Health(status: "ready", indexes: catalog.names.count) }, .noStore, request, context)
    }
  }

  private func addMetrics(to router: Router<Context>) {
    add("/metrics", to: router) { request, context in
      let filters = catalog.indexes.map(\.filters.size)
      let text = metrics.text(
        .init(
          openIndexes: catalog.names.count, staleIndexes: catalog.staleNames.count, connections: bounds.connections.all,
          answersUnderWay: bounds.answersUnderWay, queueLength: pool.length, answerBytes: bounds.answerBytes,
          filters: filters.reduce(0) { $0 + $1.count }, filterBytes: filters.reduce(0) { $0 + $1.bytes },
          live: catalog.liveIndexes))
      return try await respond(
        Representation("text/plain; version=0.0.4; charset=utf-8") { $0.append(text: text) }, .noStore, request, context
      )
    }
  }

  private func respond(
    _ representation: Representation, _ policy: CachePolicy, _ request: Request, _ context: Context
  ) async throws -> Response {
    try await request.head.response(with: representation, policy, on: pool, for: context)
  }

  /// Adds the routes that do not belong to one index.
  private func addServer(to router: Router<Context>) {
    // The `type` of problems links to this page, so the page is served even if the map is not served.
    add("/docs", to: router) { request, context in try await viewerFile("docs.html", request, context) }
    if !options.hasViewer {
      for name in ["docs.css", "docs.js", "icon.svg"] {
        add("/viewer/\(name)", to: router) { request, context in try await viewerFile(name, request, context) }
      }
    }
    let documentPolicy = CachePolicy(
      tag: ContentHash.digits(of: document), cacheControl: "no-cache")
    add("/openapi.json", to: router) { request, context in
      try await respond(
        Representation(ContentType.json) { bytes in document.withUnsafeBufferPointer { bytes.append($0) } },
        documentPolicy, request, context)
    }
    add("/v1/indexes", to: router) { request, context in
      var parameters = try QueryParameters(url: request.uri.query.map { $0[...] })
      try parameters.finish()
      let indexes = catalog.indexes
      let versions = indexes.map { $0.name + "/" + $0.tag }.joined(separator: " ")
      let (style, hasBasemap) = (options.style, options.basemapFile != nil)
      return try await respond(
        IndexRoutes.all(indexes, style: style, hasBasemap: hasBasemap),
        policy(for: "\(versions) \(style ?? "") \(hasBasemap)"), request, context)
    }
  }

  /// Returns the caching rules of an answer. The entity tag depends on the server's version, because another version
  /// may write the answer in a different form.
  ///
  /// - Parameter question: All other facts on which the answer depends, as a text.
  private func policy(for question: String) -> CachePolicy {
    CachePolicy(
      tag: ContentHash.digits(of: (Release.version + " " + question).utf8), cacheControl: options.cacheControl)
  }

  private struct Health: Encodable {
    let status: String
    let indexes: Int
  }

  /// Adds a route whose answers are valid until the index changes. If `namesServer` is true, an answer contains the
  /// server's address, so the answer is valid only for that address.
  private func addIndexRoute(
    _ path: String, to router: Router<Context>, namesServer: Bool = false, post: Handler? = nil,
    _ answer: @escaping @Sendable (inout IndexRequestContext) throws -> Representation
  ) {
    add(RouterPath("/v1/{index}" + path), to: router, post: post) { request, context in
      var indexRequest = try IndexRequestContext(
        request, path: context.parameters, root: options.publicURL ?? context.client?.root, of: catalog)
      let representation = try answer(&indexRequest)
      try indexRequest.parameters.finish()
      let root = namesServer ? indexRequest.root ?? "" : ""
      let question = "\(indexRequest.index.tag) \(request.uri.string) \(root)"
      return try await respond(representation, policy(for: question), request, context)
    }
  }

  /// Adds a route. A request with a method that is not allowed gets a problem that lists the allowed methods.
  private func add(_ path: RouterPath, to router: Router<Context>, post: Handler? = nil, get: @escaping Handler) {
    add(path, to: router, post.map { [.get: get, .post: $0] } ?? [.get: get])
  }

  private func add(_ path: RouterPath, to router: Router<Context>, _ handlers: [HTTPRequest.Method: Handler]) {
    for (method, handler) in handlers { router.on(path, method: method, use: handler) }
    let own = Array(handlers.keys) + (handlers[.get] == nil ? [] : [.head])
    let allowed = own.map(\.rawValue).sorted().joined(separator: ", ")
    for method in HTTPRequest.Method.known where !own.contains(method) {
      router.on(path, method: method) { _, _ -> Response in
        throw Problem(
          status: .methodNotAllowed, detail: "This path allows only \(allowed).", headers: [.allow: allowed])
      }
    }
  }

  @Sendable private func transition(_ request: Request, _ context: Context) async throws -> Response {
    var indexRequest = try IndexRequestContext(request, path: context.parameters, root: nil, of: catalog)
    let type = request.head.mediaType
    // `text/plain` is accepted, because browsers send a body of this type to other origins without a preflight request.
    guard type == ContentType.json || type == "text/plain" else {
      throw Problem(
        status: .unsupportedMediaType,
        detail: "The body must be JSON in UTF-8, sent as \(ContentType.json) or text/plain.")
    }
    let body = try await request.boundedBody()
    let representation = try TransitionRoutes.fromClusters(&indexRequest, body)
    try indexRequest.parameters.finish()
    return try await respond(representation, .noStore, request, context)
  }
}

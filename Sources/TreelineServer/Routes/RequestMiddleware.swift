import Hummingbird
import Logging

/// Refuses URLs that are too long, converts errors to problems, and counts and logs requests. Also sends the headers
/// that allow pages of other origins to read answers.
struct RequestMiddleware: RouterMiddleware {
  typealias Context = ServerRequestContext

  let metrics: ServerMetrics
  let logger: Logger
  let options: ServerOptions

  /// Maximum total length of path and query, in bytes.
  static let longestAddress = 8192

  func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws
    -> Response
  {
    let start = ContinuousClock.now
    var context = context
    context.client = Client(
      of: request.head, from: context.peer, isSecure: options.tls != nil, trusting: options.trustedProxies)
    var response: Response
    do {
      guard request.uri.string.utf8.count <= Self.longestAddress else { throw Refusal.lineLength.problem }
      // A browser sends a preflight request to ask whether a page may send the actual request.
      let isPreflight =
        !options.allowedOrigins.isEmpty && request.method == .options && request.headers.contains(.origin)
      response = isPreflight ? preflight : try await next(request, context)
    } catch {
      let problem = Problem(of: error)
      if problem.status == .internalServerError {
        logger.error(
          "Failed to answer",
          metadata: ["method": "\(request.method)", "path": "\(request.uri.string)", "error": "\(error)"])
      }
      response = problem.response
      if request.method == .head { response = response.createHeadResponse() }
    }
    response.headers[.xContentTypeOptions] = "nosniff"
    allowOrigin(of: request, in: &response.headers)
    let duration = ContinuousClock.now - start
    metrics.countRequest(to: context.endpointPath ?? "none", status: response.status.code, took: duration)
    if options.logsRequests { log(request, response, from: context.client, duration) }
    return response
  }

  private func log(_ request: Request, _ response: Response, from client: Client?, _ duration: Duration) {
    logger.info(
      "Answered",
      metadata: [
        "method": "\(request.method)", "path": "\(request.uri.string)",
        "status": .stringConvertible(response.status.code),
        "bytes": .stringConvertible(response.body.contentLength ?? 0),
        "client": "\(client?.address?.description ?? "-")",
        "milliseconds": .stringConvertible((duration / .microseconds(1)).rounded() / 1000),
      ])
  }

  // MARK: Other origins (CORS)

  /// Sets the headers that allow pages of other origins to read an answer, even if the request has no origin.
  /// Hummingbird's middleware sets these headers only if the request has an origin. But a cache may store the answer
  /// to a request without an origin, and later give this answer to a page of another origin.
  private func allowOrigin(of request: Request, in headers: inout HTTPFields) {
    guard let first = options.allowedOrigins.first else { return }
    headers[.accessControlExposeHeaders] = "ETag, Retry-After"
    if options.allowedOrigins.count == 1 || options.allowedOrigins.contains("*") {
      headers[.accessControlAllowOrigin] = options.allowedOrigins.contains("*") ? "*" : first
      return
    }
    headers[.vary] = headers[.vary].map { $0 + ", Origin" } ?? "Origin"
    guard let origin = request.headers[.origin], options.allowedOrigins.contains(origin) else { return }
    headers[.accessControlAllowOrigin] = origin
  }

  private var preflight: Response {
    Response(
      status: .noContent,
      headers: [
        .accessControlAllowMethods: "GET, HEAD, POST, PATCH, OPTIONS",
        .accessControlAllowHeaders:
          "Accept, Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, Range",
        .accessControlMaxAge: "3600",
      ])
  }
}

import Hummingbird
import Logging

/// Refuses addresses that are too long, turns errors into problems, lets pages of other origins ask, and counts.
struct RequestMiddleware: RouterMiddleware {
  typealias Context = BasicRequestContext

  let metrics: ServerMetrics
  let logger: Logger
  /// Whose pages may ask (CORS); nil for none but the server's own. Hummingbird's middleware answers requests with an
  /// origin alone, but a cache may give a page what another client asked for.
  let allowedOrigin: String?

  /// Path and query together, in bytes.
  static let longestAddress = 8192

  func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws
    -> Response
  {
    let start = ContinuousClock.now
    var response: Response
    do {
      guard request.uri.string.utf8.count <= Self.longestAddress else {
        throw Problem(
          status: .uriTooLong, detail: "Path and query must be at most \(Self.longestAddress) bytes together.")
      }
      // A browser asks beforehand what a page may do.
      let isPreflight = allowedOrigin != nil && request.method == .options && request.headers.contains(.origin)
      response = isPreflight ? preflight : try await next(request, context)
    } catch {
      let problem = Problem(of: error)
      if problem.status == .internalServerError { logger.error("\(request.method) \(request.uri.string): \(error)") }
      response = problem.response
      if request.method == .head { response = response.createHeadResponse() }
    }
    response.headers[.xContentTypeOptions] = "nosniff"
    if let allowedOrigin {
      response.headers[.accessControlAllowOrigin] = allowedOrigin
      response.headers[.accessControlExposeHeaders] = "ETag"
    }
    metrics.countRequest(to: context.endpointPath ?? "none", status: response.status.code, took: .now - start)
    return response
  }

  private var preflight: Response {
    Response(
      status: .noContent,
      headers: [
        .accessControlAllowMethods: "GET, HEAD, POST, OPTIONS",
        .accessControlAllowHeaders: "Accept, Content-Type, If-None-Match", .accessControlMaxAge: "3600",
      ])
  }
}

import HTTPTypes
import Hummingbird
import Logging
import NIOCore
@_spi(Server) import TreelineFormats

/// Stands between a client and all routes: refuses addresses that are too long, tells errors as problems, and counts.
struct RequestGuard<Context: RequestContext>: RouterMiddleware {
  let ledger: Ledger

  /// Path and query together, in bytes.
  static var longestAddress: Int { 8192 }

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let start = ContinuousClock.now
    var response: Response
    do {
      guard request.uri.string.utf8.count <= Self.longestAddress else {
        throw Problem(
          status: .uriTooLong,
          detail: "Path and query must be at most \(Self.longestAddress) bytes together.")
      }
      response =
        ledger.isPreflight(request.head) ? ledger.preflight.response : try await next(request, context)
    } catch {
      response = ledger.reply(to: error, of: request.head).response
      if request.method == .head { response = response.createHeadResponse() }
    }
    ledger.close(&response.headers, response.status, of: context.endpointPath ?? "none", begun: start)
    return response
  }
}

/// What is kept of every request, and told of those that fail.
struct Ledger: Sendable {
  let metrics: ServerMetrics
  let logger: Logger
  /// Whose pages may ask (Fetch standard, CORS protocol); nil for none but the server's own.
  let allowedOrigin: String?

  func reply(to error: any Error, of request: HTTPRequest) -> Reply {
    let problem: Problem
    if let error = error as? any HTTPResponseError {
      problem = Problem(
        status: error.status, detail: error.status == .notFound ? "There is nothing here." : "")
    } else {
      problem = Problem(of: error)
    }
    if problem.status.kind == .serverError {
      logger.error("\(request.method) \(request.path ?? ""): \(error)")
    }
    var bytes = OutputBytes()
    problem.write(to: &bytes)
    var headers = problem.headers
    headers[.contentType] = Answer.problem
    headers[.cacheControl] = "no-store"
    return Reply(
      status: problem.status, headers: headers, body: bytes.withBytes { ByteBuffer(bytes: $0) })
  }

  /// - Parameter route: As it is written in the routes, not as it was asked for.
  func close(
    _ headers: inout HTTPFields, _ status: HTTPResponse.Status, of route: String,
    begun start: ContinuousClock.Instant
  ) {
    headers[.xContentTypeOptions] = "nosniff"
    // Whoever asks, so that what a cache keeps is good for all.
    if let allowedOrigin {
      headers[.accessControlAllowOrigin] = allowedOrigin
      headers[.accessControlExposeHeaders] = "ETag"
    }
    metrics.countRequest(to: route, status: status.code, took: .now - start)
  }

  /// Whether a browser asks beforehand what a page may do.
  func isPreflight(_ request: HTTPRequest) -> Bool {
    allowedOrigin != nil && request.method == .options && request.headerFields.contains(.origin)
  }

  var preflight: Reply {
    Reply(
      status: .noContent,
      headers: [
        .accessControlAllowMethods: "GET, HEAD, POST, OPTIONS",
        .accessControlAllowHeaders: "Accept, Content-Type, If-None-Match",
        .accessControlMaxAge: "3600",
      ])
  }
}

import HTTPTypes
import Hummingbird
import Logging
import TreelineFormats

/// Stands between a client and all routes: refuses addresses that are too long, tells errors as problems, and counts.
struct RequestGuard<Context: RequestContext>: RouterMiddleware {
  let metrics: ServerMetrics
  let logger: Logger

  /// Path and query together, in bytes.
  private let longestAddress = 8192

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let start = ContinuousClock.now
    var response: Response
    do {
      guard request.uri.string.utf8.count <= longestAddress else {
        throw Problem(
          status: .uriTooLong, detail: "Path and query must be at most \(longestAddress) bytes together.")
      }
      response = try await next(request, context)
    } catch {
      response = self.response(to: error, of: request)
    }
    response.headers[.xContentTypeOptions] = "nosniff"
    metrics.countRequest(
      to: context.endpointPath ?? "none", status: response.status.code, took: .now - start)
    return response
  }

  private func response(to error: any Error, of request: Request) -> Response {
    let problem: Problem
    if let error = error as? any HTTPResponseError {
      problem = Problem(
        status: error.status, detail: error.status == .notFound ? "There is nothing here." : "")
    } else {
      problem = Problem(of: error)
    }
    if problem.status.kind == .serverError { logger.error("\(request.method) \(request.uri): \(error)") }
    var bytes = OutputBytes()
    problem.write(to: &bytes)
    var headers = problem.headers
    headers[.contentType] = Answer.problem
    headers[.cacheControl] = "no-store"
    return Response(
      status: problem.status, headers: headers,
      body: ResponseBody(byteBuffer: bytes.withBytes { ByteBuffer(bytes: $0) }))
  }
}

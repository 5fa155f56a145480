import Hummingbird

/// Refuses requests without the token, requests above the rate limit of an address, and requests that arrive while the
/// server is too busy (see `ServerBounds`). `/health` and `/ready` are always answered.
struct AdmissionMiddleware: RouterMiddleware {
  typealias Context = ServerRequestContext

  let bounds: ServerBounds
  /// Bearer token that clients must send; nil if no token is needed.
  let token: String?
  /// Bearer token that clients must send instead of `token` to change points; nil if the server refuses all changes.
  let writeToken: String?
  let rate: RequestRate?

  func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws
    -> Response
  {
    if ServerBounds.isReserved(request.uri.path) { return try await next(request, context) }
    if let rate, let address = context.client?.address, let seconds = rate.take(address) {
      let problem = Problem(
        status: .tooManyRequests, detail: "Too many requests from this address; try again.",
        headers: [.retryAfter: "\(seconds)"])
      throw bounds.refuse(Refusal(bound: .requestRate, problem: problem))
    }
    let changes = request.method == .patch
    if let token = changes ? writeToken ?? token : token, !Self.isPage(request.uri.path),
      !isAuthorized(request, by: token)
    {
      let name = changes ? "token for changes" : "token"
      let problem = Problem(
        status: .unauthorized, detail: "Expected the header 'Authorization: Bearer TOKEN' with this server's \(name).",
        headers: [.wwwAuthenticate: "Bearer"])
      throw bounds.refuse(Refusal(bound: .token, problem: problem))
    }
    try bounds.begin()
    defer { bounds.end() }
    return try await next(request, context)
  }

  /// Returns whether a path belongs to the viewer or to the documentation of the routes. These paths need no token,
  /// because they contain no data of an index. The viewer itself asks the user for the token.
  private static func isPage(_ path: String) -> Bool {
    ["/", "/docs", "/openapi.json"].contains(path) || path.hasPrefix("/viewer/")
  }

  /// Returns whether the request has the token. The comparison takes equal time for all tokens of the right length.
  private func isAuthorized(_ request: Request, by token: String) -> Bool {
    guard let sent = request.headers[.authorization], sent.lowercased().hasPrefix("bearer ") else { return false }
    let (found, expected) = (Array(sent.utf8.dropFirst(7)), Array(token.utf8))
    guard found.count == expected.count else { return false }
    return zip(found, expected).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

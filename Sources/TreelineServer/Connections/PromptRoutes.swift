import HTTPTypes

/// What needs no more than an index and no time worth mentioning, found without the router: its tasks, its contexts and what
/// stands between them cost as much as a hundred clusters do.
///
/// It gives what the router would, and leaves to it whatever is out of the ordinary.
struct PromptRoutes: Sendable {
  let routes: Routes
  private let patterns = IndexRoute.all.map { (route: $0, pattern: PathPattern($0.path)) }
  private let date = DateField()

  init(_ routes: Routes) {
    self.routes = routes
  }

  /// - Returns: nil for what is the router's.
  func reply(to request: HTTPRequest) -> Reply? {
    guard request.method == .get, let address = request.path,
      address.utf8.count <= RequestGuard<Routes.Context>.longestAddress,
      request.headerFields[.connection] != "close"
    else { return nil }
    let path = address.utf8.prefix { $0 != UInt8(ascii: "?") }
    guard !address.utf8.contains(UInt8(ascii: "#")), !path.contains(UInt8(ascii: "%")) else { return nil }
    let parts = PathPattern.parts(of: Substring(path))
    for (route, pattern) in patterns {
      guard let parameters = pattern.parameters(of: parts) else { continue }
      guard let name = parameters["index"], routes.catalog[name] != nil else { return nil }
      let query = path.endIndex == address.endIndex ? nil : address.utf8[path.endIndex...].dropFirst()
      return reply(to: request, route, parameters, query: query.map(Substring.init))
    }
    return nil
  }

  /// - Returns: nil for what takes long.
  private func reply(
    to request: HTTPRequest, _ route: IndexRoute, _ path: PathParameters, query: Substring?
  ) -> Reply? {
    let start = ContinuousClock.now
    var reply: Reply
    do {
      let question = try routes.question(request, route, path, query: query)
      if question.answer.isDear { return nil }
      reply = try question.replyHere()
    } catch {
      reply = routes.ledger.reply(to: error, of: request)
    }
    reply.headers[.contentLength] = "\(reply.body.readableBytes)"
    reply.headers[.date] = date.text
    routes.ledger.close(&reply.headers, reply.status, of: route.path, begun: start)
    return reply
  }
}

import HTTPTypes

/// A route that asks an index something, and gets the same as long as the index is.
struct IndexRoute: Sendable {
  /// As the router, the metrics and the OpenAPI document write it.
  let path: String
  /// Whether the answer names the server as the client does.
  var isByHost = false
  let ask: @Sendable (inout Asked) throws -> Answer

  static let all = [
    IndexRoute(path: "/v1/{index}") { IndexRoutes.index(&$0) },
    IndexRoute(path: "/v1/{index}/clusters") { ClusterRoutes.clusters(&$0) },
    IndexRoute(path: "/v1/{index}/clusters/{id}") { try ClusterRoutes.cluster(&$0) },
    IndexRoute(path: "/v1/{index}/clusters/{id}/members") { try ClusterRoutes.members(&$0) },
    IndexRoute(path: "/v1/{index}/clusters/{id}/children") { try ClusterRoutes.children(&$0) },
    IndexRoute(path: "/v1/{index}/clusters/{id}/parent") { try ClusterRoutes.parent(&$0) },
    IndexRoute(path: "/v1/{index}/clusters/{id}/expansion-zoom") { try ClusterRoutes.expansionZoom(&$0) },
    IndexRoute(path: "/v1/{index}/where-is") { try ClusterRoutes.whereIs(&$0) },
    IndexRoute(path: "/v1/{index}/measures") { MeasureRoutes.measures(&$0) },
    IndexRoute(path: "/v1/{index}/transition") { TransitionRoutes.betweenViews(&$0) },
    IndexRoute(path: "/v1/{index}/tiles.json", isByHost: true) { try TileRoutes.tileJSON(&$0) },
    IndexRoute(path: "/v1/{index}/tiles/{z}/{x}/{y}.mvt") { try TileRoutes.tile(&$0) },
  ]
}

/// The parts of a path that a route has names for.
struct PathParameters {
  private let values: [(name: Substring, value: Substring)]

  init(_ values: [(name: Substring, value: Substring)]) {
    self.values = values
  }

  subscript(name: String) -> String? {
    values.first { $0.name == name[...] }.map { String($0.value) }
  }
}

/// A route's path, taken apart to compare paths with.
struct PathPattern: Sendable {
  private struct Part {
    /// nil where a part is what it says.
    let name: Substring?
    /// What it ends in, or all of it.
    let text: Substring
  }

  private let parts: [Part]

  init(_ path: String) {
    parts = Self.parts(of: path[...]).map { part in
      guard part.first == "{", let end = part.firstIndex(of: "}") else { return Part(name: nil, text: part) }
      return Part(name: part[..<end].dropFirst(), text: part[end...].dropFirst())
    }
  }

  /// - Parameter parts: Those of a path.
  /// - Returns: nil where they are of another route.
  func parameters(of parts: [Substring]) -> PathParameters? {
    guard parts.count == self.parts.count else { return nil }
    var values: [(name: Substring, value: Substring)] = []
    for (part, own) in zip(parts, self.parts) {
      guard let name = own.name else {
        if part == own.text { continue } else { return nil }
      }
      guard own.text.isEmpty || part.hasSuffix(own.text), part.utf8.count > own.text.utf8.count else {
        return nil
      }
      values.append((name, Substring(part.utf8.dropLast(own.text.utf8.count))))
    }
    return PathParameters(values)
  }

  /// Without the slash that all begin with.
  static func parts(of path: Substring) -> [Substring] {
    path.dropFirst().utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map(Substring.init)
  }
}

import Foundation
import Hummingbird
@_spi(Server) import Treeline

/// A request about an index. Routes read the parameters of a request from its context.
struct IndexRequestContext {
  let index: ServedIndex
  var parameters: QueryParameters
  let query: String?
  /// Base URL of the server as the client sees it, such as `http://127.0.0.1:8080`; nil if the URL is unknown.
  let root: String?
  private let path: Parameters

  init(_ request: Request, path: Parameters, root: String?, of catalog: Catalog) throws(Problem) {
    guard let name = path.get("index"), let index = catalog[name] else {
      throw .notFound("There is no index with this name; /v1/indexes lists the names.")
    }
    if index.isDamaged { throw .damagedIndex }
    self.index = index
    self.path = path
    self.root = root
    query = request.uri.query
    parameters = try QueryParameters(url: query.map { $0[...] })
  }

  var tree: ClusterTree { index.tree }

  /// Reads the filter, which selects the points that the request is about.
  mutating func selection() -> ServedSelection { ServedSelection(&parameters, of: index) }

  /// Returns the value of the path parameter with the given name. The value must be a whole number, 0 or more.
  func number(_ name: String, expected: String = "a whole number, 0 or more") throws(Problem) -> Int {
    let text = path.get(name) ?? ""
    // Clients in JavaScript can represent only whole numbers below 2^53.
    guard let number = Int(text), 0..<(1 << 53) ~= number else {
      throw .invalid(name, expected: expected + " and below 2^53", found: String(text.prefix(100)))
    }
    return number
  }

  /// Returns the id of a cluster from the path. Ids belong to one version of an index: in another version, a cluster
  /// with the same id may be a different cluster. So a request may name the version to which its id belongs.
  mutating func clusterID() throws(Problem) -> ClusterID {
    let id = try number("id", expected: "a cluster_id, which is a whole number, 0 or more,")
    if let version = parameters.text("version"), version != index.version { throw .outdatedIDs(of: index) }
    return ClusterID(rawValue: UInt64(id))
  }
}

extension QueryParameters {
  /// Maximum `limit` of a request, in clusters.
  static let largestLimit = 10_000

  /// Reads the parameters from the query of a URL. Parameters whose names begin with `_` are ignored, because clients
  /// append such parameters to bypass caches.
  ///
  /// - Throws: `Problem` if the percent-encoding of a name or a value is invalid.
  init(url query: Substring?) throws(Problem) {
    var pairs: [(name: String, value: String)] = []
    var faults: [Fault] = []
    for pair in query?.utf8.split(separator: UInt8(ascii: "&")) ?? [] {
      let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      let (name, value) = (Substring(pair[..<end]), Substring(pair[end...].dropFirst()))
      if name.hasPrefix("_") { continue }
      if let name = Self.decoded(name), let value = Self.decoded(value) {
        pairs.append((name, value))
      } else if faults.count < 16 {
        faults.append(
          Fault(
            Self.decoded(name) ?? String(name.prefix(100)),
            expected: "a valid percent-encoding of a text in UTF-8, in which '%' itself is written '%25'",
            found: String((Self.decoded(name) == nil ? name : value).prefix(100))))
      }
    }
    if !faults.isEmpty { throw .invalid(faults) }
    self.init(pairs.filter { !$0.name.hasPrefix("_") }, bounds: Bounds(limits: 1...Self.largestLimit))
  }

  /// Checks that all parameters were read and are valid.
  ///
  /// - Throws: `Problem` if a parameter is invalid or unknown.
  mutating func finish() throws(Problem) {
    refuseUnread()
    if !faults.isEmpty { throw .invalid(faults) }
  }

  /// Decodes percent-encoding.
  ///
  /// - Parameter plusIsSpace: Whether a plus sign stands for a space, as in HTML forms.
  /// - Returns: nil if the encoding is invalid.
  static func decoded(_ text: Substring, plusIsSpace: Bool = true) -> String? {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return String(text) }
    let text = plusIsSpace ? text.replacing("+", with: " ") : text
    return text.removingPercentEncoding
  }
}

import Hummingbird
import Treeline

/// A request for something of an index, as its route reads it.
struct IndexRequestContext {
  let index: ServedIndex
  var parameters: QueryParameters
  let query: String?
  /// The server's address as the client knows it, such as `http://127.0.0.1:8080`; nil where nothing tells.
  let root: String?
  private let path: Parameters

  /// - Parameter root: The server's address, where it is configured.
  init(_ request: Request, path: Parameters, root: String?, of catalog: Catalog) throws(Problem) {
    guard let name = path.get("index"), let index = catalog[name] else {
      throw .notFound("No index has that name; /v1/indexes lists those that there are.")
    }
    self.index = index
    self.path = path
    self.root = root ?? request.head.authority.map { "http://\($0)" }
    query = request.uri.query
    parameters = QueryParameters(url: query.map { $0[...] })
  }

  var tree: ClusterTree { index.tree }

  /// A number in the path.
  func number(_ name: String) throws(Problem) -> Int {
    let text = path.get(name) ?? ""
    guard let number = Int(text), number >= 0 else {
      throw .invalid(name, expected: "a whole number, 0 or more", found: String(text.prefix(100)))
    }
    return number
  }

  func clusterID() throws(Problem) -> ClusterID {
    let id = try number("id")
    guard id < 1 << 53 else { throw .invalid("id", expected: "a cluster_id, below 2^53", found: "\(id)") }
    return ClusterID(rawValue: UInt64(id))
  }
}

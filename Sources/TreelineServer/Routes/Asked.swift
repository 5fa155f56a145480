import HTTPTypes
import Hummingbird
import Treeline

/// A request for something of an index.
struct Asked {
  let index: ServedIndex
  var parameters: QueryParameters
  private let path: Parameters

  init(_ request: Request, _ context: some RequestContext, of catalog: Catalog) throws(Problem) {
    let name = context.parameters.get("index") ?? ""
    guard let index = catalog[name] else {
      throw .notFound("No index has that name; /v1/indexes lists those that there are.")
    }
    self.index = index
    path = context.parameters
    parameters = QueryParameters(request.uri.query)
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

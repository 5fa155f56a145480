import Foundation
import NIOCore
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// `/v1/{index}/transition`: the changes between two answers.
enum TransitionRoutes {
  /// Returns the changes from the answer of an earlier view to the answer of the new view.
  static func betweenViews(_ request: inout IndexRequestContext) -> Representation {
    let index = request.index
    let change = Change(&request.parameters, of: index)
    let before = request.parameters.read(prefix: "from-", sharing: Query.sharedParameters + [["filter"]]) {
      parameters in
      (
        query: ServedQuery(&parameters, of: index.tree, defaultZoom: change.query.view?.zoom),
        selection: ServedSelection(&parameters, of: index)
      )
    }
    let cost = change.cost + before.selection.cost + before.query.cost(of: index.tree)
    return Representation(ContentType.json, cost: cost) { bytes in
      let tree = try before.selection.tree()
      try change.write(from: try before.query.clusters(of: tree), of: tree, for: before.query, to: &bytes)
    }
  }

  /// Returns the changes between two sets of clusters: the clusters that the client shows now, and the answer of the
  /// new view.
  static func fromClusters(_ request: inout IndexRequestContext, _ body: ByteBuffer) throws -> Representation {
    let index = request.index
    let change = Change(&request.parameters, of: index)
    let selection = request.parameters.read(prefix: "from-", sharing: [["filter"]]) { parameters in
      ServedSelection(&parameters, of: index)
    }
    let cost = change.cost + selection.cost + body.readableBytes / 20
    return Representation(ContentType.json, cost: cost) { bytes in
      let previous = try body.withUnsafeReadableBytes { try PreviousAnswer($0, of: index) }
      let tree = try selection.tree()
      try change.write(from: try previous.clusters(of: index, tree), of: tree, to: &bytes)
    }
  }

  /// The new view, with the options of its answer.
  private struct Change {
    let index: ServedIndex
    let query: ServedQuery
    private let style: ClusterStyle
    private let selection: ServedSelection
    private let aggregates: ServedAggregates

    init(_ parameters: inout QueryParameters, of index: ServedIndex) {
      self.index = index
      query = ServedQuery(&parameters, of: index.tree, canContinue: true)
      style = ClusterStyle(&parameters, of: index.tree)
      selection = ServedSelection(&parameters, of: index)
      aggregates = ServedAggregates(&parameters)
    }

    var cost: Int { selection.cost + aggregates.cost(ofClusters: query.cost(of: index.tree), in: selection) }

    /// Writes the changes from the previous answer to the new answer, and then the new answer itself.
    ///
    /// - Parameters:
    ///   - previous: Clusters of the previous answer.
    ///   - previousTree: Tree of these clusters.
    ///   - before: Query of the previous answer; nil if the query is unknown.
    ///   - bytes: Output to which the text is appended.
    func write(
      from previous: Clusters, of previousTree: ClusterTree, for before: ServedQuery? = nil, to bytes: inout OutputBytes
    ) throws {
      let tree = try selection.tree()
      let clusters = try query.clusters(of: tree, after: previous)
      bytes.append("{")
      try index.transitions.appendMembers(
        of: ClusterTransition(from: previous, to: clusters), from: style.coordinates(of: previousTree, for: before),
        to: style.coordinates(of: tree, for: query), into: &bytes)
      bytes.append(",\"version\":")
      bytes.append(json: index.version)
      bytes.append(",\"clusters\":")
      try style.write(clusters, of: tree, index, for: query, aggregates, to: &bytes)
      bytes.append("}\n")
    }
  }
}

/// The clusters that a client shows, according to the body of its request.
private struct PreviousAnswer: Decodable {
  let version: String?
  let clusterIDs: [UInt64]

  enum CodingKeys: String, CodingKey {
    case version
    case clusterIDs = "cluster_ids"
  }

  private struct Anything: Decodable { init(from _: any Decoder) {} }

  init(from decoder: any Decoder) throws {
    // Unknown names are refused, because otherwise a misspelled `version` would be ignored.
    for name in try [String: Anything](from: decoder).keys.sorted() where CodingKeys(stringValue: name) == nil {
      throw Problem.invalid(name, expected: "only 'cluster_ids' and 'version' in the body", found: name)
    }
    let members = try decoder.container(keyedBy: CodingKeys.self)
    // A client that sends null has lost the version, which would otherwise be ignored.
    version = members.contains(.version) ? try members.decode(String.self, forKey: .version) : nil
    clusterIDs = try members.decode([UInt64].self, forKey: .clusterIDs)
  }

  init(_ body: UnsafeRawBufferPointer, of index: ServedIndex) throws {
    // The decoder accepts UTF-16, too, in which each ASCII character has a byte that is 0. JSON in UTF-8 has no such
    // byte.
    if body.contains(0) { throw Problem.invalid("body", expected: "JSON in UTF-8", found: "a byte that is 0") }
    // The decoder keeps only one of two members with the same name.
    if let name = JSONMembers.firstTwice(body) {
      throw Problem.invalid(name, expected: "each member of the body once", found: "\(name) twice")
    }
    do { self = try JSONDecoder().decode(PreviousAnswer.self, from: Data(body)) } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem.invalid(
        "body", expected: "JSON with 'cluster_ids' (a list of whole numbers from 0) and optionally 'version' (a text)",
        found: String(decoding: body.prefix(100), as: UTF8.self))
    }
    guard clusterIDs.count <= QueryParameters.largestLimit else {
      throw Problem.invalid(
        "cluster_ids", expected: "at most \(QueryParameters.largestLimit) ids", found: "\(clusterIDs.count)")
    }
    if let id = clusterIDs.first(where: { $0 >= 1 << 53 }) {
      throw Problem.invalid("cluster_ids", expected: "ids below 2^53", found: "\(id)")
    }
  }

  /// Returns the clusters whose ids the client has sent.
  ///
  /// - Parameter tree: Tree of the index, with the filter of the previous answer.
  func clusters(of index: ServedIndex, _ tree: ClusterTree) throws -> Clusters {
    if let version, version != index.version { throw Problem.outdatedIDs(of: index) }
    do {
      return try tree.clusters(withIDs: clusterIDs.map(ClusterID.init(rawValue:)))
    } catch QueryError.unknownCluster(let id) {
      // If the client sent no version, an unknown id may come from an earlier version of the index.
      guard version != nil else { throw Problem.outdatedIDs(of: index) }
      throw Problem.invalid("cluster_ids", expected: "ids of clusters of this index", found: "\(id)")
    } catch QueryError.overlappingClusters(let one, let other) {
      throw Problem.invalid(
        "cluster_ids", expected: "clusters that do not contain each other",
        found: "\(one.rawValue) and \(other.rawValue)")
    } catch let error as QueryError {
      throw Problem(of: error)
    }
  }
}

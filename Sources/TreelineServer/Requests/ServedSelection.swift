@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// The points of an index that a request counts: all, or those that pass a filter, which is prepared when the answer is
/// computed.
struct ServedSelection {
  let index: ServedIndex
  /// nil for all points.
  private let filter: Filter?

  /// What a filter of a request may be; its address alone is bounded, too.
  static let bounds = Filter.TextBounds(length: 4096, terms: 256, depth: 16)

  init(_ parameters: inout QueryParameters, of index: ServedIndex) {
    self.index = index
    // An empty one is none, so that a transition can begin or end without.
    guard let text = parameters.text("filter"), !text.isEmpty else {
      filter = nil
      return
    }
    do { filter = try Filter(text, bounds: Self.bounds) } catch {
      filter = nil
      parameters.refuse(
        "filter", expected: "\(error.expected) at character \(error.position)",
        found: error.found.isEmpty ? nil : error.found)
    }
  }

  /// See `AnswerCost`: a filter that is new to the server is prepared by no event loop.
  var cost: Int {
    guard let filter, !index.filters.contains(filter) else { return 0 }
    return AnswerCost.ofReading(index.tree)
  }

  /// The index's tree, of which the points count that pass.
  ///
  /// - Throws: `Problem`
  /// - Complexity: O(1) for a filter that is prepared, else O(points).
  func tree() throws -> ClusterTree {
    guard let filter else { return index.tree }
    do { return try index.filters.tree(selecting: filter) } catch { throw Problem(of: error) }
  }
}

/// What a request wants to know of the values of each cluster's points.
struct ServedAggregates {
  let list: [Aggregate]
  /// Of properties, one for each.
  let names: [String]

  /// How many there may be.
  private static let most = 16

  init(_ parameters: inout QueryParameters) {
    let text = parameters.text("aggregate") ?? ""
    do { list = text.isEmpty ? [] : try Aggregate.list(text) } catch {
      list = []
      let (expected, found) = error.expectation
      parameters.refuse("aggregate", expected: expected, found: found)
    }
    names = FeatureProperties.names(of: list)
    if list.count > Self.most {
      parameters.refuse("aggregate", expected: "at most \(Self.most) of them", found: "\(list.count)")
    }
  }

  /// See `AnswerCost`. What is prepared of a column, or read of all points, is so by no event loop.
  func cost(ofClusters count: Int) -> Int {
    list.isEmpty ? count : count * (1 + list.count) + AnswerCost.mostOnEventLoop
  }

  /// For each cluster one for each aggregate, or nothing where there are none.
  func values(of clusters: Clusters) throws -> [[AggregateValue]]? {
    if list.isEmpty { return nil }
    do { return try clusters.values(of: list) } catch { throw Problem(of: error) }
  }

  /// The same for one cluster.
  func values(of cluster: Cluster, in tree: ClusterTree) throws -> [AggregateValue]? {
    list.isEmpty ? nil : try tree.values(of: list, for: cluster)
  }
}

extension FilterError {
  /// What a filter should be and what it is, apart.
  var expectation: (expected: String, found: String) {
    switch self {
    case .unknownColumn(let name, let known): Self.expectation(ofColumn: name, among: known)
    case .unsuited(let column, let kind, let expected, let found):
      ("\(expected) for the column '\(column)' of kind \(kind.rawValue)", found)
    case .tooMuchText(let column, let bytes, let maximum):
      ("whole texts, as LIKE looks at no more than \(maximum) bytes of the column '\(column)'", "\(bytes) bytes")
    case .noArea(let expected, let found): (expected, found)
    case .cancelled: ("a filter that is waited for", "\(self)")
    }
  }

  static func expectation(ofColumn name: String, among known: [String]) -> (expected: String, found: String) {
    let list = known.prefix(20).map { "'\($0)'" }.joined(separator: ", ")
    return (known.isEmpty ? "an index built with --columns" : "the name of a column, such as \(list)", name)
  }
}

extension AggregateError {
  /// What an aggregate should be and what it is, apart.
  var expectation: (expected: String, found: String) {
    switch self {
    case .unknownColumn(let name, let known): FilterError.expectation(ofColumn: name, among: known)
    case .unsuited(let aggregate, let column, let kind, let expected):
      ("\(expected) for '\(aggregate)'", "the column '\(column)' of kind \(kind.rawValue)")
    case .tooManyRows(let aggregate, let found, let maximum):
      ("a smaller part of the map, as '\(aggregate)' reads at most \(maximum) points one by one", "\(found)")
    case .tooLarge(let aggregate): ("values whose products have an exact sum", aggregate)
    case .malformed(let text, let position, let expected): ("\(expected) at character \(position)", text)
    case .cancelled: ("aggregates that are waited for", "\(self)")
    }
  }
}

@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// The points that a request is about: all points of an index, or the points that pass a filter. The filter is
/// prepared when the answer is computed.
struct ServedSelection {
  let index: ServedIndex
  /// The filter; nil for all points.
  private let filter: Filter?
  /// Cost of preparing the filter in units of `AnswerCost`; 0 if the filter is already prepared.
  let cost: Int

  /// Bounds on the text of a filter. The length of the URL is bounded too.
  static let bounds = Filter.TextBounds(length: 4096, terms: 256, depth: 16)

  init(_ parameters: inout QueryParameters, of index: ServedIndex) {
    self.index = index
    // An empty filter counts as no filter. In a request for the transition between two views, `filter` applies to
    // both views if `from-filter` is missing. If `from-filter` is empty, the earlier view has no filter.
    guard let text = parameters.text("filter"), !text.isEmpty else {
      (filter, cost) = (nil, 0)
      return
    }
    let filter: Filter
    do { filter = try Filter(text, bounds: Self.bounds) } catch {
      (self.filter, cost) = (nil, 0)
      guard let error = error as? FilterTextError else {
        parameters.refuse("filter", expected: "a filter in CQL2", found: text)
        return
      }
      parameters.refuse(
        "filter", expected: "\(error.expected) at character \(error.position + 1)",
        found: error.found.isEmpty ? nil : error.found)
      return
    }
    self.filter = filter
    guard !index.filters.contains(filter) else {
      cost = 0
      return
    }
    let estimate = index.tree.estimate(ofSelecting: filter)
    // Adds the cost of preparing clusters from the points that pass the filter. The added cost grows with the number
    // of all points in the index.
    cost = estimate.cost + index.tree.pointCount / AnswerCost.pointsPerUnit
    if let (expected, found) = estimate.excess {
      parameters.refuse(
        "filter", expected: "fewer conditions, texts or corners, so that the filter takes \(expected)", found: found)
    }
  }

  /// Whether there is a filter.
  var isFiltered: Bool { filter != nil }

  /// Returns the tree of the index, with the filter if the request has a filter.
  ///
  /// - Throws: `Problem`
  /// - Complexity: O(1) if there is no filter or the filter is prepared, otherwise O(points).
  func tree() throws -> ClusterTree {
    guard let filter else { return index.tree }
    do { return try index.filters.tree(selecting: filter) } catch { throw Problem(of: error) }
  }
}

/// The aggregates that a request asks for. Each aggregate is computed for each cluster of the answer.
struct ServedAggregates {
  private(set) var list: [Aggregate]
  /// Name of the property for each aggregate.
  let names: [String]

  /// Maximum number of aggregates.
  private static let most = 16

  init(_ parameters: inout QueryParameters) {
    let text = parameters.text("aggregate") ?? ""
    do { list = text.isEmpty ? [] : try Aggregate.list(text) } catch {
      list = []
      let (expected, found) = (error as? AggregateError)?.expectation ?? ("a list of aggregates", text)
      parameters.refuse("aggregate", expected: expected, found: found)
    }
    if list.count > Self.most {
      parameters.refuse("aggregate", expected: "at most \(Self.most) aggregates", found: "\(list.count)")
      list = []
    }
    names = FeatureProperties.names(of: list)
  }

  /// Estimated cost in units of `AnswerCost`.
  func cost(ofClusters count: Int, in selection: ServedSelection) -> Int {
    if list.isEmpty { return count }
    let tree = selection.index.tree
    // Without a filter, columns are prepared only once. With a filter, columns are prepared again for the points that
    // pass the filter.
    let prepared = selection.isFiltered ? list.count * tree.pointCount / AnswerCost.pointsPerUnit : 0
    return count * (1 + list.count) + tree.estimate(of: list, clusterCount: count).cost + prepared
  }

  /// For each cluster, returns one value per aggregate; nil if the request has no aggregates.
  func values(of clusters: Clusters, in tree: ClusterTree) throws -> [[AggregateValue]]? {
    if list.isEmpty { return nil }
    try check(tree, clusterCount: clusters.count, pointCount: clusters.pointCounts.reduce(0, +))
    do { return try clusters.values(of: list) } catch { throw Problem(of: error) }
  }

  /// Returns one value per aggregate for a cluster; nil if the request has no aggregates.
  func values(of cluster: Cluster, in tree: ClusterTree) throws -> [AggregateValue]? {
    if list.isEmpty { return nil }
    try check(tree, clusterCount: 1, pointCount: cluster.pointCount)
    return try tree.values(of: list, for: cluster)
  }

  /// - Throws: `Problem` if it would take too long to compute the values, or if there would be too many values.
  private func check(_ tree: ClusterTree, clusterCount: Int, pointCount: Int) throws(Problem) {
    let estimate = tree.estimate(of: list, clusterCount: clusterCount, pointCount: pointCount)
    if let (expected, found) = estimate.excess {
      throw Problem.invalid(
        "aggregate", expected: "fewer aggregates or a smaller part of the map, so that the answer takes \(expected)",
        found: found)
    }
    if estimate.valueBytes > Problem.longestAnswer { throw .answerTooLong }
  }
}

extension FilterError {
  /// Texts after "expected" and "found" in an error message.
  var expectation: (expected: String, found: String) {
    switch self {
    case .unknownColumn(let name, let known): Self.expectation(ofColumn: name, among: known)
    case .unsuited(let column, let kind, let expected, let found):
      ("\(expected) for the column '\(column)' of kind \(kind.rawValue)", found)
    case .tooMuchText(let column, let bytes, let maximum):
      (
        "a comparison of '\(column)' without LIKE, because LIKE searches columns with at most \(maximum) bytes of text",
        "\(bytes) bytes"
      )
    case .noArea(let expected, let found): (expected, found)
    case .cancelled: ("a client that stays connected until the filter is prepared", "\(self)")
    }
  }

  static func expectation(ofColumn name: String, among known: [String]) -> (expected: String, found: String) {
    let list = known.prefix(20).map { "'\($0)'" }.joined(separator: ", ")
    return (known.isEmpty ? "an index built with --columns" : "the name of a column, such as \(list)", name)
  }
}

extension AggregateError {
  /// Texts after "expected" and "found" in an error message.
  var expectation: (expected: String, found: String) {
    switch self {
    case .unknownColumn(let name, let known): FilterError.expectation(ofColumn: name, among: known)
    case .unsuited(let aggregate, let column, let kind, let expected):
      ("\(expected) for '\(aggregate)'", "the column '\(column)' of kind \(kind.rawValue)")
    case .tooManyRows(let aggregate, let found, let maximum):
      ("a smaller part of the map, because '\(aggregate)' reads at most \(maximum) points", "\(found)")
    case .tooLarge(let aggregate): ("values and weights that are small enough for an exact mean", aggregate)
    case .malformed(let text, let position, let expected): ("\(expected) at character \(position + 1)", text)
    case .outOfRange(let aggregate, let expected, let found): ("\(expected) for '\(aggregate)'", found)
    case .cancelled: ("a client that stays connected until the aggregates are computed", "\(self)")
    }
  }
}

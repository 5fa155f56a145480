/// Your own values on a map: a `ClusterTree` whose answers contain the values.
///
/// ```swift
/// let hotels = try ClusterMap(allHotels, at: \.coordinate)
/// for result in try hotels.clusters(.limit(50), in: view) { ... }
/// ```
public struct ClusterMap<Value: Sendable>: Sendable {
  /// The tree over the values' coordinates.
  public let tree: ClusterTree

  /// The values in the order in which they were given. Row numbers of the tree are indices of this array.
  public let values: [Value]

  let names: PropertyNames

  /// Data about the build of the map, for edits; nil if the map was made on an existing tree.
  package let recipe: (any AnyObject & Sendable)?

  /// - Parameter names: The names of the tree's columns.
  package init(
    tree: ClusterTree, values: [Value], names: PropertyNames, recipe: (any AnyObject & Sendable)? = nil
  ) { (self.tree, self.values, self.names, self.recipe) = (tree, values, names, recipe) }

  /// A result of a query: a value or a cluster of values, shown at one position of the map.
  public enum Result: Sendable {
    /// One value.
    case single(Value, Cluster)
    /// Several values, shown as one cluster.
    case cluster(Cluster, members: Members)

    /// The cluster in either case, with its position and extent.
    public var cluster: Cluster {
      switch self {
      case .single(_, let cluster), .cluster(let cluster, _): cluster
      }
    }
  }

  /// The values of one cluster in tree order. Taking a slice, such as a page of a list, costs O(1).
  public struct Members: RandomAccessCollection, Sendable {
    let rows: RowNumbers
    let values: [Value]

    public var startIndex: Int { 0 }
    public var endIndex: Int { rows.count }
    public subscript(position: Int) -> Value { values[rows[position]] }
  }

  /// The results of an answer, in tree order. Each result is looked up on access.
  public struct Results: RandomAccessCollection, Sendable {
    /// The answer without the values.
    public let clusters: Clusters
    let values: [Value]
    let names: PropertyNames

    public var startIndex: Int { 0 }
    public var endIndex: Int { clusters.count }
    public subscript(position: Int) -> Result {
      ClusterMap(tree: clusters.tree, values: values, names: names).result(for: clusters[position])
    }
  }

  /// Returns the clusters that represent the values in view. For the guarantees, see
  /// `ClusterTree.clusters(_:in:after:)`.
  ///
  /// - Parameters:
  ///   - cut: The cut, which decides how finely the tree is divided into clusters.
  ///   - viewport: The part of the map that is shown. A cut with a detail, a spacing or badges needs a viewport with a
  ///     zoom.
  ///   - previous: The previous answer. This answer is used only if `cut.isContinuing`.
  public func clusters(_ cut: Cut, in viewport: Viewport, after previous: Results? = nil) throws -> Results {
    try clusters(Query(cut, in: viewport), after: previous)
  }

  /// Returns the clusters of a query, which contains a cut and a viewport.
  public func clusters(_ query: Query, after previous: Results? = nil) throws -> Results {
    results(for: try tree.clusters(query, after: previous?.clusters))
  }

  /// Returns the clusters whose positions lie in a viewport, such as a map tile; see
  /// `ClusterTree.clusters(_:centeredIn:)`.
  public func clusters(_ cut: Cut, centeredIn viewport: Viewport) throws -> Results {
    try centeredClusters(Query(cut, in: viewport))
  }

  /// Returns the clusters whose positions lie in the viewport of a query.
  public func centeredClusters(_ query: Query) throws -> Results { results(for: try tree.centeredClusters(query)) }

  /// Returns an answer that consists of the clusters with the given ids; see `ClusterTree.clusters(withIDs:)`.
  public func clusters(withIDs ids: some Sequence<ClusterID>) throws -> Results {
    results(for: try tree.clusters(withIDs: ids))
  }

  /// Returns the changes from one answer to another, with your own values.
  ///
  /// - Precondition: Both are answers of this map.
  public func transition(from first: Results, to second: Results) -> Transition {
    Transition(Treeline.Transition(from: first.clusters, to: second.clusters), map: self)
  }

  /// An answer without results, for the start of the first transition.
  public var noResults: Results { results(for: tree.noClusters) }

  /// Returns whether the tree supports a cut. All trees support a cut with a limit or a detail.
  public func supports(_ cut: Cut) -> Bool { tree.supports(cut) }

  /// Returns the corners of the smallest convex area around a result's values; see `ClusterTree.convexHull(of:)`.
  public func convexHull(of result: Result) -> [Coordinate] { tree.convexHull(of: result.cluster) }

  /// Returns the same map under a filter: values that fail the filter are left out; see `ClusterTree.selecting(_:)`.
  ///
  /// - Throws: `FilterError` if the tree lacks a column that the filter names, or if a column is of another kind than
  ///   the filter expects.
  public func selecting(_ filter: Filter) throws(FilterError) -> ClusterMap { on(try tree.selecting(filter)) }

  /// Returns the map under a filter. The call takes less time if the previous filter is similar; see
  /// `ClusterTree.selecting(_:reusing:)`.
  ///
  /// - Precondition: `previous` is this map with another filter.
  public func selecting(_ filter: Filter, reusing previous: ClusterMap?) throws(FilterError) -> ClusterMap {
    on(try tree.selecting(filter, reusing: previous?.tree))
  }

  /// Returns the same map under a filter: values whose properties fail the filter are left out.
  ///
  /// ```swift
  /// let cheap = try hotels.selecting(\.price < 120 && \.kind == .hotel)
  /// ```
  ///
  /// - Parameters:
  ///   - filter: The filter that values must pass.
  ///   - previous: This map under another filter, or nil. If both filters are similar, the results of the other filter
  ///     are reused.
  /// - Throws: `QueryError.unknownProperty` if the map has no column for a property, `FilterError`
  public func selecting(_ filter: MapFilter<Value>, reusing previous: ClusterMap? = nil) throws -> ClusterMap {
    try selecting(filter.named(names), reusing: previous)
  }

  /// Returns aggregates of the properties of each result's values; see `Clusters.values(of:)`. If there are several
  /// aggregates, each element is a tuple of their results.
  ///
  /// ```swift
  /// let means = try hotels.values(of: .mean(\.price), for: shown)    // [Double?]
  /// ```
  ///
  /// - Parameters:
  ///   - aggregates: One or more aggregates of properties.
  ///   - results: An answer of this map, with or without a filter.
  /// - Throws: `QueryError.unknownProperty` if the map has no column for a property, `QueryError.unsuitedValue`,
  ///   `AggregateError`
  public func values<each Found: Sendable>(
    of aggregates: repeat MapAggregate<Value, each Found>, for results: Results
  ) throws -> [(repeat each Found)] {
    var named: [Aggregate] = []
    for aggregate in repeat each aggregates { named.append(try aggregate.named(names)) }
    return try results.clusters.values(of: named).map { values in
      var remaining = values[...]
      func next<One>(_ aggregate: MapAggregate<Value, One>) throws -> One {
        try aggregate.result(remaining.removeFirst())
      }
      return (repeat try next(each aggregates))
    }
  }

  /// Returns the name of the column for a property, for functions that take only names.
  ///
  /// ```swift
  /// let histogram = try hotels.tree.histogram(of: hotels.columnName(of: \.price), bins: 20, in: view)
  /// ```
  ///
  /// - Throws: `QueryError.unknownProperty`
  public func columnName(of property: PartialKeyPath<Value>) throws(QueryError) -> String {
    try names.name(of: property)
  }

  /// Returns a map of the same values and columns on another tree of the same points.
  private func on(_ tree: ClusterTree) -> ClusterMap {
    ClusterMap(tree: tree, values: values, names: names, recipe: recipe)
  }

  /// Returns whether any value is in view.
  public func hasPoint(in viewport: Viewport) throws -> Bool { try tree.hasPoint(in: viewport) }

  /// All values on the map as one result; nil if the map has no values.
  public var root: Result? { tree.root.map(result) }

  /// Returns the result with an id.
  public func cluster(_ id: ClusterID) throws -> Result { result(for: try tree.cluster(id)) }

  /// Returns the two parts of a cluster. The array is empty if all values of the cluster have the same position.
  public func children(of id: ClusterID) throws -> [Result] { try tree.children(of: id).map(result) }

  /// Returns the result directly above a cluster; nil for the root.
  public func parent(of id: ClusterID) throws -> Result? { try tree.parent(of: id).map(result) }

  /// Returns the results that contain a cluster, from the root down.
  public func ancestors(of id: ClusterID) throws -> [Result] { try tree.ancestors(of: id).map(result) }

  /// Returns the results that contain a value, from the root down to the value itself or to all values at its position.
  ///
  /// - Parameters:
  ///   - row: The value's index in `values`.
  ///   - coordinate: The coordinate of the value when the map was built.
  /// - Returns: The results; an empty array if the value is not on the map.
  public func clusters(containingRow row: Int, at coordinate: Coordinate) throws -> [Result] {
    guard let treeIndex = try tree.treeIndex(ofRow: row, at: coordinate) else { return [] }
    return try tree.clusters(containingTreeIndex: treeIndex).map(result)
  }

  /// Returns the zoom from which the parts of a cluster are shown instead of the cluster; see
  /// `ClusterTree.expansionZoom(of:by:tileSize:)`.
  public func expansionZoom(of id: ClusterID, by cut: Cut, tileSize: Viewport.TileSize = .pixels256) throws -> Double? {
    try tree.expansionZoom(of: id, by: cut, tileSize: tileSize)
  }

  /// Returns the zoom from which a value is unclustered; see `ClusterTree.unclusteredZoom(ofTreeIndex:by:tileSize:)`.
  ///
  /// - Parameters:
  ///   - row: The value's index in `values`.
  ///   - coordinate: The coordinate of the value when the map was built.
  ///   - cut: A cut with a detail, a spacing or badges.
  ///   - tileSize: The size of the tiles to which the zoom refers.
  /// - Returns: The zoom; nil if there is no such zoom, or if the value is not on the map.
  public func unclusteredZoom(
    ofRow row: Int, at coordinate: Coordinate, by cut: Cut, tileSize: Viewport.TileSize = .pixels256
  ) throws -> Double? {
    guard let treeIndex = try tree.treeIndex(ofRow: row, at: coordinate) else { return nil }
    return try tree.unclusteredZoom(ofTreeIndex: treeIndex, by: cut, tileSize: tileSize)
  }

  /// Returns the value of a cluster that lies nearest to the cluster's mean; see `ClusterTree.nearestMember(of:)`.
  public func nearestMember(of id: ClusterID) throws -> Value {
    values[tree.row(atTreeIndex: try tree.nearestMember(of: id))]
  }

  /// Returns the value that is nearest to a cluster's mean, among the values of the cluster that lie in a window.
  /// Returns nil if no value of the cluster lies in the window.
  public func nearestMember(of id: ClusterID, in window: PlaneWindow) throws -> Value? {
    try tree.nearestMember(of: id, in: window).map { values[tree.row(atTreeIndex: $0)] }
  }

  /// Returns the position at which a result is shown; see `ClusterTree.shownPosition(of:at:keptVisibleIn:)`.
  public func shownPosition(
    of result: Result, at rule: ShownPosition.Rule? = nil, keptVisibleIn window: PlaneWindow? = nil
  ) throws -> ShownPosition { try tree.shownPosition(of: result.cluster, at: rule, keptVisibleIn: window) }

  /// Returns the values of any cluster of the tree.
  public func members(of cluster: Cluster) -> Members { Members(rows: tree.members(of: cluster), values: values) }

  /// Returns a cluster of the tree with its values.
  public func result(for cluster: Cluster) -> Result {
    if let row = cluster.row { return .single(values[row], cluster) }
    return .cluster(cluster, members: members(of: cluster))
  }

  /// Returns an answer of the tree with its values.
  public func results(for clusters: Clusters) -> Results {
    Results(clusters: clusters, values: values, names: names)
  }
}

extension ClusterMap {
  /// The changes between two answers; see `Treeline.Transition` for the meaning of each list.
  public struct Transition: Sendable {
    /// A result of one answer, and the results of the other answer that lie within this result.
    public struct Replacement: Sendable {
      /// The result that contains the parts.
      public let whole: Result
      /// The results of the other answer that lie within the whole, in tree order; at least one.
      public let parts: Results
      /// The number of the whole's values that are in none of the parts.
      public let hiddenPointCount: Int
      /// The number of values of this replacement that pass the filter of the first answer, but not the filter of the
      /// second answer.
      public let filteredOutPointCount: Int
      /// The number of values of this replacement that pass the filter of the second answer, but not the filter of the
      /// first answer.
      public let filteredInPointCount: Int
    }

    private let transition: Treeline.Transition
    private let map: ClusterMap

    init(_ transition: Treeline.Transition, map: ClusterMap) { (self.transition, self.map) = (transition, map) }

    /// The results in both answers, as the second answer shows them.
    public var kept: Results { results(transition.kept) }
    /// The kept results as the first answer shows them, in the same order. If the two answers have different filters,
    /// the values of a result may differ.
    public var keptBefore: Results { results(transition.keptBefore) }
    /// The results of the first answer that the second answer replaces by their parts.
    public var splits: [Replacement] { transition.splits.map(replacement) }
    /// The results of the second answer that replace their parts in the first answer.
    public var merges: [Replacement] { transition.merges.map(replacement) }
    /// The results of the second answer that share no value with the results of the first answer.
    public var entered: Results { results(transition.entered) }
    /// The results of the first answer that share no value with the results of the second answer.
    public var exited: Results { results(transition.exited) }
    /// All results of the second answer that are not in the first answer.
    public var added: Results { results(transition.added) }
    /// All results of the first answer that are not in the second answer.
    public var removed: Results { results(transition.removed) }

    private func results(_ clusters: Clusters) -> Results { map.results(for: clusters) }

    private func replacement(_ other: Treeline.Transition.Replacement) -> Replacement {
      Replacement(
        whole: map.on(other.tree).result(for: other.whole), parts: results(other.parts),
        hiddenPointCount: other.hiddenPointCount, filteredOutPointCount: other.filteredOutPointCount,
        filteredInPointCount: other.filteredInPointCount)
    }
  }

  /// Makes a map of values on an existing tree, such as a tree that was opened from an index.
  ///
  /// ```swift
  /// let map = try ClusterMap(hotels, on: ClusterTree(index: "hotels.treeline"))
  /// ```
  ///
  /// - Parameters:
  ///   - values: The values from which the tree was built, in the order of its rows.
  ///   - tree: The tree.
  /// - Throws: `QueryError.tooFewValues` if a row of the tree has no value.
  /// - Complexity: O(pointCount)
  public init(_ values: [Value], on tree: ClusterTree) throws(QueryError) {
    let rowCount = tree.withStorage { storage in
      (0..<tree.pointCount).reduce(0) { max($0, storage.rows[$1] + 1) }
    }
    guard rowCount <= values.count else { throw .tooFewValues(expected: rowCount, found: values.count) }
    self.init(tree: tree, values: values, names: PropertyNames(of: tree))
  }
}

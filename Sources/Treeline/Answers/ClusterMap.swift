/// Your own values on a map: a `ClusterTree` that answers with them.
///
/// ```swift
/// let hotels = try ClusterMap(allHotels, at: \.coordinate)
/// for result in try hotels.clusters(.limit(50), in: view) { ... }
/// ```
public struct ClusterMap<Value: Sendable>: Sendable {
  /// The tree over the values' coordinates.
  public let tree: ClusterTree

  /// The values in the order in which they were given; row numbers of the tree count them.
  public let values: [Value]

  let names: PropertyNames

  /// - Parameter names: Of the tree's columns.
  package init(tree: ClusterTree, values: [Value], names: PropertyNames) {
    (self.tree, self.values, self.names) = (tree, values, names)
  }

  /// What is shown at one position of the map.
  public enum Result: Sendable {
    /// One value.
    case single(Value, Cluster)
    /// Several, shown as one.
    case cluster(Cluster, members: Members)

    /// Where it is and what it looks like, whichever of the two it is.
    public var cluster: Cluster {
      switch self {
      case .single(_, let cluster), .cluster(let cluster, _): cluster
      }
    }
  }

  /// The values of one cluster in tree order; a slice is a page and costs O(1).
  public struct Members: RandomAccessCollection, Sendable {
    let rows: RowNumbers
    let values: [Value]

    public var startIndex: Int { 0 }
    public var endIndex: Int { rows.count }
    public subscript(position: Int) -> Value { values[rows[position]] }
  }

  /// The results of an answer, in tree order, each looked up when it is asked for.
  public struct Results: RandomAccessCollection, Sendable {
    /// The same answer without the values.
    public let clusters: Clusters
    let values: [Value]
    let names: PropertyNames

    public var startIndex: Int { 0 }
    public var endIndex: Int { clusters.count }
    public subscript(position: Int) -> Result {
      ClusterMap(tree: clusters.tree, values: values, names: names).result(for: clusters[position])
    }

    /// What is told of the properties that the values of each result have; see `Clusters.values(of:)`.
    ///
    /// - Throws: `QueryError.unknownProperty` where the map has no column of a property, `AggregateError`
    public func values(of aggregates: [MapAggregate<Value>]) throws -> [[AggregateValue]] {
      try clusters.values(of: aggregates.map { try $0.named(names) })
    }
  }

  /// The clusters that stand for the values in view; see `ClusterTree.clusters(_:in:after:)` for what is guaranteed.
  ///
  /// - Parameters:
  ///   - cut: How finely the values are told apart.
  ///   - viewport: What is looked at. A detail, a spacing and badges need one with a zoom.
  ///   - previous: The answer shown before, which a limit that continues looks at.
  public func clusters(_ cut: Cut, in viewport: Viewport, after previous: Results? = nil) throws -> Results {
    try clusters(Query(cut, in: viewport), after: previous)
  }

  /// The same of a query, which holds both.
  public func clusters(_ query: Query, after previous: Results? = nil) throws -> Results {
    results(for: try tree.clusters(query, after: previous?.clusters))
  }

  /// What a tile shows; see `ClusterTree.clusters(_:centeredIn:)`.
  public func clusters(_ cut: Cut, centeredIn viewport: Viewport) throws -> Results {
    try centeredClusters(Query(cut, in: viewport))
  }

  /// The same of a query, which holds both.
  public func centeredClusters(_ query: Query) throws -> Results { results(for: try tree.centeredClusters(query)) }

  /// The answer of some clusters; see `ClusterTree.clusters(withIDs:)`.
  public func clusters(withIDs ids: some Sequence<ClusterID>) throws -> Results {
    results(for: try tree.clusters(withIDs: ids))
  }

  /// What changes from one answer to another, with your own values in it.
  ///
  /// - Precondition: both are answers of this map.
  public func transition(from first: Results, to second: Results) -> Transition {
    Transition(Treeline.Transition(from: first.clusters, to: second.clusters), map: self)
  }

  /// The answer that shows nothing, from which a first transition begins.
  public var noResults: Results { results(for: tree.noClusters) }

  /// Whether its tree has what a cut needs; all trees have what a limit and a detail do.
  public func supports(_ cut: Cut) -> Bool { tree.supports(cut) }

  /// The corners of the smallest convex area around a result's values; see `ClusterTree.convexHull(of:)`.
  public func convexHull(of result: Result) -> [Coordinate] { tree.convexHull(of: result.cluster) }

  /// The same map, of which only those values count that pass a filter; see `ClusterTree.selecting(_:)`.
  ///
  /// - Throws: `FilterError` where the tree has not the columns that the filter names, or they are of other kinds.
  public func selecting(_ filter: Filter) throws(FilterError) -> ClusterMap { on(try tree.selecting(filter)) }

  /// The same, in less time where a filter is like one before; see `ClusterTree.selecting(_:reusing:)`.
  ///
  /// - Precondition: `previous` is this map with another filter.
  public func selecting(_ filter: Filter, reusing previous: ClusterMap?) throws(FilterError) -> ClusterMap {
    on(try tree.selecting(filter, reusing: previous?.tree))
  }

  /// The same map, of which only those values count whose properties pass a filter.
  ///
  /// ```swift
  /// let cheap = try hotels.selecting(.where(\.kind, in: ["hotel", "hostel"]) && .where(\.price, .isLess, 120))
  /// ```
  ///
  /// - Parameters:
  ///   - filter: Which values count.
  ///   - previous: This map with another filter, which is reused where both are alike; nil for none.
  /// - Throws: `QueryError.unknownProperty` where the map has no column of a property, `FilterError`
  public func selecting(_ filter: MapFilter<Value>, reusing previous: ClusterMap? = nil) throws -> ClusterMap {
    try selecting(filter.named(names), reusing: previous)
  }

  /// The name of the column that stands for a property, for what takes names alone.
  ///
  /// ```swift
  /// let histogram = try hotels.tree.histogram(of: hotels.columnName(of: \.price), bins: 20, in: view)
  /// ```
  ///
  /// - Throws: `QueryError.unknownProperty`
  public func columnName(of property: PartialKeyPath<Value>) throws(QueryError) -> String {
    try names.name(of: property)
  }

  /// The same values and columns on a tree of the same points.
  private func on(_ tree: ClusterTree) -> ClusterMap { ClusterMap(tree: tree, values: values, names: names) }

  /// Whether any value is in view.
  public func hasPoint(in viewport: Viewport) throws -> Bool { try tree.hasPoint(in: viewport) }

  /// All values on the map as one result; nil where there are none.
  public var root: Result? { tree.root.map(result) }

  /// The result of an id.
  public func cluster(_ id: ClusterID) throws -> Result { result(for: try tree.cluster(id)) }

  /// The two parts of a cluster, or none where all its values have one position.
  public func children(of id: ClusterID) throws -> [Result] { try tree.children(of: id).map(result) }

  /// What a cluster is part of; nil for the root.
  public func parent(of id: ClusterID) throws -> Result? { try tree.parent(of: id).map(result) }

  /// What a cluster is part of, the root first.
  public func ancestors(of id: ClusterID) throws -> [Result] { try tree.ancestors(of: id).map(result) }

  /// What a value is part of, from the root to the value itself, or to those of its position.
  ///
  /// - Parameters:
  ///   - row: The value's index in `values`.
  ///   - coordinate: The one that it was given with.
  /// - Returns: None where it is not on the map.
  public func clusters(containingRow row: Int, at coordinate: Coordinate) throws -> [Result] {
    guard let treeIndex = try tree.treeIndex(ofRow: row, at: coordinate) else { return [] }
    return try tree.clusters(containingTreeIndex: treeIndex).map(result)
  }

  /// The zoom from which a cluster is shown by its parts; see `ClusterTree.expansionZoom(of:by:tileSize:)`.
  public func expansionZoom(of id: ClusterID, by cut: Cut, tileSize: Viewport.TileSize = .pixels256) throws -> Double? {
    try tree.expansionZoom(of: id, by: cut, tileSize: tileSize)
  }

  /// The zoom from which a value is shown by itself; see `ClusterTree.unclusteredZoom(ofTreeIndex:by:tileSize:)`.
  ///
  /// - Parameters:
  ///   - row: The value's index in `values`.
  ///   - coordinate: The one that it was given with.
  ///   - cut: By detail, spacing or badges.
  ///   - tileSize: Of which tiles the zoom is told.
  /// - Returns: nil where it is at none, or not on the map.
  public func unclusteredZoom(
    ofRow row: Int, at coordinate: Coordinate, by cut: Cut, tileSize: Viewport.TileSize = .pixels256
  ) throws -> Double? {
    guard let treeIndex = try tree.treeIndex(ofRow: row, at: coordinate) else { return nil }
    return try tree.unclusteredZoom(ofTreeIndex: treeIndex, by: cut, tileSize: tileSize)
  }

  /// The value of a cluster that lies nearest to its mean; see `ClusterTree.nearestMember(of:)`.
  public func nearestMember(of id: ClusterID) throws -> Value {
    values[tree.row(atTreeIndex: try tree.nearestMember(of: id))]
  }

  /// The same among the values in a window; nil if none is.
  public func nearestMember(of id: ClusterID, in window: PlaneWindow) throws -> Value? {
    try tree.nearestMember(of: id, in: window).map { values[tree.row(atTreeIndex: $0)] }
  }

  /// Where a result is shown; see `ClusterTree.shownPosition(of:at:keptVisibleIn:)`.
  public func shownPosition(
    of result: Result, at rule: ShownPosition.Rule? = nil, keptVisibleIn window: PlaneWindow? = nil
  ) throws -> ShownPosition { try tree.shownPosition(of: result.cluster, at: rule, keptVisibleIn: window) }

  /// The values of any cluster of the tree.
  public func members(of cluster: Cluster) -> Members { Members(rows: tree.members(of: cluster), values: values) }

  /// A cluster of the tree with its values.
  public func result(for cluster: Cluster) -> Result {
    if let row = cluster.row { return .single(values[row], cluster) }
    return .cluster(cluster, members: members(of: cluster))
  }

  /// An answer of the tree with its values.
  public func results(for clusters: Clusters) -> Results {
    Results(clusters: clusters, values: values, names: names)
  }
}

extension ClusterMap {
  /// What changes between two answers; see `Treeline.Transition` for what its parts are.
  public struct Transition: Sendable {
    /// One result on one side, and those within it that are shown on the other.
    public struct Replacement: Sendable {
      /// The one result.
      public let whole: Result
      /// What is shown within it on the other side, in tree order, one at least.
      public let parts: Results
      /// How many of the whole's values are in none of the parts.
      public let hiddenPointCount: Int
      /// How many values of the side that was shown first pass its filter and not the second answer's.
      public let filteredOutPointCount: Int
      /// How many values of the side that is shown second pass its filter and not the first answer's.
      public let filteredInPointCount: Int
    }

    private let transition: Treeline.Transition
    private let map: ClusterMap

    init(_ transition: Treeline.Transition, map: ClusterMap) { (self.transition, self.map) = (transition, map) }

    /// What both answers show.
    public var kept: Results { results(transition.kept) }
    /// The same as the first answer shows it, in the same order: under another filter it has other values.
    public var keptBefore: Results { results(transition.keptBefore) }
    /// What the first answer shows, in whose place the second shows parts of it.
    public var splits: [Replacement] { transition.splits.map(replacement) }
    /// What the second answer shows, in whose place the first shows parts of it.
    public var merges: [Replacement] { transition.merges.map(replacement) }
    /// What the second answer shows and shares no value with the first.
    public var entered: Results { results(transition.entered) }
    /// What the first answer shows and shares no value with the second.
    public var exited: Results { results(transition.exited) }
    /// All that the second answer shows and the first does not.
    public var added: Results { results(transition.added) }
    /// All that the first answer shows and the second does not.
    public var removed: Results { results(transition.removed) }

    private func results(_ clusters: Clusters) -> Results { map.results(for: clusters) }

    private func replacement(_ other: Treeline.Transition.Replacement) -> Replacement {
      Replacement(
        whole: map.on(other.tree).result(for: other.whole), parts: results(other.parts),
        hiddenPointCount: other.hiddenPointCount, filteredOutPointCount: other.filteredOutPointCount,
        filteredInPointCount: other.filteredInPointCount)
    }
  }

  /// Values on a tree that was built before, such as one opened from an index.
  ///
  /// ```swift
  /// let map = try ClusterMap(hotels, on: ClusterTree(index: "hotels.treeline"))
  /// ```
  ///
  /// - Parameters:
  ///   - values: Those that the tree was built over, in the order of its rows.
  ///   - tree: The tree.
  /// - Throws: `QueryError.tooFewValues` where a row of the tree has no value.
  /// - Complexity: O(pointCount)
  public init(_ values: [Value], on tree: ClusterTree) throws(QueryError) {
    let rowCount = tree.withStorage { storage in
      (0..<tree.pointCount).reduce(0) { max($0, storage.rows[$1] + 1) }
    }
    guard rowCount <= values.count else { throw .tooFewValues(expected: rowCount, found: values.count) }
    self.init(tree: tree, values: values, names: PropertyNames(of: tree))
  }
}

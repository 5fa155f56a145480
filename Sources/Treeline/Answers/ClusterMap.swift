/// Your own values on a map: a `ClusterTree` whose answers contain the values.
///
/// ```swift
/// let hotels = try ClusterMap(allHotels, at: \.coordinate)
/// for result in try hotels.clusters(.limit(50), in: view) {
///   draw(result.value?.name ?? "\(result.count) hotels", at: result.coordinate)
/// }
/// ```
public struct ClusterMap<Value: Sendable>: Sendable {
  /// The tree over the values' coordinates.
  public let tree: ClusterTree

  /// The values in the order in which they were given. Rows of the tree are indices of this array.
  public let values: [Value]

  let names: PropertyNames

  /// Data from the build of the map, kept for later edits; nil if the map was made on an existing tree.
  package let recipe: (any AnyObject & Sendable)?

  /// - Parameter names: The names of the tree's columns.
  package init(
    tree: ClusterTree, values: [Value], names: PropertyNames, recipe: (any AnyObject & Sendable)? = nil
  ) { (self.tree, self.values, self.names, self.recipe) = (tree, values, names, recipe) }

  /// A result of a query: a value or a cluster of values, shown at one position of the map.
  public struct Result: Identifiable, Sendable {
    /// The cluster without its values. A cluster has bounds and a radius, and can be passed to functions of
    /// `ClusterTree`.
    public let cluster: Cluster

    /// The values of the cluster, in tree order; under a filter, the values that pass.
    public let members: Members

    /// The id, which is the same for every viewport, cut and filter of one map.
    public var id: ClusterID { cluster.id }

    /// The position at which the result is shown; see `Cluster.coordinate`.
    public var coordinate: Coordinate { cluster.coordinate }

    /// The number of values, including values out of view; under a filter, the number of values that pass.
    public var count: Int { cluster.pointCount }

    /// Whether the result is a single value.
    public var isSingle: Bool { cluster.pointCount == 1 }

    /// The value, if the result is a single value; nil if the result is a cluster of several values.
    public var value: Value? { cluster.row.map { members.values[$0] } }
  }

  /// The values of one cluster in tree order. Taking a slice, such as a page of a list, costs O(1).
  public struct Members: RandomAccessCollection, Sendable {
    let rows: RowNumbers
    let values: [Value]

    public var startIndex: Int { 0 }
    public var endIndex: Int { rows.count }
    public subscript(position: Int) -> Value { values[rows[position]] }
  }

  /// The results of an answer, in tree order. Each result is computed on access.
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
  ///   - previous: The previous answer. Only a cut with a continuing limit uses it; see `Cut.Continuity`.
  public func clusters(_ cut: Cut, in viewport: Viewport, after previous: Results? = nil) throws -> Results {
    try clusters(Query(cut, in: viewport), after: previous)
  }

  /// Returns the clusters of a query, which contains a cut and a viewport.
  public func clusters(_ query: Query, after previous: Results? = nil) throws -> Results {
    results(for: try tree.clusters(query, after: previous?.clusters))
  }

  /// Returns the clusters whose positions lie in a viewport, such as a map tile; see
  /// `ClusterTree.clusters(_:centeredIn:)`.
  package func clusters(_ cut: Cut, centeredIn viewport: Viewport) throws -> Results {
    results(for: try tree.clusters(cut, centeredIn: viewport))
  }

  /// Returns an answer that consists of the clusters with the given ids; see `ClusterTree.clusters(withIDs:)`.
  public func clusters(withIDs ids: some Sequence<ClusterID>) throws -> Results {
    results(for: try tree.clusters(withIDs: ids))
  }

  /// Returns the changes from one answer to another as lists of results with your own values.
  ///
  /// - Precondition: `first` and `second` are answers of this map.
  public func transition(from first: Results, to second: Results) -> Transition {
    Transition(ClusterTransition(from: first.clusters, to: second.clusters), map: self)
  }

  /// An answer without results, from which the first transition can start.
  public var noResults: Results { results(for: tree.noClusters) }

  /// Returns the same map under a filter: values that fail the filter are left out. Filtering is faster if `previous`
  /// has a similar filter; see `ClusterTree.filtered(by:reusing:)`.
  ///
  /// - Throws: `FilterError` if the tree lacks a column that the filter names, or if a column is of another kind than
  ///   the filter expects.
  /// - Precondition: `previous` is this map with another filter.
  public func filtered(by filter: Filter, reusing previous: ClusterMap? = nil) throws -> ClusterMap {
    on(try tree.filtered(by: filter, reusing: previous?.tree))
  }

  /// Returns the same map under a filter: values whose properties fail the filter are left out.
  ///
  /// ```swift
  /// let cheap = try hotels.filtered(by: \.price < 120 && \.kind == .hotel)
  /// ```
  ///
  /// - Parameters:
  ///   - filter: The filter that values must pass.
  ///   - previous: This map under another filter, or nil. If the two filters are similar, results of the other filter
  ///     are reused.
  /// - Throws: `QueryError.unknownProperty` if the map has no column for a property; `FilterError` if a condition does
  ///   not suit the kind of a column.
  public func filtered(by filter: MapFilter<Value>, reusing previous: ClusterMap? = nil) throws -> ClusterMap {
    try filtered(by: filter.named(names), reusing: previous)
  }

  /// Returns an aggregate of a property for each result of an answer; see `Clusters.values(of:)`.
  ///
  /// ```swift
  /// let means = try hotels.values(of: .mean(\.price), for: shown)    // [Double?]
  /// ```
  ///
  /// - Parameters:
  ///   - aggregate: An aggregate of a property.
  ///   - results: An answer of this map, with or without a filter.
  /// - Throws: `QueryError.unknownProperty` if the map has no column for the property, or another `QueryError` if the
  ///   type `Found` cannot hold the value of the aggregate; `AggregateError` as for `Clusters.values(of:)`.
  public func values<Found>(of aggregate: MapAggregate<Value, Found>, for results: Results) throws -> [Found] {
    let named = try aggregate.named(names)
    return try results.clusters.values(of: [named]).map { try aggregate.result($0[0]) }
  }

  /// Returns an aggregate of a property for one result. If the result is from an answer with a filter, only the values
  /// that pass the filter are aggregated.
  ///
  /// ```swift
  /// let mean = try hotels.value(of: .mean(\.price), for: shown[0])    // Double?
  /// ```
  ///
  /// - Parameters:
  ///   - aggregate: An aggregate of a property.
  ///   - result: A result of this map, with or without a filter.
  /// - Throws: As `values(of:for:)`.
  public func value<Found>(of aggregate: MapAggregate<Value, Found>, for result: Result) throws -> Found {
    let named = try aggregate.named(names)
    return try aggregate.result(result.members.rows.tree.values(of: [named], for: result.cluster)[0])
  }

  /// Returns several aggregates whose values have the same type, such as the means of several properties. The returned
  /// array has one list for each result of the answer. Each list is in the order of `aggregates`.
  ///
  /// - Throws: As `values(of:for:)` with one aggregate.
  public func values<Found>(of aggregates: [MapAggregate<Value, Found>], for results: Results) throws -> [[Found]] {
    let named = try aggregates.map { try $0.named(names) }
    return try results.clusters.values(of: named).map { try zip(aggregates, $0).map { try $0.result($1) } }
  }

  /// Returns several aggregates of properties for each result of an answer. Each element of the returned array is a
  /// tuple with one value for each aggregate.
  ///
  /// ```swift
  /// for (count, mean) in try hotels.values(of: .count, .mean(\.price), for: shown) { ... }
  /// ```
  ///
  /// - Parameters:
  ///   - aggregates: One or more aggregates of properties.
  ///   - results: An answer of this map, with or without a filter.
  /// - Throws: `QueryError.unknownProperty` if the map has no column for a property, or another `QueryError` if a type
  ///   in `Found` cannot hold the value of its aggregate; `AggregateError` as for `Clusters.values(of:)`.
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
  public func columnName(of property: PartialKeyPath<Value>) throws -> String {
    try names.name(of: property)
  }

  /// Returns a map with the same values and columns, but with another tree. Both trees have the same points.
  private func on(_ tree: ClusterTree) -> ClusterMap {
    ClusterMap(tree: tree, values: values, names: names, recipe: recipe)
  }

  /// All values on the map as one result; nil if the map has no values.
  public var root: Result? { tree.root.map(result) }

  /// Returns the result with an id.
  public func cluster(_ id: ClusterID) throws -> Result { result(for: try tree.cluster(id)) }

  /// Returns the two parts of a cluster. The array is empty if all values of the cluster have the same position.
  public func children(of result: Result) throws -> [Result] { try tree.children(of: result.id).map(self.result) }

  /// Returns the result directly above a cluster; nil for the root.
  public func parent(of result: Result) throws -> Result? { try tree.parent(of: result.id).map(self.result) }

  /// Returns the results that contain a value, from the root down. The last result is the value itself or, if several
  /// values share its position, the cluster of these values.
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
  /// `ClusterTree.separationZoom(of:for:tileSize:)`.
  public func separationZoom(
    of result: Result, for cut: Cut, tileSize: Viewport.TileSize = .pixels256
  ) throws -> Double? { try tree.separationZoom(of: result.id, for: cut, tileSize: tileSize) }

  /// Returns the zoom from which a value is shown unclustered; see `ClusterTree.unclusteredZoom(of:for:tileSize:)`.
  ///
  /// - Parameters:
  ///   - row: The value's index in `values`.
  ///   - coordinate: The coordinate of the value when the map was built.
  ///   - cut: A cut with a detail, a spacing or badges.
  ///   - tileSize: The size of the tiles to which the zoom refers.
  /// - Returns: The zoom; nil if there is no such zoom, or if the value is not on the map.
  public func unclusteredZoom(
    ofRow row: Int, at coordinate: Coordinate, for cut: Cut, tileSize: Viewport.TileSize = .pixels256
  ) throws -> Double? {
    guard let treeIndex = try tree.treeIndex(ofRow: row, at: coordinate) else { return nil }
    return try tree.unclusteredZoom(ofTreeIndex: treeIndex, for: cut, tileSize: tileSize)
  }

  /// Returns the member of a cluster that is nearest to the cluster's mean.
  ///
  /// - Complexity: O(log pointCount) for most clusters; O(n) if the cluster has n values and most of them are equally
  ///   far from its mean.
  package func nearestMember(of result: Result) throws -> Value {
    values[tree.row(atTreeIndex: try tree.nearestMember(of: result.id))]
  }

  /// Returns a cluster of the tree as a result with its values.
  public func result(for cluster: Cluster) -> Result {
    Result(cluster: cluster, members: Members(rows: tree.members(of: cluster), values: values))
  }

  /// Returns an answer of the tree as results with their values.
  package func results(for clusters: Clusters) -> Results {
    Results(clusters: clusters, values: values, names: names)
  }
}

extension ClusterMap {
  /// The changes between two answers; see `ClusterTransition` for the meaning of each list.
  public struct Transition: Sendable {
    /// A result of one answer, and the results of the other answer that lie within this result.
    public struct Replacement: Sendable {
      /// The result that contains the parts.
      public let whole: Result
      /// The results of the other answer that lie within `whole`, in tree order; at least one.
      public let parts: Results
    }

    private let transition: ClusterTransition
    private let map: ClusterMap

    init(_ transition: ClusterTransition, map: ClusterMap) { (self.transition, self.map) = (transition, map) }

    /// The results that occur in both answers, as the second answer shows them.
    public var kept: Results { results(transition.kept) }
    /// For each split: the result in the first answer, and the parts that replace it in the second answer.
    public var splits: [Replacement] { transition.splits.map(replacement) }
    /// For each merge: the parts in the first answer, and the result that replaces them in the second answer.
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

    private func replacement(_ other: ClusterTransition.Replacement) -> Replacement {
      Replacement(whole: map.on(other.tree).result(for: other.whole), parts: results(other.parts))
    }
  }

  /// Makes a map of values on an existing tree, such as a tree that was opened from an index.
  ///
  /// ```swift
  /// let map = try ClusterMap(allHotels, at: \.coordinate, on: ClusterTree(contentsOfFile: "hotels.treeline"))
  /// ```
  ///
  /// The initializer checks that each value lies at the position that the tree has for the value's row. So a value
  /// never gets the cluster of a value at another position. Properties are not compared: filters and aggregates use the
  /// columns of the tree, even if a property has changed since the tree was built.
  ///
  /// - Parameters:
  ///   - values: The values from which the tree was built, in the order of its rows.
  ///   - coordinate: Returns the coordinate of a value; a key path is enough.
  ///   - tree: The tree.
  /// - Throws: `QueryError.differentValue` with the first row that differs; another `QueryError` if a row of the tree
  ///   has no value; any error that `coordinate` throws.
  /// - Complexity: O(pointCount + values.count)
  public init(_ values: [Value], at coordinate: (Value) throws -> Coordinate, on tree: ClusterTree) throws {
    let rowCount = tree.withStorage { storage in
      (0..<tree.pointCount).reduce(0) { max($0, storage.rows[$1] + 1) }
    }
    guard rowCount <= values.count else { throw QueryError.tooFewValues(expected: rowCount, found: values.count) }
    if let error = try Self.firstDifference(of: values, at: coordinate, from: tree) { throw error }
    self.init(tree: tree, values: values, names: PropertyNames(of: tree))
  }

  /// Returns an error about the first row whose value and point have different positions; nil if there is no such row.
  ///
  /// - Precondition: Each row of the tree has a value.
  private static func firstDifference(
    of values: [Value], at coordinate: (Value) throws -> Coordinate, from tree: ClusterTree
  ) throws -> QueryError? {
    let plane = tree.plane
    var first = (row: values.count, point: PlanePoint?.none)
    // For each row of the input, whether it is missing from the tree. A row is missing if it has no position.
    var isMissing = [Bool](repeating: tree.pointCount < values.count, count: values.count)
    try tree.withStorage { storage in
      for treeIndex in 0..<tree.pointCount {
        let row = storage.rows[treeIndex]
        isMissing[row] = false
        guard row < first.row else { continue }
        let found = try coordinate(values[row])
        if !found.isFinite || plane.point(at: found) != storage.points[treeIndex] {
          first = (row, storage.points[treeIndex])
        }
      }
    }
    for row in 0..<first.row where isMissing[row] {
      if let found = try? coordinate(values[row]), found.isFinite { first = (row, nil) }
      if first.row == row { break }
    }
    guard first.row < values.count else { return nil }
    return .differentValue(
      row: first.row, expected: first.point.map { plane.coordinate(x: Double($0.x), y: Double($0.y)) },
      found: try coordinate(values[first.row]))
  }
}

extension Coordinate {
  fileprivate var isFinite: Bool { longitude.isFinite && latitude.isFinite }
}

import GridBaseline
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// `/v1/{index}/clusters` and the routes below it.
enum ClusterRoutes {
  enum Method: String, CaseIterable {
    case pca
    case grid
  }

  static func clusters(_ request: inout IndexRequestContext) -> Representation {
    let index = request.index
    let method = request.parameters.choice("method", of: Method.self) ?? .pca
    switch method {
    case .pca:
      let query = ServedQuery(&request.parameters, of: request.tree)
      let style = ClusterStyle(&request.parameters, of: request.tree)
      let (selection, aggregates) = (request.selection(), ServedAggregates(&request.parameters))
      let cost = selection.cost + aggregates.cost(ofClusters: query.cost(of: index.tree), in: selection)
      return Representation(ContentType.geoJSON, cost: cost) { bytes in
        let tree = try selection.tree()
        try style.write(try query.clusters(of: tree), of: tree, index, for: query, aggregates, to: &bytes)
      }
    case .grid:
      let viewport = Viewport(&request.parameters)
      let view = request.parameters.locate(viewport, on: request.tree.plane)
      let cells = GridCells(&request.parameters, of: request.tree, in: view)
      return Representation(ContentType.geoJSON, cost: cells.cost(of: index, in: view)) { bytes in
        try write(try cells.clusters(of: index, in: viewport), of: index, to: &bytes)
      }
    }
  }

  private static func write(_ clusters: [GridCluster], of index: ServedIndex, to bytes: inout OutputBytes) throws {
    let (grid, tree) = (index.grid, index.tree)
    index.features.open(&bytes)
    try index.features.append(clusters, to: &bytes) { cluster in
      ClusterFeature(cluster, of: grid, in: tree)
    }
  }

  static func cluster(_ request: inout IndexRequestContext) throws -> Representation {
    try feature(&request) { tree, id in try tree.cluster(id) }
  }

  static func parent(_ request: inout IndexRequestContext) throws -> Representation {
    try feature(&request) { tree, id in
      guard let parent = try tree.parent(of: id) else {
        throw Problem.notFound("The cluster of all points has no parent.")
      }
      return parent
    }
  }

  private static func feature(
    _ request: inout IndexRequestContext, of cluster: @escaping @Sendable (ClusterTree, ClusterID) throws -> Cluster
  ) throws -> Representation {
    let (index, id, style) = (request.index, try request.clusterID(), FeatureStyle(&request))
    return Representation(ContentType.geoJSON, cost: style.cost(ofClusters: 1)) { bytes in
      let tree = try style.selection.tree()
      index.features.append(try style.feature(try cluster(tree, id), of: tree), to: &bytes)
      bytes.append("\n")
    }
  }

  static func children(_ request: inout IndexRequestContext) throws -> Representation {
    let (index, id, style) = (request.index, try request.clusterID(), FeatureStyle(&request))
    return Representation(ContentType.geoJSON, cost: style.cost(ofClusters: 2)) { bytes in
      let tree = try style.selection.tree()
      let children = try tree.children(of: id)
      index.features.open(&bytes)
      try index.features.append(children, to: &bytes) { try style.feature($0, of: tree) }
    }
  }

  static func members(_ request: inout IndexRequestContext) throws -> Representation {
    let (index, id) = (request.index, try request.clusterID())
    let offset = request.parameters.integer("offset", in: 0...1 << 31) ?? 0
    let limit = request.parameters.integer("limit", in: 1...1000) ?? 100
    let selection = request.selection()
    let order = request.parameters.text("sort").map { MemberOrder($0) }
    if let order, request.tree.column(order.column) == nil {
      request.parameters.refuse(
        "sort", expected: "a column of the index, with '-' before it for descending order", found: order.text)
    }
    if order != nil, offset + limit > MemberOrder.mostPlaces {
      let most = MemberOrder.mostPlaces - limit
      request.parameters.refuse(
        "offset", expected: "an offset of at most \(most) for sorted points", found: "\(offset)")
    }
    // The cost is high, because for each returned member, the route looks up all clusters that contain the member.
    // Sorting also reads a value of every member.
    let memberCount = (try? request.tree.cluster(id).pointCount) ?? 0
    let cost = selection.cost + 4 * limit + (order == nil ? 0 : max(memberCount / 5, AnswerCost.ofMeasures))
    return Representation(ContentType.geoJSON, cost: cost) { bytes in
      let tree = try selection.tree()
      let members = tree.members(of: try tree.cluster(id))
      let sorted = try order?.first(offset + limit, of: members, in: tree)
      index.features.open(&bytes, offset: offset, total: members.count)
      try index.features.append(members.indices.dropFirst(offset).prefix(limit), to: &bytes) {
        try ClusterFeature(ofSinglePointAt: members.treeIndex(at: sorted?[$0] ?? $0), of: tree)
      }
    }
  }

  static func expansionZoom(_ request: inout IndexRequestContext) throws -> Representation {
    let (id, selection) = (try request.clusterID(), request.selection())
    let cut = Cut(byPixels: &request.parameters, of: request.tree)
    request.parameters.requireCutByPixels(cut)
    let tileSize = request.parameters.tileSize("tile-size") ?? .pixels256
    return .json(cost: 1 + selection.cost) {
      let tree = try selection.tree()
      let zoom = try cut.flatMap { try tree.separationZoom(of: id, for: $0, tileSize: tileSize) }
      // A cluster with fewer points than `min-points` is never shown: its points are shown alone at every zoom. The
      // separation zoom of such a cluster is -infinity, and the route returns 0.
      return ["zoom": QueryParameters.Bounds().reached(zoom).map { max($0, 0) }]
    }
  }

  static func whereIs(_ request: inout IndexRequestContext) throws -> Representation {
    let index = request.index
    let row = request.parameters.integer("row", in: 0...1 << 53)
    if !request.parameters.has("row") {
      request.parameters.refuse("row", expected: "the number of a row in the input, counted from 0", found: nil)
    }
    let cut = Cut(byPixels: &request.parameters, of: request.tree)
    if cut == nil {
      request.parameters.refuse(["tile-size"], expected: "no tile size without \(Cut.pixelCriteria)")
    }
    let tileSize = request.parameters.tileSize("tile-size") ?? .pixels256
    let selection = request.selection()
    let cost = selection.cost + (index.hasRowOrder ? 50 : AnswerCost.ofPreparing(index.tree))
    return Representation(ContentType.json, cost: cost) { bytes in
      guard let row, let treeIndex = index.treeIndex(ofRow: row) else {
        throw Problem.notFound("This index has no point with this row number.")
      }
      let tree = try selection.tree()
      guard tree.isIncluded(TreeIndex(rawValue: treeIndex)) else {
        throw Problem.notFound("The point with this row number does not pass the filter.")
      }
      bytes.append("{\"row\":")
      bytes.append(row)
      bytes.append(",\"feature\":")
      index.features.append(try ClusterFeature(ofSinglePointAt: treeIndex, of: tree), to: &bytes)
      bytes.append(",\"path\":[")
      for (number, cluster) in try tree.clusters(containing: TreeIndex(rawValue: treeIndex)).enumerated() {
        if number > 0 { bytes.append(",\n") } else { bytes.append("\n") }
        index.transitions.append(cluster, to: &bytes)
      }
      bytes.append("\n]")
      if let cut {
        bytes.append(",\"zoom_alone\":")
        let zoom = try tree.unclusteredZoom(
          of: TreeIndex(rawValue: treeIndex), for: cut, tileSize: tileSize)
        bytes.append(json: QueryParameters.Bounds().reached(zoom).map { max($0, 0) })
      }
      bytes.append("}\n")
    }
  }
}

/// The order of a cluster's members by their values in a column: numbers, then texts, then members without a value.
/// Members with equal values keep the order of the tree.
private struct MemberOrder {
  let text: String
  let column: String
  let isDescending: Bool

  /// Maximum sum of offset and limit. Sorting reads the values of all members, but keeps only about this many members
  /// in memory.
  static let mostPlaces = 200_000

  private enum Value {
    case number(Double)
    case text(String)
    case missing

    var rank: Int {
      switch self {
      case .number: 0
      case .text: 1
      case .missing: 2
      }
    }
  }

  private typealias Place = (value: Value, member: Int)

  init(_ text: String) {
    self.text = text
    isDescending = text.hasPrefix("-")
    column = isDescending ? String(text.dropFirst()) : text
  }

  /// Returns the member numbers of the first members in this order.
  ///
  /// - Complexity: O(members log count) time and O(count) memory.
  func first(_ count: Int, of members: RowNumbers, in tree: ClusterTree) throws -> [Int] {
    let column = tree.column(column)
    let capacity = max(2 * min(count, members.count), 4096)
    var places: [Place] = []
    places.reserveCapacity(capacity)
    /// The last of the members that the latest sort kept; nil before the first sort. A sort keeps the first `count` of
    /// all members that were read until then. A member that is read later is left out if it comes after `last` in the
    /// order.
    var last: Place?
    for member in 0..<members.count {
      if member & 1023 == 1023 { try Cancellation.check() }
      let place = (value: value(of: column, atTreeIndex: members.treeIndex(at: member)), member: member)
      if let last, !precedes(place, last) { continue }
      places.append(place)
      guard places.count == capacity else { continue }
      places.sort(by: precedes)
      places.removeLast(places.count - count)
      last = places.last
    }
    places.sort(by: precedes)
    return places.prefix(count).map(\.member)
  }

  private func value(of column: Column?, atTreeIndex treeIndex: Int) -> Value {
    switch column?.value(atTreeIndex: treeIndex) {
    case .number(let text)?: .number(Double(text) ?? 0)
    case .string(let text)?, .json(let text)?: .text(text)
    case .bool(let flag)?: .number(flag ? 1 : 0)
    case .null?, nil: .missing
    }
  }

  private func precedes(_ one: Place, _ other: Place) -> Bool {
    switch (one.value, other.value) {
    case (.number(let a), .number(let b)) where a != b: (a < b) != isDescending
    case (.text(let a), .text(let b)) where a != b: (a < b) != isDescending
    default: (one.value.rank, one.member) < (other.value.rank, other.member)
    }
  }
}

/// Options of a request that returns single clusters.
private struct FeatureStyle {
  let selection: ServedSelection
  private let aggregates: ServedAggregates
  private let requested: [RequestedProperty]

  init(_ request: inout IndexRequestContext) {
    selection = request.selection()
    aggregates = ServedAggregates(&request.parameters)
    requested = request.parameters.requestedProperties()
  }

  func cost(ofClusters count: Int) -> Int { selection.cost + aggregates.cost(ofClusters: count, in: selection) }

  func feature(_ cluster: Cluster, of tree: ClusterTree) throws -> ClusterFeature {
    var feature = ClusterFeature(cluster, of: tree, with: requested)
    if let values = try aggregates.values(of: cluster, in: tree) {
      feature.aggregates = zip(aggregates.names, values).map { ($0, $1) }
    }
    return feature
  }
}

extension FeatureCollectionWriter {
  /// Appends the features of a collection and closes the collection.
  @inline(__always) func append<Items: Sequence>(
    _ items: Items, to bytes: inout OutputBytes, feature: (Items.Element) throws -> ClusterFeature
  ) throws {
    for (number, item) in items.enumerated() {
      append(try feature(item), isFirst: number == 0, to: &bytes)
      if number & 15 == 15 { try bytes.check() }
    }
    close(&bytes)
  }
}

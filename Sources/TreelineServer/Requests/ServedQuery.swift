@_spi(Server) import GridBaseline
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// The query of a request, and its viewport on the plane of an index.
struct ServedQuery {
  let query: Query
  /// The viewport on the plane; nil if the viewport is invalid or lies outside the square of the plane. A viewport can
  /// lie outside the square only if the index has no map projection.
  let view: PlaneViewport?

  /// Reads the query from the parameters of a request.
  ///
  /// - Parameters:
  ///   - defaultZoom: Zoom of the viewport if the request has none.
  ///   - canContinue: Whether the answer may continue a previous answer.
  init(
    _ parameters: inout QueryParameters, of tree: ClusterTree, defaultZoom: Double? = nil, canContinue: Bool = false
  ) {
    if !canContinue { parameters.refuse(["continuing"], expected: "no such parameter") }
    parameters.refuse(["cell"], expected: "a request with method=grid")
    var query = Query(&parameters, defaultZoom: defaultZoom)
    query.cut.limit = min(query.cut.limit, QueryParameters.largestLimit)
    self.query = query
    view = parameters.locate(query.viewport, on: tree.plane)
    parameters.requireSupport(for: query.cut, of: tree)
  }

  /// Estimated cost in units of `AnswerCost`.
  func cost(of tree: ClusterTree) -> Int { query.cut.cost(in: view, of: tree) }

  func clusters(of tree: ClusterTree, after previous: Clusters? = nil) throws -> Clusters {
    try tree.clusters(query, after: previous)
  }
}

extension Cut {
  /// Reads a cut whose criterion is in pixels. Such a cut does not depend on the viewport.
  ///
  /// - Parameter default: Cut to use if the request has none; nil if the request must have a cut.
  /// - Returns: nil if the request has no valid cut.
  init?(byPixels parameters: inout QueryParameters, of tree: ClusterTree, default standard: Cut? = nil) {
    parameters.refuse(Cut.limitParameters, expected: "no such parameter here; use \(Cut.pixelCriteria) instead")
    parameters.refuse(["cell"], expected: "no such parameter here")
    self.init(&parameters, default: standard ?? .standard)
    parameters.requireSupport(for: self, of: tree)
    if pixelParameter == nil { return nil }
  }
}

extension QueryParameters {
  /// Returns the viewport on a plane. Returns nil if no part of the plane is in view, or if the viewport is invalid.
  mutating func locate(_ viewport: Viewport, on plane: Plane) -> PlaneViewport? {
    if !faults.isEmpty { return nil }
    do { return try viewport.located(on: plane) } catch {
      let name = viewport.areaParameter
      refuse(name, expected: Self.expectation(of: error), found: value(name))
      return nil
    }
  }

  /// Returns the part of an error text between "expected" and "found".
  private static func expectation(of error: QueryError) -> String {
    var text = "\(error)"[...]
    if text.hasPrefix("expected ") { text = text.dropFirst("expected ".count) }
    if let range = text.firstRange(of: ", found ") { text = text[..<range.lowerBound] }
    return String(text)
  }

  mutating func requireSupport(for cut: Cut, of tree: ClusterTree) {
    guard !tree.supports(cut), let name = cut.pixelParameter else { return }
    refuse(
      name, expected: "no \(name), because the index does not support \(name); build it with '--for \(name)'",
      found: value(name))
  }

  /// Returns the properties that the features of the answer have on request. Members and hulls are not served, because
  /// they take time that grows with the number of points. Clients of the server have no use for tree indices.
  mutating func requestedProperties() -> [RequestedProperty] {
    flag(RequestedProperty.ellipses.rawValue) ? [.ellipses] : []
  }

  mutating func requireCutByPixels(_ cut: Cut?) {
    if cut == nil { refuse("spacing", expected: "\(Cut.pixelCriteria), in pixels", found: nil) }
  }
}

/// Size of the grid cells in a request.
struct GridCells {
  let size: CellSize

  /// Maximum number of cells in view. Without this bound, a request for small cells would return all points. The bound
  /// does not apply to an index with at most `most` points.
  static let most = 16_384

  init(_ parameters: inout QueryParameters, of tree: ClusterTree, in view: PlaneViewport?) {
    parameters.refuse(Cut.parameterNames, expected: "no such parameter with method=grid; use 'cell' instead")
    parameters.refuse(
      ["filter", "aggregate", "position", "keep-visible"] + [RequestedProperty.ellipses.rawValue],
      expected: "no such parameter with method=grid; leave out 'method' to use it")
    let pixels = parameters.number(
      "cell", in: Double.leastNormalMagnitude...Double.greatestFiniteMagnitude, expected: "a number of pixels above 0")
    size = pixels.map(CellSize.pixels) ?? .published
    guard let view else { return }
    guard let zoom = view.zoom else {
      parameters.refuse("zoom", expected: "a zoom, because the width of a cell is in pixels", found: nil)
      return
    }
    guard tree.pointCount > Self.most, let side = try? size.units(zoom: zoom) else { return }
    let columns = (view.width / Double(side)).rounded(.up) + 1
    let rows = (view.height / Double(side)).rounded(.up) + 1
    if columns * rows > Double(Self.most) {
      parameters.refuse(
        "cell", expected: "wider cells, a lower zoom or a smaller box, so that at most \(Self.most) cells are in view",
        found: parameters.value("cell"))
    }
  }

  /// Estimated cost in units of `AnswerCost`.
  func cost(of index: ServedIndex, in view: PlaneViewport?) -> Int {
    guard index.hasGrid else { return AnswerCost.ofPreparing(index.tree) }
    guard let view, let zoom = view.zoom, let side = try? size.units(zoom: zoom) else { return 1 }
    let cells = view.width / Double(side) * view.height / Double(side)
    return Int(min(cells, Double(min(Self.most, index.tree.pointCount)))) + 1
  }

  func clusters(of index: ServedIndex, in viewport: Viewport) throws -> [GridCluster] {
    try index.grid.clusters(in: viewport, cellSize: size)
  }
}

/// Options of a request that returns clusters: the positions of the clusters, and their additional properties.
struct ClusterStyle {
  private let positions: PositionStyle
  private let requested: [RequestedProperty]

  init(_ parameters: inout QueryParameters, of tree: ClusterTree) {
    positions = PositionStyle(&parameters, of: tree)
    requested = parameters.requestedProperties()
  }

  /// Writes an answer as a FeatureCollection.
  ///
  /// - Parameters:
  ///   - clusters: Clusters of a tree of the index. The tree may have a filter.
  ///   - tree: The tree of these clusters.
  ///   - index: The index.
  ///   - query: The query that the clusters answer.
  ///   - aggregates: Aggregates of each cluster.
  ///   - bytes: Output to which the collection is appended.
  func write(
    _ clusters: Clusters, of tree: ClusterTree, _ index: ServedIndex, for query: ServedQuery,
    _ aggregates: ServedAggregates, to bytes: inout OutputBytes
  ) throws {
    // The writer and the view are made once for all clusters. If they were made for each cluster, the reference count
    // of a tree would be incremented each time, which takes as long as writing a number.
    let (writer, view) = (index.features, view(of: query))
    let values = try aggregates.values(of: clusters, in: tree)
    writer.open(&bytes)
    try writer.append(clusters.indices, to: &bytes) { number in
      let cluster = clusters[number]
      let position = try positions.position(of: cluster, of: tree, keptVisibleIn: view)
      var feature = ClusterFeature(cluster, of: tree, at: position, with: requested, cut: query.query.cut)
      if let values { feature.aggregates = zip(aggregates.names, values[number]).map { ($0, $1) } }
      return feature
    }
  }

  /// Returns a function that gives the position at which an answer shows a cluster.
  ///
  /// - Parameter query: Query of the answer; nil if the query is unknown.
  func coordinates(of tree: ClusterTree, for query: ServedQuery?) -> TransitionWriter.Position {
    let view = query.flatMap(view(of:))
    return {
      try Cancellation.check()
      return try positions.position(of: $0, of: tree, keptVisibleIn: view)?.coordinate ?? $0.coordinate
    }
  }

  private func view(of served: ServedQuery) -> PlaneViewport? {
    positions.view(for: served.query, in: served.view)
  }
}

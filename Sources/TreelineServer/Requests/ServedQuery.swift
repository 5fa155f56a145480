import GridBaseline
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// A query of a request, and where it looks on an index's plane.
struct ServedQuery {
  let query: Query
  /// nil where it is off a plain plane's square, and nothing is in view.
  let view: PlaneViewport?

  /// - Parameters:
  ///   - defaultZoom: That of another query, where this one says none.
  ///   - canContinue: Whether the route has a previous answer.
  init(
    _ parameters: inout QueryParameters, of tree: ClusterTree, defaultZoom: Double? = nil, canContinue: Bool = false
  ) {
    if !canContinue { parameters.refuse(["continuing"], expected: "no such parameter") }
    parameters.refuse(["cell"], expected: "a method=grid beside it")
    var query = Query(&parameters, defaultZoom: defaultZoom)
    query.cut.limit = min(query.cut.limit, QueryParameters.largestLimit)
    self.query = query
    view = parameters.locate(query.viewport, on: tree.plane)
    parameters.requireSupport(for: query.cut, of: tree)
  }

  /// See `AnswerCost`.
  func cost(of tree: ClusterTree) -> Int { query.cut.cost(in: view, of: tree) }

  func clusters(of tree: ClusterTree, after previous: Clusters? = nil) throws -> Clusters {
    try tree.clusters(query, after: previous)
  }
}

extension Cut {
  /// Reads a cut that is the same for all viewports.
  ///
  /// - Parameter default: Where none is told, if that is not wrong.
  /// - Returns: nil where there is none.
  init?(byPixels parameters: inout QueryParameters, of tree: ClusterTree, default standard: Cut? = nil) {
    parameters.refuse(Cut.limitParameters + ["cell"], expected: "no such parameter")
    self.init(&parameters, default: standard ?? .standard)
    parameters.requireSupport(for: self, of: tree)
    if !isByPixels { return nil }
  }
}

extension QueryParameters {
  /// Where a viewport is on a plane; nil where nothing of the plane is in view.
  mutating func locate(_ viewport: Viewport, on plane: Plane) -> PlaneViewport? {
    if !faults.isEmpty { return nil }
    do { return try viewport.located(on: plane) } catch {
      let name = viewport.areaParameter
      refuse(name, expected: Self.expectation(of: error), found: value(name))
      return nil
    }
  }

  /// Errors of viewports read "expected …, found …".
  private static func expectation(of error: QueryError) -> String {
    var text = "\(error)"[...]
    if text.hasPrefix("expected ") { text = text.dropFirst("expected ".count) }
    if let range = text.firstRange(of: ", found ") { text = text[..<range.lowerBound] }
    return String(text)
  }

  mutating func requireSupport(for cut: Cut, of tree: ClusterTree) {
    guard !tree.supports(cut), let name = cut.pixelParameter else { return }
    let expected = cut.badgeScale != nil ? "not grown for badges" : "without separations, or grown for badges"
    refuse(name, expected: "no \(name) of an index \(expected)", found: value(name))
  }

  mutating func requireCutByPixels(_ cut: Cut?) {
    if cut == nil { refuse("spacing", expected: "\(PixelCriterion.list()), in pixels", found: nil) }
  }
}

/// The cells in which a request has the grid laid.
struct GridCells {
  let size: CellSize

  /// Without a bound a small cell would make an answer of all points; an index of so few may be asked for all of them.
  static let most = 16_384

  init(_ parameters: inout QueryParameters, of tree: ClusterTree, in view: PlaneViewport?) {
    parameters.refuse(Cut.parameterNames, expected: "no method=grid beside it, which has cells of a size instead")
    let pixels = parameters.number(
      "cell", in: Double.leastNormalMagnitude...Double.greatestFiniteMagnitude, expected: "a number of pixels above 0")
    size = pixels.map(CellSize.pixels) ?? .published
    guard let view else { return }
    guard let zoom = view.zoom else {
      parameters.refuse("zoom", expected: "a zoom, as a cell is so many pixels wide", found: nil)
      return
    }
    guard tree.pointCount > Self.most, let side = try? size.units(zoom: zoom) else { return }
    let columns = (Double(view.window.width) / Double(side)).rounded(.up) + 1
    let rows = (Double(view.window.maxY - view.window.minY) / Double(side)).rounded(.up) + 1
    if columns * rows > Double(Self.most) {
      parameters.refuse(
        "cell", expected: "at most \(Self.most) cells in view: wider ones, a lower zoom or a smaller box",
        found: parameters.value("cell"))
    }
  }

  /// See `AnswerCost`.
  func cost(of index: ServedIndex, in view: PlaneViewport?) -> Int {
    guard index.hasGrid else { return AnswerCost.ofPreparing(index.tree) }
    guard let view, let zoom = view.zoom, let side = try? size.units(zoom: zoom) else { return 1 }
    let cells = Double(view.window.width) / Double(side) * Double(view.window.maxY - view.window.minY) / Double(side)
    return Int(min(cells, Double(min(Self.most, index.tree.pointCount)))) + 1
  }

  func clusters(of index: ServedIndex, in view: PlaneViewport?) throws -> [GridCluster] {
    guard let view, let zoom = view.zoom else { return [] }
    return try index.grid.clusters(in: view.window, cellSize: size, zoom: zoom)
  }
}

/// How a request has the clusters of the tree presented.
struct ClusterStyle {
  private let positions: PositionStyle
  private let hasEllipses: Bool

  init(_ parameters: inout QueryParameters, of tree: ClusterTree) {
    positions = PositionStyle(&parameters, of: tree)
    hasEllipses = parameters.flag("ellipses")
  }

  /// Writes an answer as a FeatureCollection.
  ///
  /// - Parameters:
  ///   - clusters: Of a tree of the index under any filter.
  ///   - tree: That tree.
  ///   - index: The index.
  ///   - query: What they answer.
  ///   - aggregates: What is told of each cluster.
  ///   - bytes: What is appended to.
  func write(
    _ clusters: Clusters, of tree: ClusterTree, _ index: ServedIndex, for query: ServedQuery,
    _ aggregates: ServedAggregates, to bytes: inout OutputBytes
  ) throws {
    // Taken once: to hold on to a tree takes as long as to write a number.
    let (writer, window) = (index.features, window(of: query))
    let values = try aggregates.values(of: clusters, in: tree)
    writer.open(&bytes)
    try writer.append(clusters.indices, to: &bytes) { number in
      let cluster = clusters[number]
      let position = try positions.position(of: cluster, of: tree, keptVisibleIn: window)
      var feature = ClusterFeature(cluster, of: tree, at: position, hasEllipse: hasEllipses, cut: query.query.cut)
      if let values { feature.setAggregates(aggregates.names, values[number]) }
      return feature
    }
  }

  /// Where the clusters of an answer are shown.
  ///
  /// - Parameter query: nil where nobody knows what was looked at.
  func coordinates(of tree: ClusterTree, for query: ServedQuery?) -> TransitionWriter.Position {
    let window = query.flatMap(window(of:))
    return {
      try Cancellation.check()
      return try positions.position(of: $0, of: tree, keptVisibleIn: window)?.coordinate ?? $0.coordinate
    }
  }

  private func window(of served: ServedQuery) -> PlaneWindow? {
    positions.window(for: served.query, in: served.view?.window)
  }
}

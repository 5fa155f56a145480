import ArgumentParser
import GridBaseline
@_spi(Server) import Treeline
@_spi(Server) import TreelineComparison
@_spi(Server) import TreelineFormats

struct QueryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Prints the clusters in a box.",
    discussion: """
      The method 'pca' splits the clusters of the tree as far as --limit, \(pixelOptions) allows. The method 'grid' \
      divides the map into square cells that are --cell pixels wide at --zoom. The points of a cell are one cluster, \
      which is printed if at least one of its points is in the box.

      Each cluster is a Point with its 'bbox' and the properties 'cluster', 'cluster_id', 'point_count' and \
      'point_count_abbreviated'. A single point has its columns and 'index', its row number, counted from 0. If the \
      input is GeoJSON, the 'id' of a Feature is another column. --filter limits counts, boxes and means to the points \
      that pass the filter. A cluster of several points at one position has the property 'stack'. If a cluster is \
      shown at one of its points, 'shown_index' is the row number of this point. With --badges each cluster has \
      'badge_px', the diameter of its badge.
      """)

  enum Method: String, ExpressibleByArgument, CaseIterable {
    case pca
    case grid
  }

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case geojson
    case geojsonl
    case csv
    case table

    /// Whether the format can contain shapes.
    var isGeoJSON: Bool { self == .geojson || self == .geojsonl }

    /// - Parameter columns: Columns of the points that the table shows. CSV and GeoJSON show all columns.
    func write(
      _ features: some Sequence<ClusterFeature>, _ aggregates: [Aggregate] = [], plane: Plane, columns: [String] = [],
      to write: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
      func writeTable(_ text: (ClusterTable) -> String) throws {
        var text = text(ClusterTable(Array(features), aggregates, plane: plane, columns: columns))
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
      }
      switch self {
      case .geojson: try FeatureCollectionWriter(plane: plane).write(features, to: write)
      case .geojsonl: try FeatureCollectionWriter(plane: plane).writeLines(features, to: write)
      case .csv: try writeTable(\.csv)
      case .table: try writeTable(\.text)
      }
    }
  }

  /// The shape that represents a cluster in GeoJSON.
  enum Geometry: String, ExpressibleByArgument, CaseIterable {
    case point
    case hull
    case ellipse
  }

  @OptionGroup var source: InputOptions

  @OptionGroup var viewport: ViewportOptions<NoPrefix>

  @Option(help: "How to cluster.") var method: Method = .pca

  @OptionGroup var cut: CutOptions<NoPrefix>

  @OptionGroup var position: PositionOptions

  @OptionGroup var selection: FilterOptions

  @OptionGroup var splitting: GrowthOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The width of a grid's cells in pixels. (default: from 88 to 16, depending on the zoom)", valueName: "px"))
  var cell: Double?

  @Option(name: .customLong("format"), help: "The output format. (default: geojson, or csv with --rows)")
  var givenFormat: Format?

  @Flag(
    help:
      "Print CSV with a line for each point, instead of a line for each cluster. The line contains the columns of the point and the id of its cluster."
  ) var rows = false

  @Option(
    help:
      "The GeoJSON geometry of each cluster of 'pca': its position, the convex hull of its points, or an ellipse whose half-axes are two standard deviations long."
  ) var geometry: Geometry = .point

  @Flag(
    help:
      "Add 'point_count_in_view' to each cluster of 'pca': the number of its points inside the box. Points in the --margin around the box are not counted. Other counts include points outside the box."
  ) var countInView = false

  @Flag var requested: [RequestedProperty] = []

  @OptionGroup var answer: AnswerOptions

  /// Kept for scripts that still give this flag. GeoJSON is JSON, so the flag changes nothing.
  @Flag(help: .hidden) var json = false

  private var format: Format { givenFormat ?? (rows ? .csv : .geojson) }

  func validate() throws {
    if let cell, !(cell.isFinite && cell > 0) {
      throw ValidationError("'--cell' must be a number of pixels above 0, found \(ParameterValue.text(cell)).")
    }
    if !format.isGeoJSON && !rows {
      for property in requested where !property.isInTables {
        let name = property.rawValue
        throw ValidationError(
          "'--\(name)' needs '--format geojson' or geojsonl; a table has no column for \(property.noun).")
      }
      if geometry != .point { throw ValidationError("'--geometry' needs '--format geojson' or geojsonl.") }
    }
    if rows {
      guard format == .csv && method == .pca else {
        throw ValidationError("'--rows' needs '--format csv' and '--method pca'.")
      }
      for (option, isGiven) in [
        ("aggregate", selection.aggregate != nil), ("count-in-view", countInView), ("geometry", geometry != .point),
      ] + requested.map({ ($0.rawValue, true) }) where isGiven {
        throw ValidationError("'--\(option)' describes clusters, but '--rows' prints points; give one of the two.")
      }
    }
    if method == .pca {
      if cell != nil { throw ValidationError("'--cell' needs '--method grid'; for 'pca' give '--limit'.") }
    } else {
      if splitting.anchor != nil { throw ValidationError("'--anchor' needs '--method pca'.") }
      if position.style.isGiven { throw ValidationError("'--position' and '--keep-visible' need '--method pca'.") }
      if selection.aggregate != nil { throw ValidationError("'--aggregate' needs '--method pca'.") }
      if geometry != .point {
        throw ValidationError("'--geometry' needs '--method pca'; the cells of 'grid' are squares.")
      }
      if countInView { throw ValidationError("'--count-in-view' needs '--method pca'.") }
      for property in requested where !property.isOfGrids {
        let name = property.rawValue
        throw ValidationError("'--\(name)' needs '--method pca'; the cells of 'grid' have no \(property.noun).")
      }
      if splitting.request.isGiven {
        throw ValidationError("'--for', '--split' and '--grow' need '--method pca'; 'grid' uses no tree.")
      }
    }
    _ = try query()
  }

  /// Returns the query that the options describe. The method `grid` uses only the viewport of this query.
  func query() throws -> Query {
    var parameters = QueryParameters(viewport.parameters + cut.parameters)
    if method == .grid {
      for (name, value) in cut.parameters {
        parameters.refuse(
          name, expected: "no --method grid", found: value,
          sentence: "{\(name)} needs '--method pca'; for 'grid' give '--cell'.")
      }
    }
    let query = Query(&parameters)
    if method == .grid && !query.viewport.hasScale && !parameters.has("zoom") {
      parameters.refuse(
        "zoom", expected: "a zoom", found: nil,
        sentence: "'--method grid' needs '--zoom', because the width of a cell is in pixels.")
    }
    try parameters.check()
    if let refusal = position.refusal(of: [query.cut], in: nil) { throw ValidationError(refusal) }
    return query
  }

  func run() throws {
    try reportingFailures {
      let beginning = format == .geojson ? FeatureCollectionWriter.beginning : ""
      try answer.write(source.input, beginning: beginning) { write in
        let query = try query()
        let (filter, aggregates) = try selection.parsed()
        let all = try Points(
          source.input, keepsColumns: format != .table || selection.isGiven, splitting.request, for: [query.cut])
        if let table = all.table { InputSummary(of: table, in: source.input).print() }
        let points = try all.selecting(filter, for: aggregates, of: source.input.name)
        if rows { return try writeRows(of: points, query, to: write) }
        let features = try clusters(of: points, query, aggregates)
        try format.write(features, aggregates, plane: points.tree.plane, to: write)
      }
    }
  }

  private func clusters(of points: Points, _ query: Query, _ aggregates: [Aggregate]) throws
    -> AnySequence<ClusterFeature>
  {
    let tree = points.tree
    guard let view = try query.viewport.located(on: tree, NoPrefix.self) else { return AnySequence([]) }
    switch method {
    case .pca:
      if let refusal = position.refusal(of: [query.cut], in: tree) { throw Failure.usage(refusal) }
      let clusters = try tree.clusters(query)
      let style = position.style
      let kept = style.view(for: query, in: view)
      let positions = try clusters.map { try style.position(of: $0, of: tree, keptVisibleIn: kept) }
      let values = aggregates.isEmpty ? nil : try clusters.values(of: aggregates)
      let box = try countInView ? query.viewport.expanded(by: 0).located(on: tree, NoPrefix.self) : nil
      let counts =
        try countInView
        ? box.map { try tree.pointCounts(of: clusters, in: $0.window) } ?? clusters.map { _ in 0 } : nil
      return points.features(
        of: clusters, cut: query.cut, aggregates, values, at: positions, with: requested, geometry, counts)
    case .grid:
      return try points.gridFeatures(
        in: view.window, cell: cell, zoom: view.zoom!, members: requested.contains(.members))
    }
  }
}

extension QueryCommand {
  /// Writes the points of all clusters as CSV, sorted by the row numbers of the points.
  private func writeRows(of points: Points, _ query: Query, to write: (UnsafeRawBufferPointer) throws -> Void) throws {
    let tree = points.tree
    guard try query.viewport.located(on: tree, NoPrefix.self) != nil else { return }
    var found: [(row: Int, treeIndex: Int, cluster: ClusterID)] = []
    for cluster in try tree.clusters(query) {
      for treeIndex in tree.members(of: cluster).treeIndices {
        found.append((points.row(atTreeIndex: treeIndex), treeIndex, cluster.id))
      }
    }
    found.sort { $0.row < $1.row }
    let format = CoordinateFormat(of: tree.plane)
    let axes = tree.plane.projection == .planar ? ["x", "y"] : ["longitude", "latitude"]
    let taken = ["index", "cluster_id"] + axes
    let columns = CSVColumns(found.lazy.map { points.columns(atTreeIndex: $0.treeIndex) }, after: taken)
    var csv = CSVText()
    func flush() throws {
      var text = csv.text
      try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
      csv.removeAll()
    }
    csv.append(taken + columns.names)
    for (row, treeIndex, cluster) in found {
      let place = tree.plane.coordinate(at: tree.position(atTreeIndex: treeIndex))
      csv.append(
        ["\(row)", "\(cluster.rawValue)", format.string(place.longitude), format.string(place.latitude)]
          + columns.cells(of: points.columns(atTreeIndex: treeIndex)))
      if csv.text.utf8.count > 1 << 16 { try flush() }
    }
    try flush()
  }
}

extension Points {
  /// - Parameter positions: For each cluster, the position at which the cluster is shown. nil means
  ///   `Cluster.coordinate`, and is allowed only if `Cluster.coordinate` is the mean of the cluster's points.
  fileprivate func features(
    of clusters: Clusters, cut: Cut, _ aggregates: [Aggregate], _ values: [[AggregateValue]]?,
    at positions: [ShownPosition?], with requested: [RequestedProperty], _ geometry: QueryCommand.Geometry,
    _ counts: [Int]?
  ) -> AnySequence<ClusterFeature> {
    let names = FeatureProperties.names(of: aggregates)
    return AnySequence(
      clusters.indices.lazy.map { number in
        let (cluster, position) = (clusters[number], positions[number])
        var feature = feature(of: cluster, at: position, with: requested)
        feature.properties.badgeDiameter = tree.badgeDiameter(of: cluster, for: cut)
        if let values { feature.aggregates = zip(names, values[number]).map { ($0, $1) } }
        feature.properties.viewPointCount = counts?[number]
        switch geometry {
        case .point: break
        case .hull: feature.outline = tree.convexHull(of: cluster)
        case .ellipse: feature.outline = tree.plane.outline(ofEllipseOf: cluster)
        }
        return feature
      })
  }

  fileprivate func gridFeatures(in window: PlaneWindow, cell: Double?, zoom: Double, members: Bool) throws
    -> AnySequence<ClusterFeature>
  {
    let grid = Grid(over: tree)
    let clusters = try grid.clusters(in: window, cellSize: cell.map(CellSize.pixels) ?? .published, zoom: zoom)
    return AnySequence(
      clusters.lazy.map { cluster in
        completed(
          ClusterFeature(cluster, of: grid),
          members: members ? grid.members(of: cluster) : [cluster.firstPoint],
          listsMembers: members)
      })
  }
}

extension RequestedProperty: EnumerableFlag {
  public static func help(for property: RequestedProperty) -> ArgumentHelp? {
    ArgumentHelp(stringLiteral: property.help)
  }
}

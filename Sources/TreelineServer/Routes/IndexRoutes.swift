@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// Facts about the served indexes, and histograms of their columns.
enum IndexRoutes {
  static func index(_ request: inout IndexRequestContext) -> Representation {
    let index = request.index
    return .json { IndexFacts(index) }
  }

  /// Returns a histogram of a column's values for the points in view.
  static func histogram(_ request: inout IndexRequestContext) -> Representation {
    let viewport = Viewport(&request.parameters)
    _ = request.parameters.locate(viewport, on: request.tree.plane)
    let (selection, column) = (request.selection(), request.parameters.text("column"))
    if column == nil { request.parameters.refuse("column", expected: "the name of a column", found: nil) }
    let bins = request.parameters.integer("bins", in: 2...1000) ?? 50
    let scale = request.parameters.choice("scale", of: Histogram.Scale.self) ?? .even
    let cost = selection.cost + (column.map { request.tree.estimate(ofHistogramOf: $0).cost } ?? 0)
    return Representation(ContentType.json, cost: cost) { bytes in
      let histogram: Histogram
      do {
        histogram = try selection.tree().histogram(of: column!, bins: bins, scale: scale, in: viewport)
      } catch let error as AggregateError {
        let (expected, found) = error.expectation
        throw Problem.invalid("column", expected: expected, found: found)
      }
      bytes.append(histogram, of: column!)
    }
  }

  static func all(_ indexes: [ServedIndex], style: String?, hasBasemap: Bool) -> Representation {
    .json {
      ServedIndexes(
        indexes: indexes.map(IndexFacts.init), style: style, basemap: hasBasemap ? "viewer/basemap.pmtiles" : nil)
    }
  }
}

extension OutputBytes {
  fileprivate mutating func append(_ histogram: Histogram, of column: String) {
    append("{\"column\":")
    append(json: column)
    append(",\"edges\":[")
    for (number, edge) in histogram.edges.enumerated() {
      if number > 0 { append(",") }
      append(json: edge)
    }
    append("],\"counts\":[")
    for (number, count) in histogram.counts.enumerated() {
      if number > 0 { append(",") }
      append(count)
    }
    append("],\"missing_count\":")
    append(histogram.missingCount)
    append("}\n")
  }
}

/// The served indexes, and the base map that the viewer draws below the clusters.
private struct ServedIndexes: Encodable {
  let indexes: [IndexFacts]
  /// URL of a map style, and relative URL of a file of tiles. Each URL is left out if the server was started without
  /// it.
  let style, basemap: String?
}

/// Facts about an index for clients.
private struct IndexFacts: Encodable {
  let name: String
  /// Texts about the index. Each text is left out if the index does not have it.
  let title, attribution, unit: String?
  let version: String
  /// Number of the version of a live index; left out if the index is not live.
  let sequence: UInt64?
  /// Column with the keys of the points of a live index; left out if the index is not live.
  let key: String?
  let pointCount: Int
  let projection: String
  /// West, south, east and north; null if there are no points.
  @ExplicitNull var bounds: [Double]?
  let split: String
  let hasSeparations: Bool
  /// Whether the index supports badges.
  let hasBadges: Bool
  /// Default cut of a map: the name of a parameter, and its value.
  let defaultCut: [String: Double]
  /// Where clusters are shown by default; left out if they are shown at the means of their points.
  let anchor: String?
  let columns: [String]
  let columnKinds: [String: String]
  /// Columns that can be searched; left out if no column can be searched.
  let searchColumns: [String]?
  /// The groups of the points, and the number of points that are never clustered. Both properties are left out if the
  /// index has no groups. Points of different groups never share a cluster.
  let groups: [Group]?
  let neverClusteredPointCount: Int?

  struct Group: Encodable {
    let name: String
    let pointCount: Int
  }

  init(_ index: ServedIndex) {
    let (tree, format) = (index.tree, CoordinateFormat(of: index.tree.plane))
    name = index.name
    let description = index.description
    (title, attribution, unit) = (description.title, description.attribution, description.unit)
    (version, sequence, key) = (index.version, index.sequence, index.key)
    pointCount = tree.pointCount
    projection = tree.plane.projection == .planar ? "plane" : "web-mercator"
    _bounds = ExplicitNull(
      wrappedValue: tree.root.map(\.bounds).map { [$0.west, $0.south, $0.east, $0.north].map(format.rounded) })
    split = "\(tree.growth)"
    hasSeparations = tree.hasSeparations
    hasBadges = tree.supports(.badges())
    let standard = Cut.standard(of: tree).mainParameter
    defaultCut = [standard.name: standard.value]
    anchor = tree.anchor == .mean ? nil : ShownPosition.Rule.member.rawValue
    columns = tree.columns.map(\.name)
    columnKinds = Dictionary(tree.columns.map { ($0.name, $0.kind.rawValue) }) { first, _ in first }
    let searchable = tree.searchableColumns
    searchColumns = searchable.isEmpty ? nil : searchable
    groups = tree.isGrouped ? tree.groups.map { Group(name: $0.name, pointCount: $0.cluster?.pointCount ?? 0) } : nil
    neverClusteredPointCount = groups.map { tree.pointCount - $0.reduce(0) { $0 + $1.pointCount } }
  }
}

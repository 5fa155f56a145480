import Treeline
@_spi(Server) import TreelineFormats

/// Vector tiles, and the TileJSON that a map needs to ask for them.
enum TileRoutes {
  static func tile(_ request: inout IndexRequestContext) throws -> Representation {
    try checkProjection(request.tree)
    let query = TileQuery(&request.parameters, of: request.index)
    let zoom = try request.number("z")
    guard let address = MapTile(zoom: zoom, x: try request.number("x"), y: try request.number("y")) else {
      throw Problem.notFound(
        "There is no such tile: the greatest zoom is \(MapTile.greatestZoom), and zoom z has 2^z columns and rows.")
    }
    return Representation(ContentType.vectorTile, cost: query.cost(of: address)) { bytes in
      let tile = try query.tile(address)
      tile.withUnsafeBufferPointer { bytes.append($0) }
    }
  }

  /// The query of the request also becomes the query of the tiles.
  static func tileJSON(_ request: inout IndexRequestContext) throws -> Representation {
    try checkProjection(request.tree)
    let tiles = TileQuery(&request.parameters, of: request.index)
    let (index, root, query) = (request.index, request.root ?? "", request.query.map { "?" + $0 } ?? "")
    return .json { TileJSON(index, tiles.fields, address: "\(root)/v1/\(index.name)/tiles/{z}/{x}/{y}.mvt\(query)") }
  }

  private static func checkProjection(_ tree: ClusterTree) throws(Problem) {
    guard tree.plane.projection == .webMercator else {
      throw .notFound("Tiles need the Web Mercator plane, but this index is on a plain plane.")
    }
  }
}

/// What a map needs to know to ask for tiles, in TileJSON 3.0.0.
private struct TileJSON: Encodable {
  struct Layer: Encodable {
    let id = "clusters"
    let description = "Clusters and single points"
    let fields: [String: String]
  }

  let tilejson = "3.0.0"
  let name: String
  /// HTML, as maps expect; left out if the index has no attribution.
  let attribution: String?
  let scheme = "xyz"
  let tiles: [String]
  let minzoom = 0
  let maxzoom = 22
  let bounds: [Double]
  /// Longitude, latitude and zoom.
  let center: [Double]
  let layers: [Layer]

  enum CodingKeys: String, CodingKey {
    case tilejson, name, attribution, scheme, tiles, minzoom, maxzoom, bounds, center
    case layers = "vector_layers"
  }

  init(_ index: ServedIndex, _ fields: [String: String], address: String) {
    let (tree, format) = (index.tree, CoordinateFormat(of: index.tree.plane))
    let bounds = tree.root?.bounds ?? .world
    // TileJSON cannot describe a box across the antimeridian.
    let isAcross = bounds.west > bounds.east
    let middle = tree.root.map { tree.plane.coordinate(x: $0.rect.middleX, y: $0.rect.middleY) }
    name = tree.indexDescription.title ?? index.name
    attribution = tree.indexDescription.attribution?.escapedAsHTML
    tiles = [address]
    self.bounds = [isAcross ? -180 : bounds.west, bounds.south, isAcross ? 180 : bounds.east, bounds.north].map(
      format.rounded)
    center =
      [middle?.longitude ?? 0, middle?.latitude ?? 0].map(format.rounded) + [Double(tree.root?.rect.zoomToFit ?? 0)]
    let names = Array(fields.keys)
    var fields = fields.merging(TileLayer.fields.map { ($0.key, $0.value) }) { _, own in own }
    if tree.isGrouped { fields[TileLayer.group] = "String" }
    let columns = zip(tree.attributeNames, tree.attributeTypes).map {
      (name: $0, value: AttributeValue.string($1.rawValue))
    }
    FeatureProperties.forEachColumn(columns, after: names) { name, type in
      if case .string(let type) = type { fields[name] = type }
    }
    layers = [Layer(fields: fields)]
  }
}

extension String {
  /// HTML that shows the text literally, because an index may come from an untrusted source.
  fileprivate var escapedAsHTML: String {
    [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")].reduce(self) { $0.replacing($1.0, with: $1.1) }
  }
}

extension PlaneRect {
  fileprivate var middleX: Double { Double(minX) + Double(width) / 2 }
  fileprivate var middleY: Double { Double(minY) + Double(height) / 2 }

  /// Greatest whole zoom at which a tile is at least as large as the rectangle, at most 14.
  fileprivate var zoomToFit: Int { min(max(width, height).leadingZeroBitCount, 14) }
}

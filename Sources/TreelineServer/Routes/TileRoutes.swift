@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats
@_spi(Server) import TreelineTiles

/// Vector tiles, and the TileJSON that gives a map the URLs of the tiles.
enum TileRoutes {
  static func tile(_ request: inout IndexRequestContext) throws -> Representation {
    try checkProjection(request.tree)
    let query = TileQuery(&request.parameters, of: request.index)
    let zoom = try request.number("z")
    guard let address = MapTile(zoom: zoom, x: try request.number("x"), y: try request.number("y")) else {
      throw Problem.notFound(
        "There is no such tile: zoom is at most \(MapTile.greatestZoom), and x and y are below 2^zoom.")
    }
    return Representation(ContentType.vectorTile, cost: query.cost(of: address)) { bytes in
      let tile = try query.tile(address)
      tile.withUnsafeBufferPointer { bytes.append($0) }
    }
  }

  /// Returns the TileJSON. Its tile URLs contain the query of the request, so that all tiles have the options of this
  /// query.
  static func tileJSON(_ request: inout IndexRequestContext) throws -> Representation {
    try checkProjection(request.tree)
    let tiles = TileQuery(&request.parameters, of: request.index)
    let (index, root, query) = (request.index, request.root ?? "", request.query.map { "?" + $0 } ?? "")
    return .json { TileJSON(index, tiles.fields, address: "\(root)/v1/\(index.name)/tiles/{z}/{x}/{y}.mvt\(query)") }
  }

  private static func checkProjection(_ tree: ClusterTree) throws(Problem) {
    guard tree.plane.projection == .webMercator else {
      throw .notFound("Tiles need longitudes and latitudes, but this index has plain x and y.")
    }
  }
}

/// TileJSON 3.0.0: the facts that a map needs to request tiles.
private struct TileJSON: Encodable {
  let tilejson = "3.0.0"
  let name: String
  /// Attribution in HTML, as maps expect; left out if the index has none.
  let attribution: String?
  let scheme = "xyz"
  let tiles: [String]
  let minzoom = 0
  let maxzoom = 22
  let bounds: [Double]
  /// Longitude, latitude and zoom of the first view.
  let center: [Double]
  let vectorLayers: [TileFields]

  init(_ index: ServedIndex, _ fields: TileFields, address: String) {
    let extent = TileExtent(of: index.tree)
    name = index.description.title ?? index.name
    attribution = index.description.attribution?.escapedAsHTML
    (tiles, bounds, center, vectorLayers) = ([address], extent.bounds, extent.center, [fields])
  }
}

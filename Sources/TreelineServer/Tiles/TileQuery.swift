@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats
@_spi(Server) import TreelineTiles

/// The options of a tile request. All tiles of a map have the same options.
struct TileQuery {
  private let cut: Cut
  private let tileSize: Viewport.TileSize
  /// Width of the margin around a tile, in pixels. Clusters in the margin are included in the tile.
  private let buffer: Int
  private let selection: ServedSelection
  private let aggregates: ServedAggregates

  init(_ parameters: inout QueryParameters, of index: ServedIndex) {
    let tree = index.tree
    parameters.bounds.pixels = 0...1024
    let standard = Cut.standardByPixels(of: tree)
    cut = Cut(byPixels: &parameters, of: tree, default: standard) ?? standard
    tileSize = parameters.tileSize("tile-size") ?? .pixels512
    buffer = parameters.integer("buffer", in: 0...128) ?? 32
    selection = ServedSelection(&parameters, of: index)
    aggregates = ServedAggregates(&parameters)
  }

  private func query(for tile: MapTile) -> Query {
    Query(cut, in: Viewport(tile: tile, tileSize: tileSize, margin: Double(buffer)))
  }

  /// Estimated cost in units of `AnswerCost`.
  func cost(of tile: MapTile) -> Int {
    let tree = selection.index.tree
    let view = (try? query(for: tile).viewport.located(on: tree.plane)) ?? nil
    let count = min(cut.cost(in: view, of: tree), Self.mostClusters)
    return selection.cost + aggregates.cost(ofClusters: count, in: selection)
  }

  /// Returns the encoded tile, which is empty if nothing is in view.
  func tile(_ tile: MapTile) throws -> [UInt8] {
    let tree = try selection.tree()
    let clusters = try tree.centeredClusters(query(for: tile), limit: Self.mostClusters + 1)
    guard clusters.count <= Self.mostClusters else {
      throw tooManyClusters(in: tile)
    }
    let reach = TileLayer.extent * buffer / tileSize.rawValue
    let extent = -reach..<TileLayer.extent + reach
    let values = try aggregates.values(of: clusters, in: tree)
    var layer = TileLayer(
      of: tree, for: cut, aggregates: aggregates.names, tile: tile, limit: Problem.longestAnswer)
    do {
      for number in clusters.indices {
        let cluster = clusters[number]
        let position = cluster.position(in: tile, extent: TileLayer.extent)
        guard extent ~= position.x, extent ~= position.y else { continue }
        try layer.append(cluster, values?[number] ?? [], at: position)
      }
    } catch is TileLayer.TooLong { throw Problem.answerTooLong }
    return layer.bytes
  }

  /// Returns a problem that names the option to which a tile owes its many clusters.
  private func tooManyClusters(in tile: MapTile) -> Problem {
    let view = (try? query(for: tile).viewport.located(on: selection.index.tree.plane)) ?? nil
    let parameter = cut.decisiveParameter(atZoom: view?.zoom)
    return .invalid(
      parameter.name, expected: "\(parameter.expected), so that each tile has at most \(Self.mostClusters) clusters",
      found: parameter.found)
  }

  /// Description of the tiles' layer, for TileJSON.
  var fields: TileFields { TileFields(of: selection.index.tree, aggregates: aggregates.list, names: aggregates.names) }

  /// Maximum number of clusters in a tile. Writing a tile with this number of clusters takes about 20 ms, during which
  /// other requests wait.
  private static let mostClusters = 32_768
}

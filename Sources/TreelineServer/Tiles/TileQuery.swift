@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// What a tile is asked to show, which is the same for all tiles of a map.
struct TileQuery {
  private let cut: Cut
  private let tileSize: Viewport.TileSize
  /// What a tile shows beyond its side, in pixels.
  private let buffer: Int
  private let selection: ServedSelection
  private let aggregates: ServedAggregates

  private static let extent = 4096

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

  /// See `AnswerCost`.
  func cost(of tile: MapTile) -> Int {
    let tree = selection.index.tree
    let view = (try? query(for: tile).viewport.located(on: tree.plane)) ?? nil
    let count = min(cut.cost(in: view, of: tree), Self.mostClusters)
    return selection.cost + aggregates.cost(ofClusters: count, in: selection)
  }

  /// The tile's bytes; none where nothing is in view.
  func tile(_ tile: MapTile) throws -> [UInt8] {
    let tree = try selection.tree()
    let clusters = try tree.centeredClusters(query(for: tile), limit: Self.mostClusters + 1)
    guard clusters.count <= Self.mostClusters else {
      throw Problem.invalid(
        cut.pixelParameter ?? "zoom", expected: "more of it, for at most \(Self.mostClusters) clusters a tile",
        found: "more")
    }
    let reach = Self.extent * buffer / tileSize.rawValue
    let extent = -reach..<Self.extent + reach
    let values = try aggregates.values(of: clusters, in: tree)
    var layer = TileLayer(name: "clusters", extent: Self.extent, of: tree, for: cut, aggregates: aggregates.names)
    for number in clusters.indices {
      let cluster = clusters[number]
      let position = tile.position(x: cluster.x, y: cluster.y, on: tree.plane, extent: Self.extent)
      guard extent ~= position.x, extent ~= position.y else { continue }
      try layer.append(cluster, values?[number] ?? [], at: position)
    }
    return layer.bytes
  }

  /// The names of aggregates with their types in TileJSON. Each count has a name of its own, which ends with its value:
  /// no list of them is told.
  var fields: [String: String] {
    let pairs = zip(aggregates.names, aggregates.list).compactMap { name, aggregate in
      aggregate.resultType(in: selection.index.tree).map { (name, $0.rawValue) }
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// Written in some 20 ms, for which others wait.
  private static let mostClusters = 32_768
}

import Treeline
@_spi(Server) import TreelineFormats

/// What a tile is asked to show, which is the same for all tiles of a map.
struct TileQuery {
  private let cut: Cut
  private let tileSize: Viewport.TileSize
  /// What a tile shows beyond its side, in pixels.
  private let buffer: Int

  private static let extent = 4096

  init(_ parameters: inout QueryParameters, of tree: ClusterTree) {
    parameters.bounds.pixels = 0...1024
    let standard = Cut.standardByPixels(of: tree)
    cut = Cut(byPixels: &parameters, of: tree, default: standard) ?? standard
    tileSize = parameters.tileSize("tile-size") ?? .pixels512
    buffer = parameters.integer("buffer", in: 0...128) ?? 32
  }

  private func query(for tile: MapTile) -> Query {
    Query(cut, in: Viewport(tile: tile, tileSize: tileSize, margin: Double(buffer)))
  }

  /// See `AnswerCost`.
  func cost(of tile: MapTile, of tree: ClusterTree) -> Int {
    cut.cost(in: (try? query(for: tile).viewport.located(on: tree.plane)) ?? nil, of: tree)
  }

  /// The tile's bytes; none where nothing is in view.
  func tile(_ tile: MapTile, of index: ServedIndex) throws -> [UInt8] {
    let tree = index.tree
    let clusters = try tree.centeredClusters(query(for: tile))
    guard clusters.count <= Self.mostClusters else {
      throw Problem.invalid(
        cut.pixelParameter ?? "zoom", expected: "more of it, for at most \(Self.mostClusters) clusters a tile",
        found: "\(clusters.count) clusters")
    }
    let reach = Self.extent * buffer / tileSize.rawValue
    let extent = -reach..<Self.extent + reach
    var layer = TileLayer(name: "clusters", extent: Self.extent)
    for number in clusters.indices {
      let cluster = clusters[number]
      let position = tile.position(x: cluster.x, y: cluster.y, on: tree.plane, extent: Self.extent)
      guard extent ~= position.x, extent ~= position.y else { continue }
      layer.append(cluster, of: tree, for: cut, at: position)
    }
    return try layer.bytes
  }

  /// Written in some 20 ms, for which others wait.
  private static let mostClusters = 32_768
}

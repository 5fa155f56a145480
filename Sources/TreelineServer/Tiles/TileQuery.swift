import Treeline
import TreelineFormats

/// What a tile is asked to show, which is the same for all tiles of a map.
struct TileQuery {
  private enum Mode {
    case spacing(Double)
    case detail(Double)

    var name: String {
      switch self {
      case .spacing: "spacing"
      case .detail: "detail"
      }
    }
  }

  private let mode: Mode
  private let alone: PointsAlone
  /// The side of a tile and what it shows beyond it, in pixels.
  private let tileSize: Int
  private let buffer: Int

  private static let extent = 4096
  static let defaultSpacing = 44.0
  static let defaultDetail = 20.0

  init(_ parameters: inout QueryParameters, of tree: ClusterTree) {
    let spacing = parameters.number("spacing", in: 0...1024, expected: "a number of pixels from 0 to 1024")
    let detail = parameters.number("detail", in: 0...1024, expected: "a number of pixels from 0 to 1024")
    if parameters.has("spacing") && parameters.has("detail") {
      parameters.refuse("spacing", expected: "either a detail or a spacing", found: "both")
    }
    if spacing != nil && !tree.hasSeparations {
      parameters.refuse(
        "spacing", expected: "no spacing of an index without separations", found: parameters.value("spacing"))
    }
    mode =
      detail.map(Mode.detail)
      ?? (tree.hasSeparations ? .spacing(spacing ?? Self.defaultSpacing) : .detail(Self.defaultDetail))
    alone = Cut.alone(&parameters, isByPixels: true)
    tileSize = parameters.choice("tile-size", of: TileSize.self).map { Int($0.rawValue)! } ?? 512
    buffer = parameters.integer("buffer", in: 0...128) ?? 32
  }

  private enum TileSize: String, CaseIterable {
    case small = "256"
    case large = "512"
  }

  /// The tile's bytes; none where nothing is in sight.
  func tile(_ address: TileAddress, of index: ServedIndex) throws -> [UInt8] {
    let tree = index.tree
    // At zoom 0 the world is 256 px wide, and so is a tile of that size.
    let zoom = Double(address.zoom) + (tileSize == 512 ? 1 : 0)
    let margin = UInt64(buffer) * address.side / UInt64(tileSize)
    let window = address.window(on: tree.plane, margin: margin)
    let clusters =
      switch mode {
      case .spacing(let pixels):
        try tree.clusters(standingIn: window, zoom: zoom, spacing: pixels, alone: alone)
      case .detail(let pixels):
        try tree.clusters(standingIn: window, zoom: zoom, detail: pixels, alone: alone)
      }
    guard clusters.count <= Self.mostClusters else {
      throw Problem.invalid(
        mode.name, expected: "more of it, for at most \(Self.mostClusters) clusters a tile",
        found: "\(clusters.count) clusters")
    }
    let reach = Self.extent * buffer / tileSize
    var layer = TileLayer(name: "clusters", extent: Self.extent)
    for number in clusters.indices {
      let cluster = clusters[number]
      let position = address.position(x: cluster.meanX, y: cluster.meanY, on: tree.plane, extent: Self.extent)
      let sight = -reach..<Self.extent + reach
      guard sight ~= position.x, sight ~= position.y else { continue }
      layer.append(cluster, of: tree, at: position)
    }
    return layer.bytes
  }

  /// Written in some 20 ms, for which others wait.
  private static let mostClusters = 32_768
}

@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// All tiles of an index for a range of zooms.
///
/// At each zoom, the clusters of the whole plane are selected once, by a cut that does not depend on the view. Each
/// cluster is only in the tile that contains its position. So the counts in all tiles of a zoom add up to the number
/// of all points. If the cut keeps clusters at a distance from each other, they also keep this distance across the
/// edges of tiles.
package struct TilePyramid: Sendable {
  /// The tree, which may have a filter.
  let tree: ClusterTree
  /// A cut with a detail, a spacing or badges.
  let cut: Cut
  let aggregates: [Aggregate]
  package let zooms: ClosedRange<Int>
  /// Width in pixels of a tile that is shown at its own zoom.
  let tileSize: Viewport.TileSize
  /// Names of the aggregates in the tiles.
  let names: [String]

  /// Greatest zoom of an archive. At greater zooms, maps show enlarged tiles of this zoom.
  package static let greatestZoom = 22

  /// Maximum number of clusters in a tile.
  static let mostClusters = 1 << 17

  /// - Throws: `TileError` if no tiles can be made of the tree, or if the counts in the tiles of a zoom would not add
  ///   up to the number of points.
  package init(
    of tree: ClusterTree, _ cut: Cut, aggregates: [Aggregate] = [], zooms: ClosedRange<Int>,
    tileSize: Viewport.TileSize = .pixels512
  ) throws(TileError) {
    guard tree.plane.projection == .webMercator else { throw .plainPlane }
    guard cut.isByPixels && cut.limit == .max else { throw .limit }
    precondition(
      0 <= zooms.lowerBound && zooms.upperBound <= Self.greatestZoom,
      "Expected zooms from 0 to \(Self.greatestZoom), found \(zooms)")
    (self.tree, self.cut, self.aggregates, self.zooms, self.tileSize) = (tree, cut, aggregates, zooms, tileSize)
    names = FeatureProperties.names(of: aggregates)
  }

  /// A tile with clusters, encoded and compressed by gzip.
  package struct Tile: Sendable {
    package let tile: MapTile
    package let bytes: [UInt8]
  }

  /// Calls `body` with each tile that has clusters, in the order of PMTiles. The tiles do not depend on the number of
  /// threads.
  ///
  /// - Parameters:
  ///   - threads: Number of threads that encode tiles.
  ///   - progress: Called with the number of points in all finished tiles. Each point counts once at each zoom.
  ///   - body: Called with each tile, on the calling thread.
  /// - Throws: `TileError`, `QueryError`, `IndexError`, `AggregateError`, or an error of `body`.
  /// - Complexity: O(number of clusters of all zooms) time, and memory for about 10^5 clusters per thread.
  package func forEachTile(
    threads: Int, progress: (_ pointCount: Int) -> Void = { _ in }, _ body: (Tile) throws -> Void
  ) throws {
    var pointCount = 0
    for zoom in zooms {
      var blocks = Blocks(of: self, zoom: zoom)
      while true {
        var batch: [Block] = []
        while batch.count < 4 * threads, let block = try blocks.next() { batch.append(block) }
        if batch.isEmpty { break }
        for (block, tiles) in zip(batch, try encode(batch, threads: threads)) {
          for tile in tiles { try body(tile) }
          pointCount += block.clusters.pointCounts.reduce(0, +)
        }
        progress(pointCount)
      }
    }
  }

  private func encode(_ batch: [Block], threads: Int) throws -> [[Tile]] {
    var results: [Result<[Tile], any Error>] = []
    inOrder(batch.count, threads: threads) { number, _ in
      Result { try tiles(of: batch[number]) }
    } then: { _, result in
      results.append(result)
    }
    return try results.map { try $0.get() }
  }

  /// Returns the tiles of a block, in the order of PMTiles.
  private func tiles(of block: Block) throws -> [Tile] {
    let clusters = block.clusters
    let values = aggregates.isEmpty ? nil : try clusters.values(of: aggregates)
    let placed = clusters.indices.map { number in
      let cluster = clusters[number]
      let tile = MapTile(containing: cluster, of: tree, zoom: block.zoom)
      return (id: HilbertCurve.id(of: tile), tile: tile, number: number, cluster: cluster)
    }.sorted { ($0.id, $0.number) < ($1.id, $1.number) }
    var tiles: [Tile] = []
    for run in placed.chunks(by: { $0.id == $1.id }) {
      let tile = run.first!.tile
      if run.count > Self.mostClusters { throw TileError.tooManyClusters(tile: tile, found: run.count) }
      var layer = TileLayer(of: tree, for: cut, aggregates: names, tile: tile)
      for (_, _, number, cluster) in run {
        let position = tile.position(x: cluster.x, y: cluster.y, on: tree.plane, extent: TileLayer.extent)
        try layer.append(cluster, values?[number] ?? [], at: position)
      }
      tiles.append(Tile(tile: tile, bytes: layer.bytes.withUnsafeBytes { Gzip.compressed($0, level: 6) }))
    }
    return tiles
  }
}

/// The clusters whose positions are in a group of neighboring tiles of a zoom.
private struct Block: Sendable {
  let zoom: Int
  let clusters: Clusters
}

/// The blocks of a zoom, in the order of tiles. Each block is a square of one or more tiles. A block of several tiles
/// has at most `usualClusters` clusters, which one thread encodes in a few milliseconds. A block of a single tile may
/// have more clusters.
private struct Blocks {
  private let pyramid: TilePyramid
  private let zoom: Int
  /// Squares that must still be divided. The next square to divide is the last element.
  private var squares = [MapTile(zoom: 0, x: 0, y: 0)!]

  private static let usualClusters = 1 << 13

  init(of pyramid: TilePyramid, zoom: Int) { (self.pyramid, self.zoom) = (pyramid, zoom) }

  mutating func next() throws -> Block? {
    while let square = squares.popLast() {
      let isTile = square.zoom == zoom
      let limit = isTile ? TilePyramid.mostClusters + 1 : Self.usualClusters + 1
      // The window of a square includes all four edges. But a cluster on the eastern or southern edge belongs to the
      // next square. So such clusters are found here, and then removed.
      let found = try pyramid.tree.clusters(
        pyramid.cut, centeredIn: square.window(on: pyramid.tree.plane),
        zoom: Double(zoom) + pyramid.tileSize.zoomOffset, limit: limit)
      if found.count == limit {
        if isTile { throw TileError.tooManyClusters(tile: square, found: found.count) }
        squares += HilbertCurve.children(of: square)!.reversed()
        continue
      }
      let clusters = found.filtered { MapTile(containing: $0, of: pyramid.tree, zoom: square.zoom) == square }
      if !clusters.isEmpty { return Block(zoom: zoom, clusters: clusters) }
    }
    return nil
  }
}

extension MapTile {
  /// Returns the tile that contains the position of a cluster.
  fileprivate init(containing cluster: Cluster, of tree: ClusterTree, zoom: Int) {
    let side = 0x1p32 / Double(1 << zoom)
    let turn = (cluster.x + Double(tree.plane.seam)) / 0x1p32
    // Rounding may yield a column beyond the last column.
    let most = 1 << zoom - 1
    let column = min(Int((turn - turn.rounded(.down)) * 0x1p32 / side), most)
    self.init(zoom: zoom, x: column, y: min(max(Int(cluster.y / side), 0), most))!
  }
}

extension Sequence {
  /// Divides the elements into runs. Two neighboring elements are in the same run if `areTogether` returns true for
  /// these elements.
  fileprivate func chunks(by areTogether: (Element, Element) -> Bool) -> [[Element]] {
    reduce(into: []) { chunks, element in
      if let last = chunks.last?.last, areTogether(last, element) {
        chunks[chunks.count - 1].append(element)
      } else {
        chunks.append([element])
      }
    }
  }
}

/// The reason why tiles cannot be made from an index.
package enum TileError: Error, Equatable, CustomStringConvertible {
  case plainPlane
  case limit
  case tooManyClusters(tile: MapTile, found: Int)

  package var description: String {
    switch self {
    case .plainPlane:
      "tiles need longitudes and latitudes, found an index of plain x and y; build the index from longitudes and "
        + "latitudes"
    case .limit:
      "expected a detail, a spacing or badges, found a limit; a limit would have a different effect in each tile, "
        + "so the counts of all tiles would not add up to the number of points"
    case .tooManyClusters(let tile, let found):
      "expected at most \(TilePyramid.mostClusters) clusters in tile \(tile.zoom)/\(tile.x)/\(tile.y), found "
        + "\(found) or more; choose a greater value for the detail, the spacing or the scale"
    }
  }
}

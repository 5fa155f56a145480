import Dispatch
import Synchronization
@_spi(Server) import Treeline
@_spi(Server) import TreelineFormats

/// All tiles of an index between two zooms.
///
/// At each zoom the whole plane is cut once, by a rule that does not depend on the view. Each cluster is in exactly one
/// tile: the tile in which it stands. So the counts of the tiles of a zoom add up to the number of all points, and
/// clusters that the cut keeps apart stay apart across the edges of tiles.
package struct TilePyramid: Sendable {
  /// The tree, with a filter if there is one.
  package let tree: ClusterTree
  /// A detail, a spacing or badges.
  package let cut: Cut
  package let aggregates: [Aggregate]
  package let zooms: ClosedRange<Int>
  /// Width in pixels at which a tile is shown at its own zoom.
  package let tileSize: Viewport.TileSize
  /// Names of the aggregates in the tiles.
  package let names: [String]

  /// Greatest zoom of an archive: beyond it maps show larger views of its tiles.
  package static let greatestZoom = 22

  /// Maximum number of clusters in a tile.
  package static let mostClusters = 1 << 17

  /// - Throws: `TileError` if tiles of the tree cannot be made or do not add up.
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

  /// Calls `body` with all tiles that have clusters, in the order of PMTiles. The tiles are the same with any number of
  /// threads.
  ///
  /// - Parameters:
  ///   - threads: Number of threads that encode tiles.
  ///   - progress: Called with the number of points in all tiles so far, counted once for each zoom.
  ///   - body: Receives each tile, on the calling thread.
  /// - Throws: `TileError`, `QueryError`, `IndexError`, `AggregateError`, and what `body` throws.
  /// - Complexity: O(clusters of all zooms); memory for some 10^5 clusters per thread.
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
    let next = Atomic(0)
    let results = Mutex([Result<[Tile], any Error>?](repeating: nil, count: batch.count))
    DispatchQueue.concurrentPerform(iterations: min(threads, batch.count)) { _ in
      while true {
        let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
        if number >= batch.count { return }
        let result = Result { try self.tiles(of: batch[number]) }
        results.withLock { $0[number] = result }
      }
    }
    return try results.withLock { $0 }.map { try $0!.get() }
  }

  /// Returns the tiles of a block, in order.
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
      var layer = TileLayer(of: tree, for: cut, aggregates: names)
      for (_, _, number, cluster) in run {
        let position = tile.position(x: cluster.x, y: cluster.y, on: tree.plane, extent: TileLayer.extent)
        try layer.append(cluster, values?[number] ?? [], at: position)
      }
      tiles.append(Tile(tile: tile, bytes: layer.bytes.withUnsafeBytes { Gzip.compressed($0, level: 6) }))
    }
    return tiles
  }
}

/// Some neighboring tiles of a zoom: the clusters that stand in them.
private struct Block: Sendable {
  let zoom: Int
  let clusters: Clusters
}

/// The blocks of a zoom, in the order of tiles. Each is a square of one or more tiles, with as many clusters as one
/// thread encodes in some milliseconds; a single tile may have more.
private struct Blocks {
  private let pyramid: TilePyramid
  private let zoom: Int
  /// Squares that must still be divided. The next one is last.
  private var squares = [MapTile(zoom: 0, x: 0, y: 0)!]

  private static let usualClusters = 1 << 13

  init(of pyramid: TilePyramid, zoom: Int) { (self.pyramid, self.zoom) = (pyramid, zoom) }

  mutating func next() throws -> Block? {
    while let square = squares.popLast() {
      let isTile = square.zoom == zoom
      let limit = isTile ? TilePyramid.mostClusters + 1 : Self.usualClusters + 1
      // Windows include their edges. Clusters on an eastern or southern edge belong to the next square.
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
  /// The tile in which a cluster stands.
  fileprivate init(containing cluster: Cluster, of tree: ClusterTree, zoom: Int) {
    let side = 0x1p32 / Double(1 << zoom)
    let turn = (cluster.x + Double(tree.plane.seam)) / 0x1p32
    // Rounding may yield the number of tiles.
    let most = 1 << zoom - 1
    let column = min(Int((turn - turn.rounded(.down)) * 0x1p32 / side), most)
    self.init(zoom: zoom, x: column, y: min(max(Int(cluster.y / side), 0), most))!
  }
}

extension Sequence {
  /// Returns runs of neighboring elements that belong together.
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

/// The reason why an index cannot become tiles.
package enum TileError: Error, Equatable, CustomStringConvertible {
  case plainPlane
  case limit
  case tooManyClusters(tile: MapTile, found: Int)

  package var description: String {
    switch self {
    case .plainPlane:
      "tiles need points in degrees, found an index on a plain plane; build it from longitudes and latitudes"
    case .limit:
      "expected a detail, a spacing or badges, found a limit: the limit would differ from tile to tile, so that their "
        + "counts would not add up"
    case .tooManyClusters(let tile, let found):
      "expected at most \(TilePyramid.mostClusters) clusters in tile \(tile.zoom)/\(tile.x)/\(tile.y), found "
        + "\(found) or more; take a greater detail, spacing or scale"
    }
  }
}

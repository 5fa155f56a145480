@_spi(Server) import Treeline

/// The order of tiles in a PMTiles archive. Tiles are ordered by zoom, and within a zoom along a Hilbert curve. So
/// most tiles that are neighbors on the map are also neighbors in the file.
enum HilbertCurve {
  /// Returns the id of the first tile of a zoom. This id is equal to the number of tiles of all lower zooms.
  static func firstID(ofZoom zoom: Int) -> UInt64 { (1 << (2 * UInt64(zoom)) - 1) / 3 }

  /// Returns the id of a tile. In PMTiles, the id is the position of the tile in the order of the archive.
  static func id(of tile: MapTile) -> UInt64 {
    var (x, y) = (UInt64(tile.x), UInt64(tile.y))
    var distance: UInt64 = 0
    var side: UInt64 = (1 << UInt64(tile.zoom)) >> 1
    while side > 0 {
      let (right, lower) = (x & side != 0, y & side != 0)
      distance += side * side * (right ? lower ? 2 : 3 : lower ? 1 : 0)
      rotate(&x, &y, right, lower, side)
      side >>= 1
    }
    return firstID(ofZoom: tile.zoom) + distance
  }

  /// Returns the four tiles of the next zoom that together cover a tile, in the order of the archive. Returns nil at
  /// the greatest zoom.
  static func children(of tile: MapTile) -> [MapTile]? {
    guard tile.zoom < MapTile.greatestZoom else { return nil }
    return (0..<4).map { MapTile(zoom: tile.zoom + 1, x: 2 * tile.x + $0 & 1, y: 2 * tile.y + $0 >> 1)! }
      .sorted { id(of: $0) < id(of: $1) }
  }

  /// Rotates a quadrant so that the curve has the same form in the quadrant as in the whole square.
  private static func rotate(_ x: inout UInt64, _ y: inout UInt64, _ right: Bool, _ lower: Bool, _ side: UInt64) {
    if lower { return }
    if right { (x, y) = (side &- 1 &- x, side &- 1 &- y) }
    swap(&x, &y)
  }
}

extension Int {
  /// Converts a whole number from `Double` to `Int`. A number beyond the range of `Int` becomes the least or the
  /// greatest `Int`, and NaN becomes 0.
  init(clamping number: Double) {
    self = number.isNaN ? 0 : number < -0x1p63 ? .min : number >= 0x1p63 ? .max : Int(number)
  }
}

/// A square tile of a Web Mercator map. Each zoom has 2^zoom tiles in a row, and rows are counted from the north.
public struct MapTile: Hashable, Sendable {
  /// The zoom. At zoom 0, one tile shows the world.
  package let zoom: Int
  /// The column, from 0 at longitude -180.
  package let x: Int
  /// The row, from 0 in the north.
  package let y: Int

  /// Greatest zoom. At this zoom, a tile of 512 px has a width of 256 plane units, and a pixel is half a unit.
  @_spi(Server) public static let greatestZoom = 24

  /// Makes a tile from its zoom, column and row.
  ///
  /// - Parameters:
  ///   - zoom: The zoom, from 0 to 24.
  ///   - x: The column, from 0 to 2^zoom - 1. Column 0 begins at longitude -180.
  ///   - y: The row, from 0 to 2^zoom - 1. Row 0 is in the north.
  /// - Returns: nil if there is no such tile, or if the zoom is above 24.
  public init?(zoom: Int, x: Int, y: Int) {
    guard 0...Self.greatestZoom ~= zoom, 0..<1 << zoom ~= x, 0..<1 << zoom ~= y else { return nil }
    (self.zoom, self.x, self.y) = (zoom, x, y)
  }

  /// Side of the tile, in units of the plane.
  private var side: UInt64 { 1 << (32 - UInt64(zoom)) }

  private var left: UInt32 { UInt32(truncatingIfNeeded: UInt64(x) * side) }
  private var top: UInt64 { UInt64(y) * side }

  /// Returns the part of a plane that the tile shows. The part includes the tile's east and south edges, although
  /// positions on these edges belong to the next tiles.
  package func window(on plane: Plane) throws(QueryError) -> PlaneWindow {
    guard plane.projection == .webMercator else { throw .tileOnPlainPlane }
    return PlaneWindow(
      x: left &- plane.seam, width: side == 1 << 32 ? .max : UInt32(side), minY: UInt32(top),
      maxY: UInt32(min(top + side, 1 << 32 - 1)))
  }

  /// Returns the box of the tile's edges.
  func bounds(on plane: Plane) throws(QueryError) -> BoundingBox {
    guard plane.projection == .webMercator else { throw .tileOnPlainPlane }
    let columns = Double(1 << zoom)
    func longitude(_ x: Int) -> Double { Double(x) / columns * 360 - 180 }
    func latitude(_ y: UInt64) -> Double { plane.coordinate(x: 0, y: Double(y)).latitude }
    return BoundingBox(west: longitude(x), south: latitude(top + side), east: longitude(x + 1), north: latitude(top))
  }

  /// Converts a position of a plane to x and y in the tile. The unit is `side / extent`, where `side` is the side of
  /// the tile. For a position in the tile, x and y are in `0 ..< extent`. For a position in a neighboring tile, at
  /// least one of x and y is outside this range. Numbers beyond the range of `Int` become the least or the greatest
  /// `Int`, and NaN becomes 0.
  package func position(x: Double, y: Double, on plane: Plane, extent: Int) -> (x: Int, y: Int) {
    let turn = 0x1p32
    var east = x + Double(plane.seam) - Double(left)
    // The position repeats after each turn around the world. The repetition nearest to the middle of the tile is
    // chosen. If two repetitions are equally near, the western repetition is chosen.
    east -= ((east - Double(side) / 2) / turn + 0.5).rounded(.down) * turn
    let scale = Double(extent) / Double(side)
    return (Int(clamping: (east * scale).rounded(.down)), Int(clamping: ((y - Double(top)) * scale).rounded(.down)))
  }
}

@_spi(Server) extension Cluster {
  /// Returns the position of the cluster in a tile. The unit is `side / extent`, where `side` is the side of the tile.
  /// For a cluster outside the tile, at least one of x and y is outside `0 ..< extent`.
  public func position(in tile: MapTile, extent: Int) -> (x: Int, y: Int) {
    tile.position(x: x, y: y, on: plane, extent: extent)
  }
}

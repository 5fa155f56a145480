extension Int {
  /// The nearest integer that there is to a whole number, 0 for NaN.
  init(clamping number: Double) {
    self = number.isNaN ? 0 : number < -0x1p63 ? .min : number >= 0x1p63 ? .max : Int(number)
  }
}

/// A tile of a Web Mercator map: a square, of which there are 2^zoom in a row, rows counted from the north.
public struct MapTile: Hashable, Sendable {
  /// At zoom 0 one tile shows the world.
  public let zoom: Int
  /// The column, from 0 at longitude -180.
  public let x: Int
  /// The row, from 0 in the north.
  public let y: Int

  /// Here a tile of 512 px is 256 units of the plane wide, and a pixel half of one.
  public static let greatestZoom = 24

  /// - Returns: nil where there is no such tile.
  public init?(zoom: Int, x: Int, y: Int) {
    guard 0...Self.greatestZoom ~= zoom, 0..<1 << zoom ~= x, 0..<1 << zoom ~= y else { return nil }
    (self.zoom, self.x, self.y) = (zoom, x, y)
  }

  /// In units of the plane.
  private var side: UInt64 { 1 << (32 - UInt64(zoom)) }

  private var left: UInt32 { UInt32(truncatingIfNeeded: UInt64(x) * side) }
  private var top: UInt64 { UInt64(y) * side }

  /// What a tile shows of a plane; a unit too many east and south, for the tile ends before them.
  func window(on plane: Plane) throws(QueryError) -> PlaneWindow {
    guard plane.projection == .webMercator else { throw .tileOnPlainPlane }
    return PlaneWindow(
      x: left &- plane.seam, width: side == 1 << 32 ? .max : UInt32(side), minY: UInt32(top),
      maxY: UInt32(min(top + side, 1 << 32 - 1)))
  }

  /// The coordinates of its edges.
  func bounds(on plane: Plane) throws(QueryError) -> BoundingBox {
    guard plane.projection == .webMercator else { throw .tileOnPlainPlane }
    let columns = Double(1 << zoom)
    func longitude(_ x: Int) -> Double { Double(x) / columns * 360 - 180 }
    func latitude(_ y: UInt64) -> Double { plane.coordinate(x: 0, y: Double(y)).latitude }
    return BoundingBox(west: longitude(x), south: latitude(top + side), east: longitude(x + 1), north: latitude(top))
  }

  /// Where a position of a plane is in the tile, in parts of its side: from 0 up to, and without, `extent`, and beyond
  /// that on its neighbours. Numbers beyond integers are the least and the greatest of them, and what is no number is
  /// 0.
  public func position(x: Double, y: Double, on plane: Plane, extent: Int) -> (x: Int, y: Int) {
    let turn = 0x1p32
    var east = x + Double(plane.seam) - Double(left)
    // The nearest of its repetitions to the middle of the tile; of two the western.
    east -= ((east - Double(side) / 2) / turn + 0.5).rounded(.down) * turn
    let scale = Double(extent) / Double(side)
    return (Int(clamping: (east * scale).rounded(.down)), Int(clamping: ((y - Double(top)) * scale).rounded(.down)))
  }
}

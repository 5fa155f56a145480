import Treeline

/// A tile of the world: a square, of which there are 2^zoom in a row, rows counted from the north.
struct TileAddress: Hashable {
  let zoom: Int
  let x: UInt32
  let y: UInt32

  /// Here a tile of 512 px is 256 units of the plane wide, and a pixel half of one.
  static let greatestZoom = 24

  /// nil where there is no such tile.
  init?(zoom: Int, x: Int, y: Int) {
    guard 0...Self.greatestZoom ~= zoom, 0..<1 << zoom ~= x, 0..<1 << zoom ~= y else { return nil }
    self.zoom = zoom
    self.x = UInt32(x)
    self.y = UInt32(y)
  }

  /// In units of the plane.
  var side: UInt64 { 1 << (32 - UInt64(zoom)) }

  private var left: UInt32 { UInt32(truncatingIfNeeded: UInt64(x) * side) }
  private var top: UInt64 { UInt64(y) * side }

  /// What a tile shows of a plane, and so many units more to all sides; a unit too many east and south, for the tile
  /// ends before them.
  func window(on plane: Plane, margin: UInt64) -> PlaneWindow {
    let width = side + 2 * margin
    let isWholeTurn = width >= 1 << 32
    return PlaneWindow(
      x: left &- plane.seam &- UInt32(truncatingIfNeeded: margin), width: isWholeTurn ? .max : UInt32(width),
      minY: UInt32(top > margin ? top - margin : 0), maxY: UInt32(min(top + side + margin, (1 << 32) - 1)))
  }

  /// Where a position of a plane is in the tile, in parts of its side: from 0 up to, and without, `extent`, and beyond
  /// that on its neighbours.
  func position(x: Double, y: Double, on plane: Plane, extent: Int) -> (x: Int, y: Int) {
    let turn = 0x1p32
    var east = x + Double(plane.seam) - Double(left)
    // The nearest of its repetitions to the middle of the tile; of two the western.
    east -= ((east - Double(side) / 2) / turn + 0.5).rounded(.down) * turn
    let scale = Double(extent) / Double(side)
    return (Int((east * scale).rounded(.down)), Int(((y - Double(top)) * scale).rounded(.down)))
  }
}

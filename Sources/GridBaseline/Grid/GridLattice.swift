import Treeline

/// The width of the cells of a grid.
public enum CellSize: Hashable, Sendable {
  /// A fixed width on screen, as in BentoMap (64 px in its article). The cells follow the zoom exactly, so each
  /// fractional zoom has its own grid.
  case pixels(Double)

  /// The zoom table of the TBQuadTree article: 64 px at levels 13 to 15, 32 px at levels 16 to 18, 16 px at level 19,
  /// otherwise 88 px.
  ///
  /// The published code rescales its cells at each fractional zoom, so that clusters jitter during a pinch. Here the
  /// cells belong to the nearest whole zoom.
  case published
}

extension CellSize {
  /// Returns the side of a cell in plane units: a whole number from 1 to 2^32, the nearest to the exact size.
  ///
  /// A whole side keeps the lattice exact, at a cost of half a unit (0.5 cm) at most.
  ///
  ///     try CellSize.pixels(64).units(zoom: 10)  // 1_048_576
  public func units(zoom: Double) throws(GridError) -> UInt64 {
    guard zoom.isFinite else { throw .zoomNotFinite(found: zoom) }
    switch self {
    case .pixels(let pixels):
      guard pixels.isFinite, pixels > 0 else { throw .cellSizeNotPositive(found: pixels) }
      return Self.wholeUnits(pixels * Plane.unitsPerPixel(zoom: zoom))
    case .published:
      let level = Self.publishedLevel(zoom: zoom)
      return Self.wholeUnits(Self.publishedPixels(level: level) * Plane.unitsPerPixel(zoom: level))
    }
  }

  /// Returns the zoom level of the TBQuadTree article: the nearest whole zoom, never below 0. The tiles of the article
  /// are 256 px wide, like the tiles of Treeline.
  static func publishedLevel(zoom: Double) -> Double { max(0, (zoom + 0.5).rounded(.down)) }

  static func publishedPixels(level: Double) -> Double {
    switch level {
    case 13...15: 64
    case 16...18: 32
    case 19: 16
    default: 88
    }
  }

  /// Rounds to whole units. Extreme zooms give 0 or infinity, so bounds are applied first.
  private static func wholeUnits(_ units: Double) -> UInt64 { UInt64(min(max(units, 1), 0x1p32).rounded()) }
}

/// A cell size or a zoom that does not give a valid grid.
public enum GridError: Error, Hashable, Sendable {
  /// A cell side that is not a finite number above 0, in pixels.
  case cellSizeNotPositive(found: Double)
  /// A zoom that is not a finite number.
  case zoomNotFinite(found: Double)
}

extension GridError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .cellSizeNotPositive(let found): "expected a finite cell size above 0 pixels, found \(found)"
    case .zoomNotFinite(let found): "expected a finite zoom, found \(found)"
    }
  }
}

/// One cell of the lattice: x from `column * side` to the next column, y from `row * side` to the next row, half-open.
///
/// Columns are counted eastwards from longitude -180, wherever the plane's seam is, and rows southwards from the
/// plane's top edge. If `side` does not divide 2^32, the last column and row are narrower.
package struct GridCell: Hashable, Sendable {
  package let column: UInt32
  package let row: UInt32
  /// The side in plane units, from 1 to 2^32.
  package let side: UInt64
}

/// The cells of one size, over positions counted from longitude -180.
///
/// A cell is identified by one number, with its row in the high bits and its column in the low bits. So numbers sort by
/// row, then column.
struct GridLattice {
  let side: UInt64

  init(side: UInt64) {
    precondition(1...Self.width ~= side, "Expected a cell side of 1 to 2^32 units, found \(side)")
    self.side = side
  }

  /// The side of the plane.
  static let width: UInt64 = 1 << 32

  func key(of point: PlanePoint) -> UInt64 { (UInt64(point.y) / side) << 32 | (UInt64(point.x) / side) }

  /// Returns the key of the cell that contains a whole box; nil if the box reaches into other cells.
  func key(of rect: PlaneRect) -> UInt64? {
    let column = UInt64(rect.minX) / side
    guard UInt64(rect.maxX) - column * side < side else { return nil }
    let row = UInt64(rect.minY) / side
    guard UInt64(rect.maxY) - row * side < side else { return nil }
    return row << 32 | column
  }

  func cell(_ key: UInt64) -> GridCell {
    GridCell(column: UInt32(truncatingIfNeeded: key), row: UInt32(key >> 32), side: side)
  }

  /// Returns the window of all cells that a window touches.
  func cells(touching window: PlaneWindow) -> PlaneWindow {
    let start = lowerEdge(window.x)
    let last = window.x &+ window.width
    // A window around the world may begin and end in one cell. It then covers all cells, not only this cell.
    let isFullTurn = last < window.x && last >= start
    return PlaneWindow(
      x: isFullTurn ? 0 : start, width: isFullTurn ? .max : upperEdge(last) &- start, minY: lowerEdge(window.minY),
      maxY: upperEdge(window.maxY))
  }

  /// `lowerEdge` and `upperEdge` return the first and the last position of the cell that contains a position.
  func lowerEdge(_ position: UInt32) -> UInt32 { UInt32(UInt64(position) / side * side) }

  func upperEdge(_ position: UInt32) -> UInt32 { UInt32(min((UInt64(position) / side + 1) * side, Self.width) - 1) }
}

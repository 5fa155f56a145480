import Treeline

/// The width of the cells of a grid.
public enum CellSize: Hashable, Sendable {
  /// A fixed width on the screen, as in BentoMap (64 px in its article). The width on the map follows the zoom exactly,
  /// so each fractional zoom has its own grid.
  case pixels(Double)

  /// The zoom table of the TBQuadTree article: 64 px at levels 13 to 15, 32 px at levels 16 to 18, 16 px at level 19,
  /// otherwise 88 px.
  ///
  /// The published code computes different cells for each fractional zoom, so that clusters jitter during a pinch.
  /// This grid always uses the cells of the nearest whole zoom.
  case published
}

extension CellSize {
  /// Returns the side of a cell in plane units: the whole number from 1 to 2^32 that is nearest to the exact size.
  ///
  /// The lattice is exact because the side is a whole number. The rounding changes the side by at most half a unit (0.5
  /// cm).
  ///
  ///     try CellSize.pixels(64).units(zoom: 10)  // 1_048_576
  ///
  /// - Throws: `GridError`
  public func units(zoom: Double) throws -> UInt64 {
    guard zoom.isFinite else { throw GridError.zoomNotFinite(found: zoom) }
    switch self {
    case .pixels(let pixels):
      guard pixels.isFinite, pixels > 0 else { throw GridError.cellSizeNotPositive(found: pixels) }
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

  /// Rounds to whole units. Extreme zooms give 0 or infinity, so the number is clamped before it is rounded.
  private static func wholeUnits(_ units: Double) -> UInt64 { UInt64(min(max(units, 1), 0x1p32).rounded()) }
}

/// A cell size or a zoom that does not give a valid grid.
public enum GridError: Error, Hashable, Sendable {
  /// The side of a cell in pixels is not a finite number above 0.
  case cellSizeNotPositive(found: Double)
  /// The zoom is not a finite number.
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

/// One cell of the lattice, as two half-open ranges: x from `column * side` to the next column, y from `row * side` to
/// the next row.
///
/// Columns are counted eastwards from longitude -180, even if the plane begins at another meridian. Rows are counted
/// southwards from the plane's top edge. If `side` does not divide 2^32, the last column and the last row are
/// narrower.
package struct GridCell: Hashable, Sendable {
  package let column: UInt32
  package let row: UInt32
  /// The side in plane units, from 1 to 2^32.
  package let side: UInt64
}

/// The lattice of all cells of one size. Positions are counted from longitude -180.
///
/// A cell is identified by one number, with the row in the high bits and the column in the low bits. So these numbers
/// sort cells by row, and then by column.
struct GridLattice {
  let side: UInt64

  init(side: UInt64) {
    precondition(1...Self.width ~= side, "Expected a cell side of 1 to 2^32 units, found \(side)")
    self.side = side
  }

  /// The side of the plane.
  static let width: UInt64 = 1 << 32

  func key(of point: PlanePoint) -> UInt64 { (UInt64(point.y) / side) << 32 | (UInt64(point.x) / side) }

  /// Returns the key of the cell that contains a whole box; nil if the box lies in several cells.
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

  /// Returns the window that consists of all cells that the given window touches.
  func cells(touching window: PlaneWindow) -> PlaneWindow {
    let start = lowerEdge(window.x)
    let last = window.x &+ window.width
    // A window that goes all around the world may begin and end in the same cell. Such a window covers all cells, not
    // only that cell.
    let isFullTurn = last < window.x && last >= start
    return PlaneWindow(
      x: isFullTurn ? 0 : start, width: isFullTurn ? .max : upperEdge(last) &- start, minY: lowerEdge(window.minY),
      maxY: upperEdge(window.maxY))
  }

  /// Returns the least coordinate, along one axis, of the cell that contains the coordinate `position`.
  func lowerEdge(_ position: UInt32) -> UInt32 { UInt32(UInt64(position) / side * side) }

  /// Returns the greatest coordinate, along one axis, of the cell that contains the coordinate `position`.
  func upperEdge(_ position: UInt32) -> UInt32 { UInt32(min((UInt64(position) / side + 1) * side, Self.width) - 1) }
}

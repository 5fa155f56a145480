import Treeline

/// One cell of the lattice: x from `column * side` to the next column, y from `row * side` to the next row, half-open.
///
/// Columns are counted eastwards from longitude -180 wherever the plane's seam is, rows southwards from the plane's
/// top edge. Where `side` does not divide 2^32, the last column and row are narrower.
package struct GridCell: Hashable, Sendable {
  package let column: UInt32
  package let row: UInt32
  /// In plane units, from 1 to 2^32.
  package let side: UInt64
}

/// The cells of one size, over positions counted from longitude -180.
///
/// A cell is named by one number, its row above its column, so that numbers sort by row, then column.
struct GridLattice {
  let side: UInt64

  init(side: UInt64) {
    precondition(1...Self.width ~= side, "Expected a cell side of 1 to 2^32 units, found \(side)")
    self.side = side
  }

  /// The side of the plane.
  static let width: UInt64 = 1 << 32

  func key(of point: PlanePoint) -> UInt64 { (UInt64(point.y) / side) << 32 | (UInt64(point.x) / side) }

  /// The one cell that holds a whole box; nil where the box reaches into others.
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

  /// The window of all cells that a window touches.
  func cells(touching window: PlaneWindow) -> PlaneWindow {
    let start = lowerEdge(window.x)
    let last = window.x &+ window.width
    // The two ends of a long window may meet in one cell, which then must not be left out in between.
    let isFullTurn = last < window.x && last >= start
    return PlaneWindow(
      x: isFullTurn ? 0 : start, width: isFullTurn ? .max : upperEdge(last) &- start, minY: lowerEdge(window.minY),
      maxY: upperEdge(window.maxY))
  }

  /// The first and the last position of the cell that holds one.
  func lowerEdge(_ position: UInt32) -> UInt32 { UInt32(UInt64(position) / side * side) }

  func upperEdge(_ position: UInt32) -> UInt32 { UInt32(min((UInt64(position) / side + 1) * side, Self.width) - 1) }
}

@testable import GridBaseline
import Testing
import Treeline

/// The grid by its definition: integer division of the coordinates gives the cell of each point.
struct GridByDefinition {
  let plane: Plane
  let points: [PlanePoint]

  struct Cell {
    var rows: [Int] = []
    var isVisible = false
  }

  /// Returns the cells, ordered by row and then by column.
  func cells(in window: PlaneWindow, side: UInt64) -> [(column: UInt64, row: UInt64, members: [Int])] {
    var cells: [[UInt64]: Cell] = [:]
    for (row, point) in points.enumerated() {
      let x = (UInt64(point.x) + UInt64(plane.seam)) % (1 << 32)
      let cell = [UInt64(point.y) / side, x / side]
      cells[cell, default: Cell()].rows.append(row)
      if window.contains(point) { cells[cell]!.isVisible = true }
    }
    return cells.filter(\.value.isVisible).sorted { $0.key.lexicographicallyPrecedes($1.key) }.map {
      (column: $0.key[1], row: $0.key[0], members: $0.value.rows)
    }
  }

  /// Checks all properties of a cluster against its members, one by one.
  func expect(_ cluster: GridCluster, toBe column: UInt64, _ row: UInt64, _ members: [Int], side: UInt64) {
    #expect(UInt64(cluster.cell.column) == column)
    #expect(UInt64(cluster.cell.row) == row)
    #expect(cluster.cell.side == side)
    #expect(cluster.pointCount == members.count)
    #expect(cluster.firstPoint == members[0])

    // Measures positions eastwards from the west edge of the cell, so that none of them wraps around.
    let west = UInt32(column * side) &- plane.seam
    let eastings = members.map { UInt64(points[$0].x &- west) }
    let southings = members.map { UInt64(points[$0].y) }
    let count = Double(members.count)
    let bounds = PlaneWindow(
      x: west &+ UInt32(eastings.min()!), width: UInt32(eastings.max()! - eastings.min()!),
      minY: UInt32(southings.min()!), maxY: UInt32(southings.max()!))
    #expect(cluster.bounds == bounds)

    let easting = UInt128(eastings.reduce(0, +))
    let total = UInt128(members.count)
    let wholeX = (UInt128(west) + easting / total) % (1 << 32)
    let meanX = Double(wholeX) + Double(easting % total) / count
    #expect(cluster.meanX == (meanX == 0x1p32 ? 0 : meanX))
    #expect(abs(cluster.meanY - Double(southings.reduce(0, +)) / count) <= 0x1p-20)
    #expect((0..<0x1p32).contains(cluster.meanX) && (0..<0x1p32).contains(cluster.meanY))
  }

  /// Checks the whole answer against the definition, and returns it.
  @discardableResult func check(_ grid: Grid, in window: PlaneWindow, side: UInt64) -> [GridCluster] {
    let clusters = grid.clusters(in: window, cellSide: side)
    let expected = cells(in: window, side: side)
    guard clusters.count == expected.count else {
      Issue.record("Expected \(expected.count) clusters, found \(clusters.count): side \(side), \(window)")
      return clusters
    }
    for (cluster, cell) in zip(clusters, expected) {
      expect(cluster, toBe: cell.column, cell.row, cell.members, side: side)
      #expect(grid.members(of: cluster) == cell.members)
    }
    return clusters
  }
}

import Treeline

/// All points of one cell. Answers compare as sets: their differences are what comes and goes between two windows.
public struct GridCluster: Hashable, Sendable {
  package let cell: GridCell

  /// 1 or more.
  public let pointCount: Int

  /// The mean position in plane units, from exact sums: within 0 ..< 2^32, to be taken to degrees by
  /// `Plane.coordinate(x:y:)`.
  package let meanX: Double
  package let meanY: Double

  /// The smallest box around the points. Its width may lead across the seam, where the cell does.
  package let bounds: PlaneWindow

  /// The lowest row number among the points; where `pointCount` is 1, the row of the point.
  public let firstRow: Int

  /// Whether it is more than one point, all at one position.
  public var isStack: Bool { pointCount > 1 && bounds.width == 0 && bounds.minY == bounds.maxY }
}

extension GridCluster {
  /// - Parameter totals: of positions counted from longitude -180, where no cell wraps.
  init(_ totals: PointTotals, in cell: GridCell, seam: UInt32) {
    let count = UInt64(totals.count)
    self.cell = cell
    pointCount = Int(totals.count)
    // Whole units and the fraction apart: the seam is taken off exactly, and only the sum of the two is rounded.
    let wholeX = UInt32(totals.sumX / count) &- seam
    let x = Double(wholeX) + Double(totals.sumX % count) / Double(count)
    meanX = x < 0x1p32 ? x : 0
    meanY = Double(totals.sumY / count) + Double(totals.sumY % count) / Double(count)
    bounds = PlaneWindow(
      x: totals.bounds.minX &- seam, width: totals.bounds.width, minY: totals.bounds.minY, maxY: totals.bounds.maxY)
    firstRow = Int(totals.firstRow)
  }
}

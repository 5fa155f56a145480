import Treeline

/// What is kept about some points so that they need not be visited again. All of it is exact.
struct PointTotals: Hashable, Sendable {
  /// At most 2^31, so that the sums stay below 2^63.
  var count: UInt32
  /// The lowest row number among the points.
  var firstRow: UInt32
  var sumX: UInt64
  var sumY: UInt64
  var bounds: PlaneRect

  init(_ point: PlanePoint, row: UInt32) {
    count = 1
    firstRow = row
    sumX = UInt64(point.x)
    sumY = UInt64(point.y)
    bounds = PlaneRect(point)
  }

  mutating func add(_ other: PointTotals) {
    count += other.count
    firstRow = min(firstRow, other.firstRow)
    sumX += other.sumX
    sumY += other.sumY
    bounds.minX = min(bounds.minX, other.bounds.minX)
    bounds.minY = min(bounds.minY, other.bounds.minY)
    bounds.maxX = max(bounds.maxX, other.bounds.maxX)
    bounds.maxY = max(bounds.maxY, other.bounds.maxY)
  }
}

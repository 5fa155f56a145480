import Treeline

/// A cluster of all points of one cell. Clusters are values, so two answers can be compared as sets. The difference of
/// the sets shows which cells appear and which cells disappear.
public struct GridCluster: Hashable, Sendable {
  package let cell: GridCell

  /// The number of points, at least 1.
  public let pointCount: Int

  /// The mean position in plane units, computed from exact sums, within 0 ..< 2^32. `Plane.coordinate(x:y:)` converts
  /// the position to degrees.
  package let meanX: Double
  package let meanY: Double

  /// The smallest box around the points. If the cell crosses the seam, where the plane begins and ends, the box may
  /// cross the seam, too.
  let bounds: PlaneWindow

  /// The least row number of the cluster's points. No other cluster has the same number.
  public let firstPoint: Int

  /// Whether the cluster has several points that all share one position.
  public var isStack: Bool { pointCount > 1 && bounds.width == 0 && bounds.minY == bounds.maxY }
}

extension GridCluster {
  /// - Parameter totals: The totals of the positions. The x of a position is the distance from longitude -180. So no
  ///   cell wraps around the world.
  init(_ totals: PointTotals, in cell: GridCell, seam: UInt32) {
    let count = UInt64(totals.count)
    self.cell = cell
    pointCount = Int(totals.count)
    // The whole units and the fraction of the mean are computed separately. So the seam is subtracted exactly, and
    // only the sum of the whole units and the fraction is rounded.
    let wholeX = UInt32(totals.sumX / count) &- seam
    let x = Double(wholeX) + Double(totals.sumX % count) / Double(count)
    meanX = x < 0x1p32 ? x : 0
    meanY = Double(totals.sumY / count) + Double(totals.sumY % count) / Double(count)
    bounds = PlaneWindow(
      x: totals.bounds.minX &- seam, width: totals.bounds.width, minY: totals.bounds.minY, maxY: totals.bounds.maxY)
    firstPoint = Int(totals.firstPoint)
  }
}

/// The totals of each occupied cell. There may be 2^64 cells, but few of them are occupied. So this is a hash table,
/// with open addressing.
struct CellTable {
  struct Cell {
    let key: UInt64
    var totals: PointTotals
    /// Whether at least one of the points is in the requested window.
    var isVisible = false
  }

  /// The cells, in the order in which they were first added.
  private(set) var cells: [Cell] = []

  /// Slots of the table. A slot contains the index of a cell plus 1, or 0 if the slot is free. The number of slots is a
  /// power of two. At most half of the slots are taken.
  private var slots = [UInt32](repeating: 0, count: 256)

  /// The cell to which points were added last. Consecutive points in tree order mostly lie in one cell.
  private var recent = 0

  /// Adds points to a cell and returns the cell's index.
  mutating func add(_ totals: PointTotals, to key: UInt64) -> Int {
    if recent < cells.count, cells[recent].key == key {
      cells[recent].totals.add(totals)
      return recent
    }
    let slot = slot(of: key)
    if slots[slot] == 0 {
      recent = cells.count
      cells.append(Cell(key: key, totals: totals))
      slots[slot] = UInt32(cells.count)
      if cells.count * 2 > slots.count { grow() }
    } else {
      recent = Int(slots[slot]) - 1
      cells[recent].totals.add(totals)
    }
    return recent
  }

  mutating func markVisible(_ index: Int) { cells[index].isVisible = true }

  /// Returns the slot of a cell. If the cell has no slot yet, returns the free slot that it will take.
  private func slot(of key: UInt64) -> Int {
    var slot = Self.hash(key) & (slots.count - 1)
    while slots[slot] != 0, cells[Int(slots[slot]) - 1].key != key { slot = (slot + 1) & (slots.count - 1) }
    return slot
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: slots.count * 4)
    for (index, cell) in cells.enumerated() { slots[slot(of: cell.key)] = UInt32(index + 1) }
  }

  /// Mixes the bits of a key, so that neighboring cells do not get neighboring slots. The method is the finalizer of
  /// SplitMix64 (Steele, Lea, Flood 2014).
  private static func hash(_ key: UInt64) -> Int {
    var bits = (key ^ key >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return Int(truncatingIfNeeded: bits ^ bits >> 31)
  }
}

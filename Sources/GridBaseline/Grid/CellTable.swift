/// Totals by cell: a hash table with open addressing, since a lattice may have 2^64 cells of which few are occupied.
struct CellTable {
  struct Cell {
    let key: UInt64
    var totals: PointTotals
    /// Whether one of the points is in the window that was asked for.
    var isVisible = false
  }

  /// In the order of their first points.
  private(set) var cells: [Cell] = []

  /// Indices of cells, each plus 1, or 0 for a free slot; a power of two of them, at most half of them taken.
  private var slots = [UInt32](repeating: 0, count: 256)

  /// The cell added to last: neighbours in tree order are mostly of one cell.
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

  /// The slot that names a cell, or the free one that is to.
  private func slot(of key: UInt64) -> Int {
    var slot = Self.hash(key) & (slots.count - 1)
    while slots[slot] != 0, cells[Int(slots[slot]) - 1].key != key { slot = (slot + 1) & (slots.count - 1) }
    return slot
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: slots.count * 4)
    for (index, cell) in cells.enumerated() { slots[slot(of: cell.key)] = UInt32(index + 1) }
  }

  /// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): rows and columns of cells do not line up in the slots.
  private static func hash(_ key: UInt64) -> Int {
    var bits = (key ^ key >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return Int(truncatingIfNeeded: bits ^ bits >> 31)
  }
}

import Treeline

/// Boxes that may contain nodes at unknown positions. A part of a `SplitSequence` does not know all nodes. For an
/// unknown node, the part knows only a box in which the node may be shown.
///
/// There is one grid for each possible width of cells. Widths are powers of two. Each box is stored in a grid whose
/// cells are at least as wide as the box, and at least as wide as the radius of any later search. So a search for
/// boxes visits few cells of each grid.
struct UnknownBoxes {
  private struct Entry {
    let box: PlaneRect
    /// Index of the next entry in the list of the same cell; -1 at the end of the list. Each new entry is added at the
    /// beginning of its list, so the next entry is older than this entry.
    let next: Int32
  }

  private let projection: Plane.Projection
  private var entries: ContiguousArray<Entry> = []
  private var lastEntries: [UInt64: Int32] = [:]
  /// Bits, one for each grid. A bit is 1 if its grid contains a box.
  private var levels: UInt64 = 0

  /// Marks of the cells of one wide grid. A mark is true if a box may touch its cell. The cells are more than four
  /// times as wide as the radius of any search, or as wide as the world. Cells whose columns and rows differ by
  /// multiples of `markSide` share one mark. Most searches find only marks that are false, so they read no box.
  private var marks: ContiguousArray<Bool>
  private let markLevel: UInt32

  private static let markSide: UInt32 = 256

  /// - Parameter reach: Greatest radius of any search, in plane units.
  init(_ projection: Plane.Projection, reach: UInt32) {
    self.projection = projection
    markLevel = Self.level(ofCellsAsWideAs: reach < 1 << 29 ? 4 * reach : .max)
    marks = ContiguousArray(repeating: false, count: Int(Self.markSide * Self.markSide))
  }

  var isEmpty: Bool { entries.isEmpty }

  private static func level(ofCellsAsWideAs width: UInt32) -> UInt32 { UInt32(32 - width.leadingZeroBitCount) }

  private static func column(_ coordinate: UInt32, _ level: UInt32) -> UInt32 {
    // The grid of level 32 has a single column with the number 0. A shift by 32 bits gives this number.
    coordinate >> level
  }

  private static func key(_ level: UInt32, _ column: UInt32, _ row: UInt32) -> UInt64 {
    // In the grid of level l, the number of a column has 32 - l bits. The position of a key's highest set bit
    // identifies the grid, so two grids never use the same key.
    level == 32 ? 1 : (1 << UInt64(32 - level) | UInt64(column)) << UInt64(32 - level) | UInt64(row)
  }

  private static func mark(_ column: UInt32, _ row: UInt32) -> Int {
    Int((column & (markSide - 1)) * markSide + row & (markSide - 1))
  }

  // MARK: - Adding

  /// Adds a box. From now on, an unknown node may be shown in this box.
  ///
  /// - Parameter squaredDistance: The square of the distance r at which the sequence splits nodes now. This distance
  ///   never grows, so it bounds the radius of later searches.
  mutating func insert(_ box: PlaneRect, within squaredDistance: UInt64) {
    let level = Self.level(ofCellsAsWideAs: max(box.width, box.height, SplitSequence.reach(squaredDistance)))
    levels |= 1 << UInt64(level)
    for column in Self.column(box.minX, level)...Self.column(box.maxX, level) {
      for row in Self.column(box.minY, level)...Self.column(box.maxY, level) {
        let key = Self.key(level, column, row)
        entries.append(Entry(box: box, next: lastEntries[key] ?? -1))
        lastEntries[key] = Int32(entries.count - 1)
      }
    }
    let (left, top) = (Self.column(box.minX, markLevel), Self.column(box.minY, markLevel))
    let columnCount = min(Self.column(box.maxX, markLevel) - left, Self.markSide - 1)
    let rowCount = min(Self.column(box.maxY, markLevel) - top, Self.markSide - 1)
    for column in 0...columnCount { for row in 0...rowCount { marks[Self.mark(left + column, top + row)] = true } }
  }

  // MARK: - Looking

  /// Returns whether any box is less than a given distance away from at least one of two positions.
  func reach(_ a: PlanePoint, _ b: PlanePoint, within squaredDistance: UInt64) -> Bool {
    let reach = SplitSequence.reach(squaredDistance)
    return isReached(from: a, reach, squaredDistance) || isReached(from: b, reach, squaredDistance)
  }

  private func isReached(from point: PlanePoint, _ reach: UInt32, _ squaredDistance: UInt64) -> Bool {
    // If longitudes form a circle, a search with a large radius might visit one column twice, as the first and as the
    // last column. So if the radius is large, all boxes are compared instead.
    if reach >= 1 << 29 { return entries.contains { isNear($0.box, point, squaredDistance) } }
    var isMarked = false
    forEachCell(around: point, reach, markLevel) { isMarked = isMarked || marks[Self.mark($0, $1)] }
    if !isMarked { return false }
    var (rest, isReached) = (levels, false)
    while rest != 0, !isReached {
      let level = UInt32(rest.trailingZeroBitCount)
      rest &= rest - 1
      forEachCell(around: point, reach, level) { column, row in
        if isReached { return }
        var entry = lastEntries[Self.key(level, column, row)] ?? -1
        while entry >= 0, !isReached {
          isReached = isNear(entries[Int(entry)].box, point, squaredDistance)
          entry = entries[Int(entry)].next
        }
      }
    }
    return isReached
  }

  private func forEachCell(
    around point: PlanePoint, _ reach: UInt32, _ level: UInt32, _ body: (_ column: UInt32, _ row: UInt32) -> Void
  ) {
    let isCyclic = projection.isCyclic
    let left = isCyclic ? point.x &- reach : point.x - min(point.x, reach)
    let right = isCyclic ? point.x &+ reach : point.x + min(.max - point.x, reach)
    let top = Self.column(point.y - min(point.y, reach), level)
    let bottom = Self.column(point.y + min(.max - point.y, reach), level)
    let last = Self.column(right, level)
    var column = Self.column(left, level)
    while true {
      for row in top...bottom { body(column, row) }
      if column == last { return }
      column = column == Self.column(.max, level) ? 0 : column + 1
    }
  }

  private func isNear(_ box: PlaneRect, _ point: PlanePoint, _ squaredDistance: UInt64) -> Bool {
    var nearest = point
    if !(box.minX...box.maxX).contains(point.x) {
      nearest.x =
        projection.width(point.x, box.minX) < projection.width(point.x, box.maxX) ? box.minX : box.maxX
    }
    nearest.y = min(max(point.y, box.minY), box.maxY)
    return projection.squaredDistance(point, nearest) < squaredDistance
  }
}

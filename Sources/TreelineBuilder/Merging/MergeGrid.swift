import CPrefetch
import Treeline

/// The clusters that there are, by position: square cells in tiles of 4 by 4, of which there are only those with
/// clusters in them.
///
/// Cells are about as wide as the clusters are apart, so that each holds a few, however they are distributed. A search
/// looks at a tile in one go.
struct MergeGrid {
  /// Where a cluster lies, and the next one in its cell.
  struct LinkedPosition {
    var position: PlanePoint
    var next: UInt32 = MergeGrid.none
  }

  /// No cluster.
  static let none = UInt32.max

  /// Cells are 2^shift units wide.
  let shift: UInt32
  /// Of the clusters, by their number. They belong to whoever made the grid.
  private let links: UnsafeMutablePointer<LinkedPosition>
  private let isCyclic: Bool

  /// Where a tile is: a hash table with open addressing, at most two thirds full.
  private struct Entry {
    /// Its row and column; `unused` in an entry that is free, all of which is zero.
    var key: UInt64
    var tile: UInt32
    /// A bit for each cell that is not empty.
    var occupied: UInt32 = 0

    static let unused = UInt64(0)
  }

  private var entries: UnsafeMutablePointer<Entry>
  private var entryCount: Int
  /// The first cluster of each cell, sixteen cells for each tile: a cache line.
  private var tiles: UnsafeMutablePointer<UInt32>
  private var tileCapacity: Int
  private var tileCount = 0

  /// An empty grid.
  ///
  /// - Parameters:
  ///   - isCyclic: whether the plane's seam is no border.
  ///   - tileCount: how many tiles there will be at least, or a few more.
  init(_ links: UnsafeMutablePointer<LinkedPosition>, shift: UInt32, isCyclic: Bool, tileCount: Int) {
    (self.links, self.shift, self.isCyclic) = (links, shift, isCyclic)
    // Clusters move into tiles that are new.
    tileCapacity = max(tileCount + tileCount / 8, 16)
    tiles = Self.allocateTiles(tileCapacity)
    entryCount = Self.entryCount(forTiles: tileCapacity)
    entries = Self.allocateEntries(entryCount)
  }

  /// A grid of some clusters, all of which there are.
  init(of live: LiveClusters, count: Int, shift: UInt32, _ monitor: BuildMonitor) {
    // Neighbours have neighbouring numbers, or most of them.
    var (tileCount, last) = (0, UInt64.max)
    monitor.pass(over: 0..<count) { block in
      for cluster in block {
        let tile = Self.tile(of: live.links[cluster].position, shift: shift)
        tileCount &+= tile == last ? 0 : 1
        last = tile
      }
    }
    self.init(live.links, shift: shift, isCyclic: live.crossesSeam, tileCount: tileCount)
    for block in (0..<count).blocks(of: 1 << 16) where !monitor.isCancelled {
      for cluster in block { insert(UInt32(cluster)) }
    }
  }

  /// For a grid of leaves in Z-order: cells as wide as they can be so that few of the leaves in one have to be looked
  /// at on average.
  static func firstShift(for live: LiveClusters, count: Int, _ monitor: BuildMonitor) -> UInt32 {
    // For each width the sum of the squared numbers of leaves in cells, which are runs in Z-order.
    withUnsafeTemporaryAllocation(of: (square: Int, start: Int).self, capacity: 33) { widths in
      widths.initialize(repeating: (0, 0))
      func endRuns(below width: Int, at leaf: Int) {
        for width in 0..<width {
          let size = leaf &- widths[width].start
          widths[width].square &+= size &* size
          widths[width].start = leaf
        }
      }
      var last = ZOrder.code(of: live.links[0].position)
      for block in (1..<count).blocks(of: 1 << 18) where !monitor.isCancelled {
        for leaf in block {
          let code = ZOrder.code(of: live.links[leaf].position)
          endRuns(below: (Int.bitWidth - (code ^ last).leadingZeroBitCount + 1) / 2, at: leaf)
          last = code
        }
      }
      endRuns(below: 33, at: count)
      return UInt32(widths[...28].lastIndex { $0.square <= 4 * count } ?? 0)
    }
  }

  func deallocate() {
    MemoryBlock(entries, count: entryCount).freeZeros()
    MemoryBlock(tiles, count: tileCapacity * Self.tileSize).deallocate()
  }

  private static let tileSize = 16

  private static func allocateTiles(_ count: Int) -> UnsafeMutablePointer<UInt32> {
    let byteCount = count * tileSize * MemoryLayout<UInt32>.stride
    let tiles = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
      .bindMemory(to: UInt32.self, capacity: count * tileSize)
    MemoryBlock(tiles, count: count * tileSize).adviseLargePages()
    return tiles
  }

  private static func entryCount(forTiles count: Int) -> Int { count + count / 2 }

  private static func allocateEntries(_ count: Int) -> UnsafeMutablePointer<Entry> {
    let entries = UnsafeMutablePointer<Entry>.allocateZeros(count: count)
    MemoryBlock(entries, count: count).adviseLargePages()
    return entries
  }
}

// MARK: - Cells

extension MergeGrid {
  /// The last row and column.
  @inline(__always) private var lastCell: Int { (1 &<< Int(32 &- shift)) &- 1 }

  @inline(__always) private func cell(of position: PlanePoint) -> (x: Int, y: Int) {
    (Int(position.x) &>> Int(shift), Int(position.y) &>> Int(shift))
  }

  @inline(__always) private func key(_ tileX: Int, _ tileY: Int) -> UInt64 {
    1 &<< 63 | UInt64(truncatingIfNeeded: tileY &<< 32 | tileX)
  }

  /// Where a tile's entry is looked for first.
  @inline(__always) private func home(of key: UInt64) -> Int {
    let hash = key &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(truncatingIfNeeded: entryCount)).high)
  }

  /// The entry of a tile, or the one that it may have.
  @inline(__always) private func entry(of key: UInt64) -> UnsafeMutablePointer<Entry> {
    var slot = home(of: key)
    while entries[slot].key != key && entries[slot].key != Entry.unused {
      slot &+= 1
      if slot == entryCount { slot = 0 }
    }
    return entries + slot
  }

  /// In which tile a position is, for grids with cells of some width.
  static func tile(of position: PlanePoint, shift: UInt32) -> UInt64 {
    UInt64(position.y &>> (shift &+ 2)) &<< 32 | UInt64(position.x &>> (shift &+ 2))
  }

  /// Enters a cluster at its position.
  @inline(__always) mutating func insert(_ cluster: UInt32) {
    let (x, y) = cell(of: links[Int(cluster)].position)
    let key = key(x &>> 2, y &>> 2)
    var entry = entry(of: key)
    if entry.pointee.key != key { entry = addTile(key) }
    let cell = (y & 3) &<< 2 | (x & 3)
    let first = tiles + (Int(entry.pointee.tile) &<< 4 | cell)
    links[Int(cluster)].next = first.pointee
    first.pointee = cluster
    entry.pointee.occupied |= 1 &<< UInt32(truncatingIfNeeded: cell)
  }

  /// Takes out a cluster that was entered at its position.
  @inline(__always) func remove(_ cluster: UInt32) {
    let (x, y) = cell(of: links[Int(cluster)].position)
    let entry = entry(of: key(x &>> 2, y &>> 2))
    let cell = (y & 3) &<< 2 | (x & 3)
    let first = tiles + (Int(entry.pointee.tile) &<< 4 | cell)
    if first.pointee == cluster {
      first.pointee = links[Int(cluster)].next
      if first.pointee == Self.none { entry.pointee.occupied &= ~(1 &<< UInt32(truncatingIfNeeded: cell)) }
      return
    }
    var before = first.pointee
    while links[Int(before)].next != cluster { before = links[Int(before)].next }
    links[Int(before)].next = links[Int(cluster)].next
  }

  /// Moves a cluster.
  @inline(__always) mutating func move(_ cluster: UInt32, to position: PlanePoint) {
    let (from, to) = (cell(of: links[Int(cluster)].position), cell(of: position))
    if from == to {
      links[Int(cluster)].position = position
    } else {
      remove(cluster)
      links[Int(cluster)].position = position
      insert(cluster)
    }
  }

  @inline(never) private mutating func addTile(_ key: UInt64) -> UnsafeMutablePointer<Entry> {
    if tileCount == tileCapacity { grow() }
    let entry = entry(of: key)
    entry.initialize(to: Entry(key: key, tile: UInt32(tileCount)))
    (tiles + tileCount * Self.tileSize).initialize(repeating: Self.none, count: Self.tileSize)
    tileCount += 1
    return entry
  }

  private mutating func grow() {
    let (oldTiles, oldCapacity) = (tiles, tileCapacity)
    tileCapacity += tileCapacity / 2
    tiles = Self.allocateTiles(tileCapacity)
    tiles.initialize(from: oldTiles, count: tileCount * Self.tileSize)
    MemoryBlock(oldTiles, count: oldCapacity * Self.tileSize).deallocate()
    let (oldEntries, oldCount) = (entries, entryCount)
    entryCount = Self.entryCount(forTiles: tileCapacity)
    entries = Self.allocateEntries(entryCount)
    for slot in 0..<oldCount where oldEntries[slot].key != Entry.unused {
      entry(of: oldEntries[slot].key).pointee = oldEntries[slot]
    }
    MemoryBlock(oldEntries, count: oldCount).freeZeros()
  }
}

// MARK: - Searching

extension MergeGrid {
  /// Calls with all clusters in the cells that a square touches: the one around a position that reaches so far.
  @inline(__always) func forEach(
    near position: PlanePoint, within reach: Int, _ body: (_ cluster: UInt32, _ position: PlanePoint) -> Void
  ) {
    forEachTile(near: position, within: reach) { key, cells in
      let entry = entry(of: key)
      guard entry.pointee.key != Entry.unused else { return }
      var occupied = entry.pointee.occupied & cells
      let tile = tiles + Int(entry.pointee.tile) &<< 4
      while occupied != 0 {
        var cluster = tile[occupied.trailingZeroBitCount]
        occupied &= occupied &- 1
        while cluster != Self.none {
          let place = links[Int(cluster)]
          body(cluster, place.position)
          cluster = place.next
        }
      }
    }
  }

  /// What a search has to read, one after the other.
  enum Step: CaseIterable { case entries, tiles, links }

  /// Has the machine fetch what a search will read, once what is read before that is there.
  @inline(__always) func prefetch(_ step: Step, near position: PlanePoint, within reach: Int) {
    forEachTile(near: position, within: reach) { key, cells in
      if step == .entries { return CPrefetch.prefetch(entries + home(of: key)) }
      let entry = entry(of: key)
      var occupied = entry.pointee.key == Entry.unused ? 0 : entry.pointee.occupied & cells
      if occupied == 0 { return }
      let tile = tiles + Int(entry.pointee.tile) &<< 4
      if step == .tiles { return CPrefetch.prefetch(tile) }
      while occupied != 0 {
        CPrefetch.prefetch(links + Int(tile[occupied.trailingZeroBitCount]))
        occupied &= occupied &- 1
      }
    }
  }

  /// Calls with the tiles that a square touches, and a bit for each of their cells that it does.
  @inline(__always) private func forEachTile(
    near position: PlanePoint, within reach: Int, _ body: (_ key: UInt64, _ cells: UInt32) -> Void
  ) {
    let last = lastCell
    var minX = (Int(position.x) &- reach) &>> Int(shift)
    var maxX = (Int(position.x) &+ reach) &>> Int(shift)
    let minY = max((Int(position.y) &- reach) &>> Int(shift), 0)
    let maxY = min((Int(position.y) &+ reach) &>> Int(shift), last)
    if !isCyclic || maxX &- minX >= last { (minX, maxX) = (max(minX, 0), min(maxX, last)) }
    if maxX &- minX >= last { (minX, maxX) = (0, last) }
    var tileY = minY &>> 2
    while tileY <= maxY &>> 2 {
      let rows = Self.span(minY, maxY, in: tileY)
      let rowBits = (UInt32(0x1111) &>> (12 &- 4 &* (rows.last &- rows.first))) &<< (4 &* rows.first)
      var tileX = minX &>> 2
      while tileX <= maxX &>> 2 {
        let columns = Self.span(minX, maxX, in: tileX)
        let columnBits = (UInt32(0xF) &>> (3 &- (columns.last &- columns.first))) &<< columns.first
        body(key(tileX & (last &>> 2), tileY), rowBits &* columnBits)
        tileX &+= 1
      }
      tileY &+= 1
    }
  }

  /// The first and the last of some cells in a row or column of a tile.
  @inline(__always) private static func span(_ least: Int, _ greatest: Int, in tile: Int) -> (
    first: UInt32, last: UInt32
  ) {
    let start = tile &<< 2
    return (
      UInt32(truncatingIfNeeded: max(least &- start, 0)), UInt32(truncatingIfNeeded: min(greatest &- start, 3))
    )
  }

  /// The square of a distance, the shorter way round on the circle of longitudes.
  ///
  /// - Precondition: It fits 64 bits, as of what a search comes upon that reaches less than half the world.
  @inline(__always) func squaredDistance(_ a: PlanePoint, toNearby b: PlanePoint) -> UInt64 {
    let width = isCyclic ? Int64(Int32(bitPattern: a.x &- b.x)) : Int64(a.x) &- Int64(b.x)
    let height = Int64(a.y) &- Int64(b.y)
    return UInt64(bitPattern: width &* width &+ height &* height)
  }
}

import Treeline

/// The live clusters, indexed by position in square tiles. A tile is made when its first cluster is added.
///
/// A tile is several times as wide as the distance that searches cover, and the clusters of a tile are adjacent in
/// memory. So a search reads one tile or a few tiles from end to end. Each step of the search handles four clusters.
/// It rejects most clusters by their distance, computed in single precision.
struct MergeTiles: @unchecked Sendable {
  /// Base-2 logarithm of the width of a tile in units.
  let shift: UInt32
  private let isCyclic: Bool
  /// The slot of each cluster, indexed by the number of the cluster. The owner of the tiles also owns this memory.
  private let slots: UnsafeMutablePointer<UInt32>

  /// Hash table with open addressing, at most two thirds full.
  private var tiles: UnsafeMutablePointer<Tile>
  private var tableSize: Int
  private var tileCount = 0

  private var xs: UnsafeMutablePointer<UInt32>
  private var ys: UnsafeMutablePointer<UInt32>
  /// Radius of the cluster in each slot, see `Range`; NaN in a free slot.
  private var radii: UnsafeMutablePointer<Float>
  private var numbers: UnsafeMutablePointer<UInt32>
  private var slotCapacity: Int
  private var slotCount = 0
  /// Number of clusters.
  private var count = 0

  private struct Tile {
    /// Row and column of the tile. In a free entry of the hash table, the key is `unused` and all other fields are 0.
    var key: UInt64
    /// First slot of the tile. `start` and `capacity` are multiples of four.
    var start: UInt32 = 0
    var count: UInt32 = 0
    var capacity: UInt32 = 0

    static let unused = UInt64(0)
  }

  /// The part of a cluster's data that the tiles store.
  struct Entry {
    var position: PlanePoint
    var radius: Float
  }

  /// Puts clusters into tiles. Each time a cluster lies in another tile than the previous cluster, memory for a tile
  /// is reserved. So consecutive clusters should be near each other.
  ///
  /// - Parameter old: Tiles that are no longer needed. Their memory is used again or deallocated.
  init(
    _ clusters: some RandomAccessCollection<Int>, shift: UInt32, isCyclic: Bool, slots: UnsafeMutablePointer<UInt32>,
    replacing old: MergeTiles?, _ monitor: BuildMonitor, _ entry: (Int) -> Entry
  ) {
    (self.shift, self.isCyclic, self.slots) = (shift, isCyclic, slots)
    var (changes, last) = (0, UInt64.max)
    for cluster in clusters {
      if cluster & 0xFFFF == 0 && monitor.isCancelled { break }
      let key = Self.key(entry(cluster).position, shift)
      changes &+= key == last ? 0 : 1
      last = key
    }
    old?.deallocateTable()
    tableSize = Self.tableSize(forTiles: changes + changes / 8)
    tiles = Self.allocateTable(tableSize)
    // There are at most `changes` tiles. At the beginning, each tile has at most three more slots than clusters.
    slotCapacity = clusters.count + 3 * changes + clusters.count / 8 + 64
    if let old, (slotCapacity...4 * slotCapacity).contains(old.slotCapacity) {
      (xs, ys, radii, numbers, slotCapacity) = (old.xs, old.ys, old.radii, old.numbers, old.slotCapacity)
    } else {
      old?.deallocateSlots()
      xs = Self.allocateSlots(slotCapacity)
      ys = Self.allocateSlots(slotCapacity)
      radii = Self.allocateSlots(slotCapacity)
      numbers = Self.allocateSlots(slotCapacity)
    }
    // Until a cluster is written to its tile, `slots` holds the index of this tile in the hash table. The table does not
    // grow meanwhile, because it has room for `changes` tiles.
    last = .max
    var index: UInt32 = 0
    for cluster in clusters {
      if cluster & 0xFFFF == 0 && monitor.isCancelled { return }
      let key = Self.key(entry(cluster).position, shift)
      if key != last { index = UInt32(tile(key) - tiles) }
      last = key
      slots[cluster] = index
      tiles[Int(index)].capacity &+= 1
    }
    for cluster in clusters {
      if cluster & 0xFFFF == 0 && monitor.isCancelled { return }
      let tile = tiles + Int(slots[cluster])
      if tile.pointee.count == 0 {
        tile.pointee.start = UInt32(slotCount)
        tile.pointee.capacity = reserve(tile.pointee.capacity)
      }
      write(UInt32(cluster), entry(cluster), to: tile)
    }
  }

  var isEmpty: Bool { count == 0 }

  func deallocate() {
    deallocateTable()
    deallocateSlots()
  }

  private func deallocateTable() { MemoryBlock(tiles, count: tableSize).freeZeros() }

  private func deallocateSlots() {
    for list in [xs, ys, numbers] { MemoryBlock(list, count: slotCapacity).deallocate() }
    MemoryBlock(radii, count: slotCapacity).deallocate()
  }

  private static func tableSize(forTiles count: Int) -> Int { count + count / 2 + 16 }

  private static func allocateTable(_ size: Int) -> UnsafeMutablePointer<Tile> {
    let tiles = UnsafeMutablePointer<Tile>.allocateZeros(count: size)
    MemoryBlock(tiles, count: size).adviseLargePages()
    return tiles
  }

  private static func allocateSlots<Element>(_ count: Int) -> UnsafeMutablePointer<Element> {
    let slots = UnsafeMutableRawPointer.allocate(byteCount: count * MemoryLayout<Element>.stride, alignment: 64)
      .bindMemory(to: Element.self, capacity: count)
    MemoryBlock(slots, count: count).adviseLargePages()
    return slots
  }
}

// MARK: - Tiles

extension MergeTiles {
  @inline(__always) private static func key(_ position: PlanePoint, _ shift: UInt32) -> UInt64 {
    key(Int(position.x &>> shift), Int(position.y &>> shift))
  }

  @inline(__always) private static func key(_ x: Int, _ y: Int) -> UInt64 {
    1 &<< 63 | UInt64(truncatingIfNeeded: y &<< 32 | x)
  }

  /// Returns the tile with a given key; nil if there is no such tile.
  @inline(__always) private func find(_ key: UInt64) -> UnsafeMutablePointer<Tile>? {
    let tile = place(of: key)
    return tile.pointee.key == key ? tile : nil
  }

  /// Returns the entry of the hash table that contains the tile with a given key. If there is no such tile, returns
  /// the free entry to which the tile would be added.
  @inline(__always) private func place(of key: UInt64) -> UnsafeMutablePointer<Tile> {
    let hash = key &* 0x9E37_79B9_7F4A_7C15
    var index = Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(truncatingIfNeeded: tableSize)).high)
    while tiles[index].key != key && tiles[index].key != Tile.unused {
      index &+= 1
      if index == tableSize { index = 0 }
    }
    return tiles + index
  }

  /// Returns the tile with a given key. Adds the tile if it does not exist.
  @inline(__always) private mutating func tile(_ key: UInt64) -> UnsafeMutablePointer<Tile> {
    let tile = place(of: key)
    return tile.pointee.key == key ? tile : add(key)
  }

  @inline(never) private mutating func add(_ key: UInt64) -> UnsafeMutablePointer<Tile> {
    if 3 * tileCount >= 2 * tableSize { grow() }
    let tile = place(of: key)
    tile.pointee = Tile(key: key)
    tileCount += 1
    return tile
  }

  private mutating func grow() {
    let (old, oldSize) = (tiles, tableSize)
    tableSize = Self.tableSize(forTiles: tileCount + tileCount / 2)
    tiles = Self.allocateTable(tableSize)
    for index in 0..<oldSize where old[index].key != Tile.unused { place(of: old[index].key).pointee = old[index] }
    MemoryBlock(old, count: oldSize).freeZeros()
  }

  /// Reserves slots for `count` clusters at the end of the arrays.
  ///
  /// - Returns: the number of reserved slots, which is `count` rounded up to a multiple of four.
  private mutating func reserve(_ count: UInt32) -> UInt32 {
    let capacity = (count &+ 3) & ~3
    let end = slotCount + Int(capacity)
    if end > slotCapacity {
      let (old, new) = (slotCapacity, max(end, slotCapacity + slotCapacity / 2))
      func larger<Element>(_ list: UnsafeMutablePointer<Element>) -> UnsafeMutablePointer<Element> {
        let larger: UnsafeMutablePointer<Element> = Self.allocateSlots(new)
        larger.update(from: list, count: slotCount)
        MemoryBlock(list, count: old).deallocate()
        return larger
      }
      (xs, ys, radii, numbers) = (larger(xs), larger(ys), larger(radii), larger(numbers))
      slotCapacity = new
    }
    for slot in slotCount..<end {
      (xs[slot], ys[slot], radii[slot], numbers[slot]) = (0, 0, .nan, 0)
    }
    slotCount = end
    return capacity
  }

  /// Adds a cluster to a tile that has a free slot.
  @inline(__always) private mutating func write(
    _ cluster: UInt32, _ entry: Entry, to tile: UnsafeMutablePointer<Tile>
  ) {
    count &+= 1
    let slot = tile.pointee.start &+ tile.pointee.count
    tile.pointee.count &+= 1
    numbers[Int(slot)] = cluster
    slots[Int(cluster)] = slot
    write(entry, at: Int(slot))
  }

  @inline(__always) private func write(_ entry: Entry, at slot: Int) {
    (xs[slot], ys[slot], radii[slot]) = (entry.position.x, entry.position.y, entry.radius)
  }

  /// Adds a cluster.
  mutating func insert(_ cluster: UInt32, _ entry: Entry) {
    let tile = tile(Self.key(entry.position, shift))
    if tile.pointee.count == tile.pointee.capacity { moveToEnd(tile) }
    write(cluster, entry, to: tile)
  }

  /// Moves a full tile to the end of the arrays, and gives the tile more slots there.
  private mutating func moveToEnd(_ tile: UnsafeMutablePointer<Tile>) {
    let (old, count) = (Int(tile.pointee.start), Int(tile.pointee.count))
    let start = slotCount
    let capacity = reserve(UInt32(count + count / 2 + 4))
    for offset in 0..<count {
      let (from, to) = (old + offset, start + offset)
      (xs[to], ys[to], radii[to], numbers[to]) = (xs[from], ys[from], radii[from], numbers[from])
      slots[Int(numbers[to])] = UInt32(to)
      radii[from] = .nan
    }
    (tile.pointee.start, tile.pointee.capacity) = (UInt32(start), capacity)
  }

  /// Removes a cluster.
  @inline(__always) mutating func remove(_ cluster: UInt32) {
    count &-= 1
    let slot = Int(slots[Int(cluster)])
    let tile = place(of: Self.key(PlanePoint(x: xs[slot], y: ys[slot]), shift))
    tile.pointee.count &-= 1
    let last = Int(tile.pointee.start &+ tile.pointee.count)
    (xs[slot], ys[slot], radii[slot], numbers[slot]) = (xs[last], ys[last], radii[last], numbers[last])
    slots[Int(numbers[slot])] = UInt32(slot)
    radii[last] = .nan
  }

  /// Moves a cluster and sets its radius.
  @inline(__always) mutating func move(_ cluster: UInt32, to entry: Entry) {
    let slot = Int(slots[Int(cluster)])
    if (xs[slot] ^ entry.position.x) &>> shift | (ys[slot] ^ entry.position.y) &>> shift == 0 {
      return write(entry, at: slot)
    }
    remove(cluster)
    insert(cluster, entry)
  }
}

// MARK: - Searching

extension MergeTiles {
  /// Range of a search: the greatest squared distance from a position at which the search finds a cluster.
  struct Range {
    /// A search finds a cluster if its squared distance is at most `limit * sum * sum + slack`. Here `sum` is the sum
    /// of two radii: the radius with which the search was called, and the radius of the cluster. If `isSquared` is
    /// false, the bound is `limit * sum + slack`.
    var limit: Float
    /// The part of the bound on the squared distance (see `limit`) that does not depend on the radii.
    var slack: Float = 0
    var isSquared = true

    @inline(__always) fileprivate func squaredDistance(_ sum: Float) -> Float {
      (isSquared ? sum * sum : sum) * limit + slack
    }
  }

  /// Calls the body with every cluster that is in range of a position, and with some clusters that are out of range.
  ///
  /// - Parameters:
  ///   - radius: Radius of the cluster at the position.
  ///   - reach: Greatest distance, in units, between the position and a cluster in range.
  ///   - widest: The greatest sum of the radii of two clusters.
  ///   - range: Range of the search. The body may lower its limit.
  @inline(__always) func forEach(
    near position: PlanePoint, radius: Float, within reach: Int, widest: Float, _ range: inout Range,
    _ body: (_ cluster: UInt32, _ limit: inout Float) -> Void
  ) {
    let (x, y) = (Int(position.x), Int(position.y))
    let last = 1 &<< Int(32 &- shift) &- 1
    var (minX, maxX) = ((x &- reach) &>> Int(shift), (x &+ reach) &>> Int(shift))
    let minY = max((y &- reach) &>> Int(shift), 0)
    let maxY = min((y &+ reach) &>> Int(shift), last)
    if !isCyclic { (minX, maxX) = (max(minX, 0), min(maxX, last)) }
    if maxX &- minX >= last { (minX, maxX) = (0, last) }
    let (ownX, ownY) = (x &>> Int(shift), y &>> Int(shift))
    let needsAllSlots = (maxX &- minX) &* (maxY &- minY) > tileCount
    // Most often the nearest cluster is in the tile of the position, so this tile is searched first. If a search
    // needed more tiles than there are, it reads all slots instead.
    let first = needsAllSlots ? Tile(key: 0, count: UInt32(slotCount)) : find(Self.key(ownX, ownY))?.pointee
    if let first { scan(first, position, radius, &range, body) }
    if needsAllSlots { return }
    var tileY = minY
    while tileY <= maxY {
      let height = gap(from: y, toTile: tileY)
      var tileX = minX
      while tileX <= maxX {
        if tileX != ownX || tileY != ownY {
          let width = gap(from: x, toTile: tileX)
          if width * width + height * height <= range.squaredDistance(widest),
            let tile = find(Self.key(tileX & last, tileY))
          {
            scan(tile.pointee, position, radius, &range, body)
          }
        }
        tileX &+= 1
      }
      tileY &+= 1
    }
  }

  /// Returns the distance from a coordinate to a row or column of tiles. The result may be slightly too small because
  /// of rounding, but it is never too great.
  @inline(__always) private func gap(from place: Int, toTile tile: Int) -> Float {
    let start = tile &<< Int(shift)
    return Float(max(start &- place, place &- start &- (1 &<< Int(shift) &- 1), 0)) * (1 - 0x1p-20)
  }

  @inline(__always) private func scan(
    _ tile: Tile, _ position: PlanePoint, _ radius: Float, _ range: inout Range,
    _ body: (_ cluster: UInt32, _ limit: inout Float) -> Void
  ) {
    let (x, y) = (SIMD4<UInt32>(repeating: position.x), SIMD4<UInt32>(repeating: position.y))
    let own = SIMD4<Float>(repeating: radius)
    var slot = Int(tile.start)
    let end = slot &+ Int(tile.count)
    while slot < end {
      let (dx, dy) = (Self.difference(xs, slot, x), Self.difference(ys, slot, y))
      let sum = UnsafeRawPointer(radii + slot).load(as: SIMD4<Float>.self) + own
      let isNear = dx * dx + dy * dy .<= (range.isSquared ? sum * sum : sum) * range.limit + range.slack
      let bits = unsafeBitCast(isNear, to: SIMD2<UInt64>.self)
      if bits.x | bits.y != 0 {
        // Bit i of `lanes` is set if the cluster of lane i is near.
        let halves = bits.x & 0x2_0000_0001 | bits.y & 0x8_0000_0004
        var lanes = (halves | halves &>> 32) & 0xF
        while lanes != 0 {
          body(numbers[slot &+ lanes.trailingZeroBitCount], &range.limit)
          lanes &= lanes &- 1
        }
      }
      slot &+= 4
    }
  }

  /// Returns the differences between four coordinates and `from`, measured the shorter way around the world. A plane
  /// without a seam has no way around the world. So on such a plane, the real difference may be greater than the
  /// result.
  @inline(__always) private static func difference(
    _ list: UnsafeMutablePointer<UInt32>, _ slot: Int, _ from: SIMD4<UInt32>
  ) -> SIMD4<Float> {
    let values = UnsafeRawPointer(list + slot).load(as: SIMD4<UInt32>.self)
    return SIMD4<Float>(unsafeBitCast(values &- from, to: SIMD4<Int32>.self))
  }
}

import CPrefetch

/// A hash table of the grid cells that contain nodes. The table uses open addressing and linear probing.
struct CellTable: ~Copyable {
  struct Slot {
    /// Hash of the cell. The highest bits of the hash determine where probing begins.
    var hash: UInt32
    /// Number that is stored for the cell; 0 in a free slot.
    var number: UInt32
  }

  private var slots: UnsafeMutablePointer<Slot>
  private var bits: Int
  private var count = 0
  private let monitor: BuildMonitor

  init(_ monitor: BuildMonitor) {
    self.monitor = monitor
    bits = 4
    slots = Self.allocate(bits: bits)
  }

  deinit { slots.freeZeros() }

  private static func allocate(bits: Int) -> UnsafeMutablePointer<Slot> {
    let slots = UnsafeMutablePointer<Slot>.allocateZeros(count: 1 << bits)
    MemoryBlock(slots, count: 1 << bits).adviseLargePages()
    return slots
  }

  /// Removes all cells, and reserves memory for about `expected` cells.
  mutating func empty(for expected: Int) {
    slots.freeZeros()
    count = 0
    bits = max(4, Int.bitWidth - expected.leadingZeroBitCount)
    slots = Self.allocate(bits: bits)
  }

  @inline(__always) static func hash(_ column: UInt32, _ row: UInt32) -> UInt32 {
    // Multiplies by 2^64 divided by the golden ratio. The high bits of the product are well mixed.
    let product = (UInt64(column) << 32 | UInt64(row)) &* 0x9E37_79B9_7F4A_7C15
    return UInt32(truncatingIfNeeded: product >> 32)
  }

  /// Returns the slot at which probing for a cell begins.
  @inline(__always) func firstSlot(of hash: UInt32) -> UInt32 { hash >> UInt32(truncatingIfNeeded: 32 &- bits) }

  @inline(__always) func nextSlot(_ slot: UInt32) -> UInt32 {
    (slot &+ 1) & (1 << UInt32(truncatingIfNeeded: bits) &- 1)
  }

  @inline(__always) subscript(slot: UInt32) -> Slot { slots[Int(slot)] }

  @inline(__always) func prefetchSlot(_ slot: UInt32) { prefetch(slots + Int(slot)) }

  /// Adds a cell that is not in the table.
  @inline(__always) mutating func add(_ hash: UInt32, _ number: UInt32) {
    count &+= 1
    if count &* 3 > 2 << bits { grow() }
    insert(Slot(hash: hash, number: number))
  }

  @inline(__always) private func insert(_ new: Slot) {
    var slot = firstSlot(of: new.hash)
    while self[slot].number != 0 { slot = nextSlot(slot) }
    slots[Int(slot)] = new
  }

  /// Makes the table twice as large. If the build is cancelled, some cells may be missing from the table.
  private mutating func grow() {
    let (old, oldBits) = (slots, bits)
    bits += 1
    slots = Self.allocate(bits: bits)
    for block in (0..<1 << oldBits).blocks(of: BuildMonitor.blockSize / 8) where !monitor.isCancelled {
      for slot in block where old[slot].number != 0 { insert(old[slot]) }
    }
    old.freeZeros()
  }
}

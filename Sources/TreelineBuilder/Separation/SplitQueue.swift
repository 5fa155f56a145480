/// A priority queue of splits, greatest distance first. The distance of an added split must not exceed the distance of
/// the split that was taken last.
///
/// Distances are divided into bands, 256 bands for each doubling of the squared distance. A split in a band that has
/// not been reached is appended to the band's chain of blocks. When a band is reached, its splits are sorted. Most
/// bands are so small that the sort works within the processor's caches. Splits that are added to the band afterwards
/// go to a heap. Because the splits of a reached band are sorted, most of the next splits are known well in advance,
/// and `SplitSequence` can prefetch their nodes.
struct SplitQueue: ~Copyable {
  private static let bandBits = 8
  private static let bandCount = (64 - bandBits + 1) << bandBits

  private struct Block {
    var next: UnsafeMutablePointer<Block>?
    private var unused: UInt = 0

    static let capacity = 31

    static func make() -> UnsafeMutablePointer<Block> {
      let size = (capacity + 1) * MemoryLayout<QueuedSplit>.stride
      let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
      return memory.initializeMemory(as: Block.self, to: Block())
    }
  }

  private struct Band {
    var block: UnsafeMutablePointer<Block>?
    /// Number of splits in the first block. All other blocks are full. If the band has no blocks, this number is the
    /// capacity of a block, so that the next split begins a new block.
    var count = Block.capacity
  }

  private let bands: UnsafeMutablePointer<Band>
  private var spareBlocks: UnsafeMutablePointer<Block>?
  /// The current band: the last band that was reached.
  private var current = bandCount
  /// Splits of the current band, in order. The first `position` splits have been taken.
  private(set) var sorted: ContiguousArray<QueuedSplit> = []
  private var position = 0
  /// End of the range that the latest call of `progress` returned; nil if `progress` has not been called since the
  /// current band was reached.
  private var reported: Int?
  private var late = LateSplits()
  private let monitor: BuildMonitor

  init(_ monitor: BuildMonitor) {
    self.monitor = monitor
    bands = .allocate(capacity: Self.bandCount)
    bands.initialize(repeating: Band(), count: Self.bandCount)
  }

  deinit {
    func free(_ chain: UnsafeMutablePointer<Block>?) {
      var block = chain
      while let this = block {
        block = this.pointee.next
        this.deallocate()
      }
    }
    for band in 0..<Self.bandCount { free(bands[band].block) }
    free(spareBlocks)
    bands.deallocate()
  }

  /// Returns the band of a squared distance. The number of the band has the bits of a short floating-point number: the
  /// exponent of the squared distance, and the `bandBits` bits after its leading bit.
  @inline(__always) private static func band(_ squaredDistance: UInt64) -> Int {
    let exponent = max(64 - bandBits - 1 - squaredDistance.leadingZeroBitCount, 0)
    return exponent << bandBits + Int(truncatingIfNeeded: squaredDistance >> UInt64(truncatingIfNeeded: exponent))
  }

  @inline(__always) private static func splits(in block: UnsafeMutablePointer<Block>) -> UnsafeMutablePointer<
    QueuedSplit
  > { (UnsafeMutableRawPointer(block) + MemoryLayout<Block>.stride).assumingMemoryBound(to: QueuedSplit.self) }

  @inline(__always) mutating func add(_ split: QueuedSplit) {
    let number = Self.band(split.squaredDistance)
    if number >= current { return late.insert(split) }
    var band = bands[number]
    if band.count == Block.capacity {
      let block = newBlock()
      block.pointee.next = band.block
      band = Band(block: block, count: 0)
    }
    (Self.splits(in: band.block!) + band.count).initialize(to: split)
    band.count &+= 1
    bands[number] = band
  }

  private mutating func newBlock() -> UnsafeMutablePointer<Block> {
    guard let block = spareBlocks else { return Block.make() }
    spareBlocks = block.pointee.next
    return block
  }

  /// Takes the next split. Returns nil if no split is left, or soon after the build is cancelled.
  @inline(__always) mutating func next() -> QueuedSplit? {
    while position == sorted.count {
      if let split = late.popFirst() { return split }
      guard reachNextBand() else { return nil }
    }
    let split = sorted[position]
    if let first = late.first, first < split { return late.popFirst() }
    position &+= 1
    return split
  }

  /// For the splits that were taken since the last call, returns their indices in `sorted`. For each returned index i,
  /// the caller prefetches the split at index i + `ahead`. In each band, the indices of the first call begin at
  /// `-ahead`, so that the first splits of the band are prefetched, too.
  @inline(__always) mutating func progress(ahead: Int) -> Range<Int> {
    let begin = reported ?? -ahead
    reported = position
    return begin..<position
  }

  private mutating func reachNextBand() -> Bool {
    repeat {
      if current == 0 || monitor.isCancelled { return false }
      current -= 1
    } while bands[current].block == nil
    sorted.removeAll(keepingCapacity: true)
    position = 0
    reported = nil
    var count = bands[current].count
    while let block = bands[current].block, !monitor.isCancelled {
      sorted.append(contentsOf: UnsafeBufferPointer(start: Self.splits(in: block), count: count))
      count = Block.capacity
      bands[current].block = block.pointee.next
      block.pointee.next = spareBlocks
      spareBlocks = block
    }
    sorted.withUnsafeMutableBufferPointer { QueuedSplitSort(monitor: monitor).sort($0) }
    return true
  }
}

/// A binary heap of the splits that are added to a band after the band was reached. With the runtime's generic heap,
/// separations would take 45 % more instructions.
private struct LateSplits {
  private var splits: ContiguousArray<QueuedSplit> = []

  @inline(__always) var first: QueuedSplit? { splits.isEmpty ? nil : splits[0] }

  @inline(__always) mutating func insert(_ split: QueuedSplit) {
    var slot = splits.count
    splits.append(split)
    while slot > 0, split < splits[(slot &- 1) / 2] {
      splits[slot] = splits[(slot &- 1) / 2]
      slot = (slot &- 1) / 2
    }
    splits[slot] = split
  }

  mutating func popFirst() -> QueuedSplit? {
    guard let last = splits.popLast() else { return nil }
    if splits.isEmpty { return last }
    let first = splits[0]
    var slot = 0
    while 2 &* slot &+ 1 < splits.count {
      var child = 2 &* slot &+ 1
      if child &+ 1 < splits.count && splits[child &+ 1] < splits[child] { child &+= 1 }
      guard splits[child] < last else { break }
      splits[slot] = splits[child]
      slot = child
    }
    splits[slot] = last
    return first
  }
}

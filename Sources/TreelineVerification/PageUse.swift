import Treeline

/// Limits how much of a mapped index is resident in memory. Counts the bytes that are read, and releases all pages
/// once the limit is reached. So verification takes little memory, however large the index is.
final class PageUse {
  private let giveBack: @Sendable () -> Void
  private let limit: Int
  private var byteCount = 0
  /// For each region (a block of consecutive node records), whether its nodes and their data have been read since
  /// pages were last released. The array is read at every node. For speed, it is stored behind a plain pointer.
  private let isRegionUsed: UnsafeMutableBufferPointer<Bool>

  /// The number of bytes that all threads together may read before pages are released.
  static let limit = 32 << 20

  /// The number of node records in a region, as a power of 2.
  private static let regionShift: UInt32 = 11
  /// The approximate number of bytes that are read for one region. These are its node records, and the summaries,
  /// points, codes and gaps that belong to these nodes.
  private static let bytesPerRegion = 512 << 10

  /// The number of points or bytes that a pass reads between two calls of `note`.
  static let blockSize = 1 << 18

  convenience init(nodeCount: Int, giveBack: @escaping @Sendable () -> Void = {}) {
    self.init(regionCount: nodeCount >> Int(Self.regionShift) + 1, limit: Self.limit, giveBack)
  }

  private init(regionCount: Int, limit: Int, _ giveBack: @escaping @Sendable () -> Void) {
    (self.limit, self.giveBack) = (limit, giveBack)
    isRegionUsed = .allocate(capacity: regionCount)
    isRegionUsed.initialize(repeating: false)
  }

  deinit { isRegionUsed.deallocate() }

  /// Returns one object for each of several threads. The limit is divided equally among the objects.
  func divided(among threads: Int) -> [PageUse] {
    (0..<threads).map { _ in PageUse(regionCount: isRegionUsed.count, limit: limit / threads, giveBack) }
  }

  /// Notes that consecutive bytes are about to be read.
  func note(byteCount count: Int) {
    byteCount += count
    guard byteCount > limit else { return }
    giveBack()
    byteCount = count
    isRegionUsed.update(repeating: false)
  }

  /// Notes that a node is about to be read.
  @inline(__always) func note(_ node: Node) {
    let region = Int(node.record >> Self.regionShift)
    if isRegionUsed[region] { return }
    note(byteCount: Self.bytesPerRegion)
    isRegionUsed[region] = true
  }
}

extension Range<Int> {
  /// Calls `body` with blocks of a range. Before each call, gives `pages` the number of bytes of the block.
  func forEachBlock(noting pages: PageUse, bytesPerElement: Int, _ body: (Range<Int>) -> Void) {
    for start in stride(from: lowerBound, to: upperBound, by: PageUse.blockSize) {
      let block = start..<Swift.min(start + PageUse.blockSize, upperBound)
      pages.note(byteCount: bytesPerElement * block.count)
      body(block)
    }
  }
}

/// Consecutive points, which are read one block at a time.
struct PointBlocks {
  let points: UnsafeBufferPointer<PlanePoint>
  private let pages: PageUse

  init(_ points: UnsafeBufferPointer<PlanePoint>, _ pages: PageUse) { (self.points, self.pages) = (points, pages) }

  var count: Int { points.count }

  subscript(range: Range<Int>) -> PointBlocks {
    PointBlocks(UnsafeBufferPointer(rebasing: points[range]), pages)
  }

  @inline(__always) func forEachBlock(_ body: (UnsafeBufferPointer<PlanePoint>) -> Void) {
    // If there are few points, their bytes were already counted when their node was read.
    if count <= 1 << 12 { return body(points) }
    points.indices.forEachBlock(noting: pages, bytesPerElement: 8) { body(UnsafeBufferPointer(rebasing: points[$0])) }
  }

  @inline(__always) func forEach(_ body: (PlanePoint) -> Void) {
    forEachBlock { block in for point in block { body(point) } }
  }
}

extension XXHash64 {
  /// Updates the checksum with the bytes of a mapped file.
  mutating func update(_ bytes: UnsafeRawBufferPointer, _ pages: PageUse) {
    bytes.indices.forEachBlock(noting: pages, bytesPerElement: 1) {
      update(UnsafeRawBufferPointer(rebasing: bytes[$0]))
    }
  }
}

/// A set of bits. At first, all bits are 0.
struct BitSet {
  private var words: [UInt64]

  init(count: Int) { words = Array(repeating: 0, count: (count + 63) / 64) }

  subscript(index: Int) -> Bool { words[index >> 6] >> UInt64(index & 63) & 1 == 1 }

  /// Sets a bit.
  ///
  /// - Returns: Whether the bit was 0 before.
  mutating func insert(_ index: Int) -> Bool {
    let bit: UInt64 = 1 << UInt64(index & 63)
    defer { words[index >> 6] |= bit }
    return words[index >> 6] & bit == 0
  }
}

/// A search for duplicates among many numbers, in bounded memory.
enum Duplicates {
  /// The greatest number of elements that are sorted at once.
  private static let mostSorted = 1 << 21

  /// Returns numbers that occur more than once. The result has no more numbers than a list of problems can hold.
  ///
  /// - Parameters:
  ///   - greatest: The greatest of the numbers.
  ///   - forEach: Visits all numbers. If the numbers are sorted in parts, this closure is called once for each part.
  /// - Complexity: O(count) if the numbers are dense. Otherwise, one pass over all numbers for each 2 million numbers.
  static func find(count: Int, greatest: UInt64, forEach: ((UInt64) -> Void) -> Void) -> [UInt64] {
    var found: [UInt64] = []
    func add(_ number: UInt64) { if found.count < ProblemList.capacity { found.append(number) } }
    // Rows are usually numbered from 0, without large gaps.
    if greatest < UInt64(16 * count + 1024) {
      var isThere = BitSet(count: Int(greatest) + 1)
      forEach { number in if !isThere.insert(Int(number)) { add(number) } }
      return found
    }
    let partCount = UInt64(count / mostSorted + 1)
    for part in 0..<partCount {
      var numbers: [UInt64] = []
      // A hash divides the numbers into parts. Without a hash, if all numbers were multiples of one number, they could
      // all fall into one part.
      forEach { number in if (number &* 0x9E37_79B9_7F4A_7C15) >> 32 % partCount == part { numbers.append(number) } }
      numbers.sort()
      for (number, next) in zip(numbers, numbers.dropFirst()) where number == next { add(number) }
    }
    return found
  }
}

/// A sequence of integers that answers two questions about any range in O(levels). How many integers of the range are
/// less than a bound? Which integer would be at a position if the range were sorted?
///
/// There is a level for each bit of the integers, the highest bit first. A level holds this bit of each integer, in
/// the order that the levels above have produced. Each level moves the integers whose bit is 0 before the integers
/// whose bit is 1, and keeps the order within both groups (F. Claude, G. Navarro, A. Ordóñez, The wavelet matrix,
/// Information Systems 47, 2015, doi:10.1016/j.is.2014.06.002).
///
/// Bits are stored in blocks of 32 bytes. A block begins with a 32-bit number: how many 1 bits its level has before
/// the block. The next 224 bits of the block are bits of the level. So a single memory access gives the number of 1
/// bits before any position.
///
/// Even if the bytes are damaged, a query reads only the memory of the matrix, and returns some number.
package struct WaveletMatrix: @unchecked Sendable {
  /// The number of integers.
  package let count: Int
  package let levelCount: Int
  /// The number of 0 bits of each level.
  private let zeroCounts: UnsafePointer<UInt32>
  private let words: UnsafePointer<UInt64>
  private let blocksPerLevel: Int

  package static let bitsPerBlock = 224
  package static let bytesPerBlock = 32
  static let maximumLevelCount = 32

  /// Returns the number of blocks of a level. There is always a block for the position after the last bit, even if the
  /// bits fill all earlier blocks.
  package static func blockCount(of count: Int) -> Int { count / bitsPerBlock + 1 }

  /// Returns the least number of levels for integers up to `greatest`.
  package static func levelCount(for greatest: UInt32) -> Int { 32 - greatest.leadingZeroBitCount }

  /// - Parameters:
  ///   - zeroCounts: The number of 0 bits of each level.
  ///   - blocks: `blockCount` blocks for each level, aligned to 8 bytes.
  init(
    count: Int, levelCount: Int, zeroCounts: UnsafePointer<UInt32>, blocks: UnsafePointer<UInt64>
  ) {
    (self.count, self.levelCount, self.zeroCounts, words) = (count, levelCount, zeroCounts, blocks)
    blocksPerLevel = Self.blockCount(of: count)
  }

  /// Returns the number of integers in a range that are less than a bound.
  ///
  /// - Complexity: O(levels)
  package func count(below bound: Int, in range: Range<Int>) -> Int {
    if bound >= 1 << levelCount { return range.count }
    var (start, end, found) = (range.lowerBound, range.upperBound, 0)
    for level in 0..<levelCount {
      let parts = parts(of: start, end, level)
      if bound >> (levelCount &- 1 &- level) & 1 == 1 {
        found &+= parts.zeros.end &- parts.zeros.start
        (start, end) = parts.ones
      } else {
        (start, end) = parts.zeros
      }
    }
    return min(found, range.count)
  }

  /// Returns the integer that would be at an index if a range were sorted. The first integer of the range has index 0.
  ///
  /// - Complexity: O(levels)
  func integer(at place: Int, ofSorted range: Range<Int>) -> Int {
    var (start, end, place, integer) = (range.lowerBound, range.upperBound, place, 0)
    for level in 0..<levelCount {
      let parts = parts(of: start, end, level)
      let zeroCount = parts.zeros.end &- parts.zeros.start
      let isOne = place >= zeroCount
      (start, end) = isOne ? parts.ones : parts.zeros
      place &-= isOne ? zeroCount : 0
      integer = integer << 1 | (isOne ? 1 : 0)
    }
    return integer
  }

  private typealias Span = (start: Int, end: Int)

  /// Returns two ranges of the next level: the range of the integers whose bit is 0, and the range of the integers
  /// whose bit is 1. Even if the bytes are damaged, the bounds of both ranges are from 0 to `count` and in order.
  @inline(__always) private func parts(of start: Int, _ end: Int, _ level: Int) -> (zeros: Span, ones: Span) {
    let onesBefore = ones(before: start, level)
    let onesAtEnd = max(ones(before: end, level), onesBefore)
    let zerosBefore = start &- onesBefore
    let zeroCount = min(zeroCount(ofLevel: level), count)
    return (
      (zerosBefore, max(end &- onesAtEnd, zerosBefore)),
      (min(zeroCount &+ onesBefore, count), min(zeroCount &+ onesAtEnd, count))
    )
  }

  @inline(__always) private func ones(before index: Int, _ level: Int) -> Int {
    let block = Int(UInt32(truncatingIfNeeded: index) / UInt32(Self.bitsPerBlock))
    // A block begins with a count of 32 bits. The bits of the level follow this count.
    let bit = index &- block &* Self.bitsPerBlock &+ 32
    let start = words + 4 &* (level &* blocksPerLevel &+ block)
    let first = UInt64(littleEndian: start[0])
    var found = Int(first & 0xFFFF_FFFF)
    var word = first & 0xFFFF_FFFF_0000_0000
    for next in 1..<1 &+ bit >> 6 {
      found &+= word.nonzeroBitCount
      word = UInt64(littleEndian: start[next])
    }
    found &+= (word & (1 &<< UInt64(bit & 63) &- 1)).nonzeroBitCount
    return min(found, index)
  }
}

// MARK: - For verification

extension WaveletMatrix {
  package func zeroCount(ofLevel level: Int) -> Int { Int(UInt32(littleEndian: zeroCounts[level])) }

  /// Returns the number of 1 bits of a level before a block. The block stores this number.
  package func count(beforeBlock block: Int, level: Int) -> Int {
    Int(UInt64(littleEndian: words[4 * (level * blocksPerLevel + block)]) & 0xFFFF_FFFF)
  }

  /// Returns the number of 1 bits of a level before an index.
  package func ones(before index: Int, level: Int) -> Int { ones(before: index, level) }

  /// Returns a bit of a level. The index may lie after the last bit, but within the block of the last bit.
  package func isOne(_ index: Int, level: Int) -> Bool {
    let (block, bit) = (index / Self.bitsPerBlock, index % Self.bitsPerBlock + 32)
    return UInt64(littleEndian: words[4 * (level * blocksPerLevel + block) + bit / 64]) >> UInt64(bit % 64) & 1 == 1
  }
}

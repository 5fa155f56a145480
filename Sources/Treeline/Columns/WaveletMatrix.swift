/// A sequence of integers that tells in O(levels) how many of any range are less than an integer, and which one would
/// be at a place if they were sorted.
///
/// A level for each bit of the integers, the highest first. At a level stands that bit of each integer, in the order
/// that the levels above have brought them into: those whose bit is 0 go before those whose bit is 1, and each stay in
/// order among themselves (F. Claude, G. Navarro, A. Ordóñez, The wavelet matrix, Information Systems 47, 2015,
/// doi:10.1016/j.is.2014.06.002).
///
/// Bits come in blocks of 32 bytes: how many bits of the level are 1 before the block, in 32 bits, and then 224 bits.
/// So one read of memory tells how many are 1 before any place.
///
/// Whatever its bytes are, a query reads nothing beyond them and ends in some number.
package struct WaveletMatrix: @unchecked Sendable {
  /// How many integers there are.
  package let count: Int
  package let levelCount: Int
  /// Of each level, how many of its bits are 0.
  private let zeroCounts: UnsafePointer<UInt32>
  private let words: UnsafePointer<UInt64>
  private let blocksPerLevel: Int

  package static let bitsPerBlock = 224
  package static let bytesPerBlock = 32
  package static let maximumLevelCount = 32

  /// One more than the bits fill, so that the end of the last one has a block, too.
  package static func blockCount(of count: Int) -> Int { count / bitsPerBlock + 1 }

  /// The least number of levels that hold an integer.
  package static func levelCount(for greatest: UInt32) -> Int { 32 - greatest.leadingZeroBitCount }

  /// - Parameters:
  ///   - zeroCounts: One for each level.
  ///   - blocks: Aligned to 8 bytes, `blockCount` of them for each level.
  init(
    count: Int, levelCount: Int, zeroCounts: UnsafePointer<UInt32>, blocks: UnsafePointer<UInt64>
  ) {
    (self.count, self.levelCount, self.zeroCounts, words) = (count, levelCount, zeroCounts, blocks)
    blocksPerLevel = Self.blockCount(of: count)
  }

  /// How many integers of a range are less than one.
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

  /// The integer that would be at a place of a range, counted from 0, if the range were sorted.
  ///
  /// - Complexity: O(levels)
  package func integer(at place: Int, ofSorted range: Range<Int>) -> Int {
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

  /// Where the integers of a range of a level are at the next one. All of it is from 0 to `count` and in order, even if
  /// the bytes are damaged.
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
    // The first bit of a block stands behind the 32 of its count.
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

// MARK: - What verification looks at

extension WaveletMatrix {
  package func zeroCount(ofLevel level: Int) -> Int { Int(UInt32(littleEndian: zeroCounts[level])) }

  /// How many bits of a level are 1 before a block, as it says.
  package func count(beforeBlock block: Int, level: Int) -> Int {
    Int(UInt64(littleEndian: words[4 * (level * blocksPerLevel + block)]) & 0xFFFF_FFFF)
  }

  /// How many bits of a level are 1 before a place.
  package func ones(before index: Int, level: Int) -> Int { ones(before: index, level) }

  /// A bit of a level, also behind the last one within its block.
  package func isOne(_ index: Int, level: Int) -> Bool {
    let (block, bit) = (index / Self.bitsPerBlock, index % Self.bitsPerBlock + 32)
    return UInt64(littleEndian: words[4 * (level * blocksPerLevel + block) + bit / 64]) >> UInt64(bit % 64) & 1 == 1
  }
}

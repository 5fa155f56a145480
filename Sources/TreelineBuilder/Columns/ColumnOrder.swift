import Treeline

/// The values of a column in order: what sections of ranks and links are made of.
struct ColumnOrder {
  private let pointCount: Int
  private let keys: [UInt64]
  /// The points that have a value, in the order of their values and, of equal ones, of the tree.
  private var order: [UInt32] = []

  /// - Complexity: O(pointCount)
  init(of column: Column) {
    let keys = OrderedKeys(of: column)
    pointCount = column.pointCount
    self.keys = (0..<column.pointCount).map { keys[$0] }
    order.reserveCapacity(pointCount)
    for index in 0..<pointCount where self.keys[index] != OrderedKeys.missing { order.append(UInt32(index)) }
    sort()
  }

  /// Sorts by one byte of the keys after the other, from the lowest; those that all have in common are left out.
  private mutating func sort() {
    guard let first = order.first else { return }
    var differing: UInt64 = 0
    for index in order { differing |= keys[Int(index)] ^ keys[Int(first)] }
    var sorted = order
    for shift in stride(from: UInt64(0), to: 64, by: 8) where differing >> shift & 0xFF != 0 {
      var starts = [Int](repeating: 0, count: 257)
      for index in order { starts[Int(keys[Int(index)] >> shift & 0xFF) + 1] += 1 }
      for byte in 1...256 { starts[byte] += starts[byte - 1] }
      for index in order {
        let byte = Int(keys[Int(index)] >> shift & 0xFF)
        sorted[starts[byte]] = index
        starts[byte] += 1
      }
      swap(&order, &sorted)
    }
  }

  /// The section of ranks, for the first column.
  func ranks() -> [UInt8] {
    var (ranks, firstIndices) = ([UInt32](repeating: 0, count: pointCount), [UInt32]())
    var last: UInt64?
    for index in order {
      if keys[Int(index)] != last { firstIndices.append(index) }
      last = keys[Int(index)]
      ranks[Int(index)] = UInt32(firstIndices.count - 1)
    }
    let missingCount = pointCount - order.count
    if missingCount > 0 {
      for index in 0..<pointCount where keys[index] == OrderedKeys.missing { ranks[index] = UInt32(firstIndices.count) }
    }
    return Self.section(ranks, firstIndices: firstIndices, missingCount: missingCount)
  }

  /// The section of links, for the first column.
  func links() -> [UInt8] {
    // Missing values link to themselves.
    var links = (0..<UInt32(pointCount)).map { $0 + 1 }
    var last: UInt32?
    for index in order {
      links[Int(index)] = last.map { keys[Int($0)] == keys[Int(index)] ? $0 + 1 : 0 } ?? 0
      last = index
    }
    return Self.section(links, firstIndices: [], missingCount: 0)
  }

  /// A section for the first column as that of any other.
  static func section(_ bytes: [UInt8], ofColumn number: Int) -> [UInt8] {
    var bytes = bytes
    bytes.withUnsafeMutableBytes { $0.store(UInt32(number), at: ColumnMatrix.Offset.column) }
    return bytes
  }

  private static func section(_ integers: [UInt32], firstIndices: [UInt32], missingCount: Int) -> [UInt8] {
    let levelCount = WaveletMatrix.levelCount(for: integers.max() ?? 0)
    let byteCount = ColumnMatrix.byteCount(
      ofPoints: integers.count, levelCount: levelCount, valueCount: firstIndices.count)
    var bytes = [UInt8](repeating: 0, count: byteCount)
    bytes.withUnsafeMutableBytes { bytes in
      typealias Offset = ColumnMatrix.Offset
      bytes.store(UInt32(levelCount), at: Offset.levelCount)
      bytes.store(UInt32(firstIndices.count), at: Offset.valueCount)
      bytes.store(UInt32(missingCount), at: Offset.missingCount)
      let blocks = UnsafeMutableRawBufferPointer(rebasing: bytes[ColumnMatrix.blocksOffset(levelCount: levelCount)...])
      let levelLength = WaveletMatrix.blockCount(of: integers.count) * WaveletMatrix.bytesPerBlock
      var (integers, ones) = (integers, integers)
      for level in 0..<levelCount {
        let levelBytes = UnsafeMutableRawBufferPointer(
          rebasing: blocks[level * levelLength..<(level + 1) * levelLength])
        let zeroCount = integers.partition(by: UInt32(levelCount - 1 - level), into: levelBytes, &ones)
        bytes.store(UInt32(zeroCount), at: Offset.zeroCounts + 4 * level)
      }
      for (rank, index) in firstIndices.enumerated() {
        bytes.store(index, at: byteCount - 4 * (firstIndices.count - rank))
      }
    }
    return bytes
  }
}

extension [UInt32] {
  /// Writes a bit of each to the blocks of a level, and puts those where it is 0 before the others.
  ///
  /// - Parameter ones: As long as this, for what it is needed for on the way.
  /// - Returns: How many bits are 0.
  fileprivate mutating func partition(
    by bit: UInt32, into blocks: UnsafeMutableRawBufferPointer, _ ones: inout [UInt32]
  ) -> Int {
    withUnsafeMutableBufferPointer { integers in
      ones.withUnsafeMutableBufferPointer { ones in
        var (zeroCount, oneCount) = (0, 0)
        for block in 0..<WaveletMatrix.blockCount(of: integers.count) {
          let start = block * WaveletMatrix.bitsPerBlock
          let end = Swift.min(start + WaveletMatrix.bitsPerBlock, integers.count)
          // The bits of a block stand behind the 32 of its count.
          var (word, place) = (UInt64(oneCount), UInt64(32))
          var offset = block * WaveletMatrix.bytesPerBlock
          for index in start..<end {
            let integer = integers[index]
            let isOne = integer &>> bit & 1
            word |= UInt64(isOne) &<< (place & 63)
            // Both are written, and one of them stays.
            integers[zeroCount] = integer
            ones[oneCount] = integer
            zeroCount &+= Int(1 &- isOne)
            oneCount &+= Int(isOne)
            place &+= 1
            if place & 63 == 0 {
              blocks.store(word, at: offset)
              (word, offset) = (0, offset + 8)
            }
          }
          if place & 63 != 0 { blocks.store(word, at: offset) }
        }
        for index in 0..<oneCount { integers[zeroCount + index] = ones[index] }
        return zeroCount
      }
    }
  }
}

extension UnsafeMutableRawBufferPointer {
  fileprivate func store<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
  }
}

import Treeline

/// The points of a column, sorted by value. Sections of ranks, links and searches are made from this order.
struct RankedPoints {
  private let pointCount: Int
  private let keys: [UInt64]
  /// Points that have a value, sorted by value. Points with equal values are in tree order.
  private let order: [UInt32]
  private let monitor: BuildMonitor

  /// - Parameter monitor: Monitor of the work. If the work is cancelled, the order is unusable.
  /// - Complexity: O(pointCount)
  init(of column: Column, _ monitor: BuildMonitor = BuildMonitor(pointCount: 0)) {
    let source = OrderedKeys(of: column)
    (pointCount, self.monitor) = (column.pointCount, monitor)
    var (keys, order) = ([UInt64](), [UInt32]())
    keys.reserveCapacity(column.pointCount)
    order.reserveCapacity(column.pointCount)
    monitor.valuePass(over: 0..<column.pointCount) { block in
      for index in block {
        keys.append(source[index])
        if keys[index] != OrderedKeys.missing { order.append(UInt32(index)) }
      }
    }
    Self.sort(&order, by: keys, monitor)
    (self.keys, self.order) = (keys, order)
  }

  /// Returns the indices of some keys, sorted by key. Equal keys keep their order.
  static func sorted(_ keys: [UInt64], _ monitor: BuildMonitor) -> [UInt32] {
    var order = keys.indices.map { UInt32($0) }
    sort(&order, by: keys, monitor)
    return order
  }

  /// Sorts by each byte of the keys in turn, beginning with the lowest byte. Skips bytes that are equal in all keys.
  private static func sort(_ order: inout [UInt32], by keys: [UInt64], _ monitor: BuildMonitor) {
    guard let first = order.first else { return }
    var differing: UInt64 = 0
    monitor.pass(over: order.indices) { for place in $0 { differing |= keys[Int(order[place])] ^ keys[Int(first)] } }
    var sorted = order
    for shift in stride(from: UInt64(0), to: 64, by: 8) where differing >> shift & 0xFF != 0 {
      var starts = [Int](repeating: 0, count: 257)
      monitor.pass(over: order.indices) {
        for place in $0 { starts[Int(keys[Int(order[place])] >> shift & 0xFF) + 1] += 1 }
      }
      for byte in 1...256 { starts[byte] += starts[byte - 1] }
      monitor.pass(over: order.indices) {
        for place in $0 {
          let index = order[place]
          let byte = Int(keys[Int(index)] >> shift & 0xFF)
          sorted[starts[byte]] = index
          starts[byte] += 1
        }
      }
      swap(&order, &sorted)
    }
  }

  /// Returns the section that prepares the first column of an index. For another column, call `section(_:ofColumn:)`
  /// with this section.
  func section(for preparation: IndexColumn.Preparation, of column: Column) -> [UInt8] {
    preparation == .search ? search(column) : matrix(preparation)
  }

  /// Returns the section of kind `search`. The column must have a dictionary.
  private func search(_ column: Column) -> [UInt8] {
    guard case .entries(let entries) = column.values else { return [] }
    let words = SearchPlaces.Words(of: entries.dictionary, pointCount: order.count, monitor)
    let places = SearchPlaces(of: words, monitor)
    var section = places.head(ofColumn: 0, pointCount: order.count)
    section.reserveCapacity(places.sectionLength(pointCount: order.count))
    monitor.pass(over: order.indices) { for index in order[$0] { section.appendLittleEndian(index) } }
    return section
  }

  /// Returns a copy of a section that was made for the first column of an index. The copy is for the column with the
  /// given number.
  static func section(_ bytes: [UInt8], ofColumn number: Int) -> [UInt8] {
    var bytes = bytes
    bytes.withUnsafeMutableBytes { $0.store(UInt32(number), at: ColumnMatrix.Offset.column) }
    return bytes
  }

  private func matrix(_ preparation: IndexColumn.Preparation) -> [UInt8] {
    var found = MatrixIntegers(for: preparation)
    var (integers, firstIndices) = ([UInt32](repeating: 0, count: pointCount), [UInt32]())
    monitor.pass(over: order.indices) {
      for index in order[$0] {
        let (integer, isListed) = found.add(index, keys[Int(index)])
        integers[Int(index)] = integer
        if isListed { firstIndices.append(index) }
      }
    }
    let missingCount = pointCount - order.count
    if missingCount > 0 {
      monitor.pass(over: 0..<pointCount) {
        for index in $0 where keys[index] == OrderedKeys.missing {
          integers[index] = found.missing(at: UInt32(index))
        }
      }
    }
    let levelCount = WaveletMatrix.levelCount(for: integers.max() ?? 0)
    let byteCount = ColumnMatrix.byteCount(
      ofPoints: pointCount, levelCount: levelCount, valueCount: firstIndices.count)
    var bytes = [UInt8](repeating: 0, count: byteCount)
    bytes.withUnsafeMutableBytes { bytes in
      let blocks = UnsafeMutableRawBufferPointer(rebasing: bytes[ColumnMatrix.blocksOffset(levelCount: levelCount)...])
      let levelLength = WaveletMatrix.blockCount(of: pointCount) * WaveletMatrix.bytesPerBlock
      var ones = integers
      let zeroCounts = (0..<levelCount).map { level in
        let levelBytes = UnsafeMutableRawBufferPointer(
          rebasing: blocks[level * levelLength..<(level + 1) * levelLength])
        return integers.withUnsafeMutableBufferPointer { integers in
          ones.withUnsafeMutableBufferPointer { ones in
            integers.partition(byBit: levelCount - 1 - level, into: levelBytes, ones: ones.baseAddress!, monitor)
          }
        }
      }
      bytes.copyBytes(
        from: ColumnMatrix.head(
          ofColumn: 0, valueCount: firstIndices.count,
          missingCount: preparation == .percentiles ? missingCount : 0, zeroCounts: zeroCounts))
      for (rank, index) in firstIndices.enumerated() {
        bytes.store(index, at: byteCount - 4 * (firstIndices.count - rank))
      }
    }
    return bytes
  }
}

extension UnsafeMutableBufferPointer<UInt32> {
  /// Writes a level of the wavelet matrix to `blocks`: one bit of each integer. Moves the integers whose bit is 0 to
  /// the front.
  ///
  /// - Returns: the number of bits that are 0.
  fileprivate func partition(
    byBit bit: Int, into blocks: UnsafeMutableRawBufferPointer, ones: UnsafeMutablePointer<UInt32>,
    _ monitor: BuildMonitor
  ) -> Int {
    var (zeroCount, oneCount) = (0, 0)
    let blockCount = blocks.count / WaveletMatrix.bytesPerBlock
    for range in (0..<blockCount).blocks(of: 1 << 12) where !monitor.isCancelled {
      let start = range.lowerBound * WaveletMatrix.bitsPerBlock
      let part = UnsafeMutableBufferPointer(
        rebasing: self[start..<Swift.min(range.upperBound * WaveletMatrix.bitsPerBlock, count)])
      let bytes = range.lowerBound * WaveletMatrix.bytesPerBlock..<range.upperBound * WaveletMatrix.bytesPerBlock
      let zeros = part.partition(
        byBit: bit, into: UnsafeMutableRawBufferPointer(rebasing: blocks[bytes]), oneCount: oneCount,
        ones: ones + oneCount)
      if zeros > 0 && start > zeroCount { (baseAddress! + zeroCount).update(from: baseAddress! + start, count: zeros) }
      zeroCount += zeros
      oneCount += part.count - zeros
    }
    if oneCount > 0 && !monitor.isCancelled { (baseAddress! + zeroCount).update(from: ones, count: oneCount) }
    return zeroCount
  }

  /// Writes one bit of each integer to `blocks`, which is a part of one level of the wavelet matrix. The length of
  /// `blocks` determines how many blocks are written. Moves the integers whose bit is 0 to the front.
  ///
  /// - Parameters:
  ///   - oneCount: Number of 1 bits in this level before the first of these blocks.
  ///   - ones: Memory for the integers whose bit is 1; it must have room for all integers.
  /// - Returns: the number of bits that are 0.
  func partition(
    byBit bit: Int, into blocks: UnsafeMutableRawBufferPointer, oneCount onesBefore: Int,
    ones: UnsafeMutablePointer<UInt32>
  ) -> Int {
    let bit = UInt32(bit)
    var (zeroCount, oneCount) = (0, 0)
    for block in 0..<blocks.count / WaveletMatrix.bytesPerBlock {
      let start = block * WaveletMatrix.bitsPerBlock
      let end = Swift.min(start + WaveletMatrix.bitsPerBlock, count)
      // A block begins with 32 bits that hold the number of 1 bits before the block. The bits of the block follow.
      var (word, place) = (UInt64(onesBefore + oneCount), UInt64(32))
      var offset = block * WaveletMatrix.bytesPerBlock
      for index in start..<end {
        let integer = self[index]
        let isOne = integer &>> bit & 1
        word |= UInt64(isOne) &<< (place & 63)
        // Writes the integer both to `self` and to `ones`, so that no branch is needed. Only one of the two copies
        // is wanted. The next integer overwrites the unwanted copy.
        self[zeroCount] = integer
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
    return zeroCount
  }
}

extension UnsafeMutableRawBufferPointer {
  func store<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
  }
}

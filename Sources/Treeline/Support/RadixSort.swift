/// Radix sort from the lowest digit to the highest digit. Each pass keeps the order of entries with equal digits. The
/// sort takes linear time and can be cancelled at any moment.
enum RadixSort {
  private static let bitsPerDigit = 11

  /// Sorts entries by some of their bits.
  ///
  /// - Parameters:
  ///   - entries: The entries to sort. On return, `entries` points to the sorted entries, and may have been swapped
  ///     with `others`.
  ///   - others: Memory for `count` further entries.
  static func sort(
    _ entries: inout UnsafeMutablePointer<UInt64>, _ others: inout UnsafeMutablePointer<UInt64>, count: Int,
    byBits bits: Range<Int>
  ) throws(CancellationError) {
    let digitCount = (bits.count + bitsPerDigit - 1) / bitsPerDigit
    for number in 0..<digitCount {
      let (start, end) = (number * bits.count / digitCount, (number + 1) * bits.count / digitCount)
      let (shift, mask) = (UInt64(bits.lowerBound + start), UInt64(1) << UInt64(end - start) - 1)
      var places = [Int](repeating: 0, count: Int(mask) + 2)
      try forEachBlock(of: count) { block in
        for index in block { places[Int(entries[index] &>> shift & mask) + 1] &+= 1 }
      }
      for digit in 1..<places.count { places[digit] += places[digit - 1] }
      try forEachBlock(of: count) { block in
        places.withUnsafeMutableBufferPointer { places in
          for index in block {
            let entry = entries[index]
            let digit = Int(entry &>> shift & mask)
            others[places[digit]] = entry
            places[digit] &+= 1
          }
        }
      }
      swap(&entries, &others)
    }
  }

  @inline(__always) private static func forEachBlock(of count: Int, _ body: (Range<Int>) -> Void)
    throws(CancellationError)
  {
    for start in stride(from: 0, to: count, by: 1 << 16) {
      try Cancellation.check()
      body(start..<min(start + 1 << 16, count))
    }
  }
}

extension [UInt64] {
  /// Sorts numbers like `sort()`, but can be cancelled.
  mutating func sortKeys() throws(CancellationError) {
    guard count > 1 << 12 else { return sort() }
    let first = self[0]
    let differing = reduce(0) { $0 | ($1 ^ first) }
    if differing == 0 { return }
    let room = UnsafeMutablePointer<UInt64>.allocate(capacity: 2 * count)
    defer { room.deallocate() }
    var (entries, others) = (room, room + count)
    for index in indices { entries[index] = self[index] }
    let bits = differing.trailingZeroBitCount..<UInt64.bitWidth - differing.leadingZeroBitCount
    try RadixSort.sort(&entries, &others, count: count, byBits: bits)
    for index in indices { self[index] = entries[index] }
  }
}

/// Exact prefix sums of a column of doubles over the counted rows. There is one sum for each block of rows. The more
/// the exponents of the doubles differ, the more bytes a sum takes, and the more rows a block has. So the sums take at
/// most half a byte per row.
final class RealSums: PreparedValues {
  /// An `ExactSum` consists of many words. Only the words in this range are stored for each block, because sums of the
  /// column's values need no other words.
  private let kept: Range<Int>
  private let rowsPerBlock: Int
  /// For each block, the number of values in all rows before the block.
  private let counts: PreparedArray<Int>
  /// For each block, the sum of the values in all rows before the block, as words of an `ExactSum`.
  private let words: PreparedArray<Int64>

  var byteCount: Int { counts.byteCount + words.byteCount }

  /// - Complexity: O(rows)
  init(of values: RealValues, _ rows: CountedRows) throws(CancellationError) {
    kept = try Self.words(of: values, rows)
    var size = 64
    while size < 16 * (kept.count + 1) { size *= 2 }
    rowsPerBlock = size
    let blockCount = rows.rowCount / size + 1
    counts = PreparedArray(repeating: 0, count: blockCount)
    words = PreparedArray(repeating: 0, count: blockCount * kept.count)
    var (total, count) = (ExactSum(words: kept), 0)
    for block in 0..<blockCount {
      // Every 64 blocks, checks whether the work has been cancelled. A block has 64 to 2,048 rows, so there are at
      // most 131,072 rows between two checks.
      if block & 0x3F == 0 { try Cancellation.check() }
      counts[block] = count
      for index in 0..<kept.count { words[block * kept.count + index] = total.words[index] }
      let start = block * size
      count += total.add(values, 1, of: rows, in: start..<min(start + size, rows.rowCount))
    }
  }

  private static func words(of values: RealValues, _ rows: CountedRows) throws(CancellationError) -> Range<Int> {
    var (first, last) = (Int.max, Int.min)
    for start in stride(from: 0, to: rows.rowCount, by: 64 * Cancellation.wordsPerLook) {
      try Cancellation.check()
      rows.forEach(in: start..<min(start + 64 * Cancellation.wordsPerLook, rows.rowCount)) { row in
        let value = values[row]
        if !value.isFinite || value == 0 { return }
        let word = ExactSum.firstWord(of: value)
        (first, last) = (min(first, word), max(last, word))
      }
    }
    return first <= last ? first..<last + 3 : 0..<3
  }

  /// Returns the number of values in a range of rows, and their sum.
  ///
  /// - Complexity: O(1): reads less than a block of rows at each end.
  func sum(of range: Range<Int>, of values: RealValues, _ rows: CountedRows) -> (count: Int, sum: ExactSum) {
    var sum = ExactSum(words: kept)
    if range.count <= rowsPerBlock { return (sum.add(values, 1, of: rows, in: range), sum) }
    // At each bound of the range, reads the sum at the nearest start of a block, and the rows between this start and
    // the bound.
    func nearest(_ row: Int) -> Int { min((row + rowsPerBlock / 2) / rowsPerBlock, rows.rowCount / rowsPerBlock) }
    let (first, last) = (nearest(range.lowerBound), nearest(range.upperBound))
    let (start, end) = (first * rowsPerBlock, last * rowsPerBlock)
    var count = counts[last] - counts[first]
    sum.add(words.start + last * kept.count, less: words.start + first * kept.count)
    if start < range.lowerBound {
      count -= sum.add(values, -1, of: rows, in: start..<range.lowerBound)
    } else {
      count += sum.add(values, 1, of: rows, in: range.lowerBound..<start)
    }
    if end < range.upperBound {
      count += sum.add(values, 1, of: rows, in: end..<range.upperBound)
    } else {
      count -= sum.add(values, -1, of: rows, in: range.upperBound..<end)
    }
    return (count, sum)
  }
}

/// Exact sums of a column of doubles over the rows that count, 4,096 rows at a time.
final class RealSums: Sendable {
  private static let rowsPerBlock = 4096
  /// Of the rows before a block: how many values, and the words of their sum.
  private let counts: PreparedArray<Int>
  private let words: PreparedArray<Int64>

  /// - Complexity: O(rows)
  init(of values: RealValues, _ rows: CountedRows) {
    let blockCount = rows.rowCount / Self.rowsPerBlock + 1
    counts = PreparedArray(repeating: 0, count: blockCount)
    words = PreparedArray(repeating: 0, count: blockCount * ExactSum.wordCount)
    var (total, count) = (ExactSum(), 0)
    for block in 0..<blockCount {
      counts[block] = count
      for (index, word) in total.words.enumerated() { words[block * ExactSum.wordCount + index] = word }
      let start = block * Self.rowsPerBlock
      count += Self.add(values, rows, start..<min(start + Self.rowsPerBlock, rows.rowCount), to: &total)
    }
  }

  private static func add(_ values: RealValues, _ rows: CountedRows, _ range: Range<Int>, to sum: inout ExactSum) -> Int
  {
    var count = 0
    rows.forEach(in: range) { row in
      let value = values[row]
      if value.isFinite {
        sum.add(value)
        count += 1
      }
    }
    return count
  }

  /// How many values a range of rows has, and their sum.
  ///
  /// - Complexity: O(1), for 8,190 rows at most.
  func sum(of range: Range<Int>, of values: RealValues, _ rows: CountedRows) -> (count: Int, sum: ExactSum) {
    let size = Self.rowsPerBlock
    let (first, last) = ((range.lowerBound + size - 1) / size, range.upperBound / size)
    var sum = ExactSum()
    guard first <= last else { return (Self.add(values, rows, range, to: &sum), sum) }
    var count = Self.add(values, rows, range.lowerBound..<first * size, to: &sum)
    count += Self.add(values, rows, last * size..<range.upperBound, to: &sum)
    sum.add(words.start + last * ExactSum.wordCount, less: words.start + first * ExactSum.wordCount)
    return (count + counts[last] - counts[first], sum)
  }
}

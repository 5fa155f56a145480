/// How many of the rows that count have each of a column's codes, of which there are few, by blocks of rows. A block has
/// the more rows the more codes there are, so that the counts take no more than half a byte a row.
final class ValueCounts: Sendable {
  /// How many codes there are, the one for missing values not among them.
  let codeCount: Int
  private let rowsPerBlock: Int
  /// Of the rows before each block.
  private let before: PreparedArray<UInt32>

  /// More different values are counted row by row.
  static let maximumCodeCount = 1 << 16

  /// - Complexity: O(rows)
  init(of codes: PackedIntegers, codeCount: Int, _ rows: CountedRows) {
    self.codeCount = codeCount
    var size = 128
    while size < 8 * codeCount { size *= 2 }
    rowsPerBlock = size
    let blockCount = rows.rowCount / size + 1
    before = PreparedArray(repeating: 0, count: blockCount * codeCount)
    // One more, for missing values.
    var counts = [UInt32](repeating: 0, count: codeCount + 1)
    for block in 0..<blockCount {
      for code in 0..<codeCount { before[block * codeCount + code] = counts[code] }
      Self.add(codes, rows, block * size..<min((block + 1) * size, rows.rowCount), to: &counts)
    }
  }

  static func add(_ codes: PackedIntegers, _ rows: CountedRows, _ range: Range<Int>, to counts: inout [UInt32]) {
    counts.withUnsafeMutableBufferPointer { counts in
      var work = Addition(rows: rows, range: range, counts: counts)
      codes.with(&work)
    }
  }

  private struct Addition: PackedWork {
    let rows: CountedRows
    let range: Range<Int>
    let counts: UnsafeMutableBufferPointer<UInt32>

    mutating func run<Integer: FixedWidthInteger & UnsignedInteger>(_ integers: UnsafePointer<Integer>) {
      let (last, counts) = (UInt64(counts.count - 1), counts.baseAddress!)
      rows.forEach(in: range) { row in
        counts[Int(truncatingIfNeeded: min(UInt64(Integer(littleEndian: integers[row])), last))] &+= 1
      }
    }
  }

  /// The count of each code in a range of rows, and behind them that of other codes.
  func counts(of range: Range<Int>, of codes: PackedIntegers, _ rows: CountedRows) -> [UInt32] {
    var counts = [UInt32](repeating: 0, count: codeCount + 1)
    let (first, last) = ((range.lowerBound + rowsPerBlock - 1) / rowsPerBlock, range.upperBound / rowsPerBlock)
    guard first <= last else {
      Self.add(codes, rows, range, to: &counts)
      return counts
    }
    Self.add(codes, rows, range.lowerBound..<first * rowsPerBlock, to: &counts)
    Self.add(codes, rows, last * rowsPerBlock..<range.upperBound, to: &counts)
    for code in 0..<codeCount { counts[code] &+= before[last * codeCount + code] &- before[first * codeCount + code] }
    return counts
  }
}

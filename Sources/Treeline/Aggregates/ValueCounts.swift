/// For each block of rows, the number of times that each code of a column occurs before the block. Only counted rows
/// are included (see `CountedRows`). A code is the number that the column stores for a value. The counts are made for
/// columns with few different codes. The more codes a column has, the more rows a block has. So the counts take at
/// most half a byte per row.
final class ValueCounts: PreparedValues {
  /// Number of codes, without the code for missing values.
  let codeCount: Int
  private let rowsPerBlock: Int
  /// For each block, the count of each code in all counted rows before the block.
  private let before: PreparedArray<UInt32>

  var byteCount: Int { before.byteCount }

  /// Greatest number of codes for which counts are made. Values of columns with more codes are counted row by row.
  static let maximumCodeCount = 1 << 16

  /// - Complexity: O(rows)
  init(of codes: PackedIntegers, codeCount: Int, _ rows: CountedRows) throws(CancellationError) {
    self.codeCount = codeCount
    var size = 64
    while size < 8 * codeCount { size *= 2 }
    rowsPerBlock = size
    let blockCount = rows.rowCount / size + 1
    before = PreparedArray(repeating: 0, count: blockCount * codeCount)
    // The last count is for missing values.
    var counts = [UInt32](repeating: 0, count: codeCount + 1)
    let isCancelled = counts.withUnsafeMutableBufferPointer { counts in
      for block in 0..<blockCount {
        if block * size & (64 * Cancellation.wordsPerLook - 1) == 0, Cancellation.isCancelled { return true }
        for code in 0..<codeCount { before[block * codeCount + code] = counts[code] }
        let range = block * size..<min((block + 1) * size, rows.rowCount)
        var work = Addition(rows: rows, range: range, change: 1, counts: counts)
        codes.with(&work)
      }
      return false
    }
    if isCancelled { throw CancellationError() }
  }

  private struct Addition: PackedWork {
    let rows: CountedRows
    let range: Range<Int>
    /// Number that is added to a count for each row. The number is 1 or `UInt32.max`. The addition wraps around, so
    /// adding `UInt32.max` subtracts 1.
    let change: UInt32
    let counts: UnsafeMutableBufferPointer<UInt32>

    mutating func run<Integer: FixedWidthInteger & UnsignedInteger>(_ integers: UnsafePointer<Integer>) {
      let (last, counts, change) = (UInt64(counts.count - 1), counts.baseAddress!, change)
      rows.forEach(in: range) { row in
        counts[Int(truncatingIfNeeded: min(UInt64(Integer(littleEndian: integers[row])), last))] &+= change
      }
    }
  }

  /// Writes the count of each code in a range of rows. `counts` has one number for each code, and one more number at
  /// the end. The number at the end counts missing values while rows are read, and is not valid afterwards.
  ///
  /// - Complexity: O(codes): reads less than a block of rows at each end.
  func count(
    _ range: Range<Int>, of codes: PackedIntegers, _ rows: CountedRows, into counts: UnsafeMutableBufferPointer<UInt32>
  ) {
    counts.initialize(repeating: 0)
    func add(_ range: Range<Int>, _ change: UInt32) {
      var work = Addition(rows: rows, range: range, change: change, counts: counts)
      codes.with(&work)
    }
    if range.count <= rowsPerBlock { return add(range, 1) }
    // For each of the two bounds of the range, takes the stored counts at the nearest start of a block. Then adds or
    // subtracts the rows between this start and the bound.
    func nearest(_ row: Int) -> Int { min((row + rowsPerBlock / 2) / rowsPerBlock, rows.rowCount / rowsPerBlock) }
    let (first, last) = (nearest(range.lowerBound), nearest(range.upperBound))
    let (start, end) = (first * rowsPerBlock, last * rowsPerBlock)
    let (a, b) = (before.start + first * codeCount, before.start + last * codeCount)
    for code in 0..<codeCount { counts[code] = b[code] &- a[code] }
    if start < range.lowerBound { add(start..<range.lowerBound, .max) } else { add(range.lowerBound..<start, 1) }
    if end < range.upperBound { add(end..<range.upperBound, 1) } else { add(range.upperBound..<end, .max) }
  }
}

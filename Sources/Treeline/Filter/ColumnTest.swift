/// A test whether values of a column are in a set.
///
/// A test runs on chunks of up to 4,096 rows, without branches. It packs the results for 64 rows into a word. A code
/// is the number that a column stores for a value: an integer minus the base of the column, or the index of a
/// dictionary's entry.
enum ColumnTest {
  /// Codes in one closed range.
  case codes(PackedIntegers, UInt64, through: UInt64)
  /// Codes whose entry in a table is 1. For a code beyond the end of the table, the last entry decides.
  case table(PackedIntegers, [UInt8])
  /// Codes in any of many ranges, which are sorted and do not touch.
  case codeRanges(PackedIntegers, [ClosedRange<UInt64>])
  /// Doubles in one closed range.
  case reals(RealValues, ClosedRange<Double>)
  /// Doubles in any of many ranges, which are sorted and do not touch.
  case realRanges(RealValues, [ClosedRange<Double>])
  /// Doubles that stand for missing values.
  case missingReals(RealValues)

  /// Greatest number of ranges that are tested one after the other. More ranges are tested by a binary search.
  static let fewRanges = 8

  /// Number of words in a chunk.
  static let wordsPerChunk = 64

  /// Writes the words of a chunk. Bit i of word w is 1 if row 64 w + i passes. Bits beyond the last row are 0.
  func run(_ words: Range<Int>, rowCount: Int, into result: UnsafeMutablePointer<UInt64>) {
    switch self {
    case .codes(let codes, let least, let greatest):
      var work = RangeWork(words: words, rowCount: rowCount, result: result, least: least, greatest: greatest)
      codes.with(&work)
    case .table(let codes, let table):
      table.withUnsafeBufferPointer { table in
        var work = TableWork(words: words, rowCount: rowCount, result: result, table: table)
        codes.with(&work)
      }
    case .reals(let reals, let range):
      let (least, greatest) = (range.lowerBound, range.upperBound)
      pack(words, rowCount, into: result) { row in
        let value = reals[row]
        return value >= least && value <= greatest
      }
    case .codeRanges(let codes, let ranges): pack(words, rowCount, into: result) { ranges.contain(codes[$0]) }
    case .realRanges(let reals, let ranges): pack(words, rowCount, into: result) { ranges.contain(reals[$0]) }
    case .missingReals(let reals): pack(words, rowCount, into: result) { !reals[$0].isFinite }
    }
  }

  /// Tests a list of rows. Writes 1 for each row that passes, and 0 for each row that fails.
  func run(_ rows: UnsafeBufferPointer<UInt32>, into result: UnsafeMutablePointer<UInt8>) {
    for (index, row) in rows.enumerated() {
      let row = Int(row)
      let passes =
        switch self {
        case .codes(let codes, let least, let greatest): codes[row] &- least <= greatest &- least
        case .table(let codes, let table): table[Int(min(codes[row], UInt64(table.count - 1)))] != 0
        case .reals(let reals, let range): range.contains(reals[row])
        case .codeRanges(let codes, let ranges): ranges.contain(codes[row])
        case .realRanges(let reals, let ranges): ranges.contain(reals[row])
        case .missingReals(let reals): !reals[row].isFinite
        }
      result[index] = passes ? 1 : 0
    }
  }
}

extension Array {
  /// Returns whether a value lies in at least one of the sorted ranges.
  ///
  /// - Complexity: O(log ranges)
  fileprivate func contain<Value: Comparable>(_ value: Value) -> Bool where Element == ClosedRange<Value> {
    let index = Treeline.firstIndex(in: indices) { self[$0].upperBound >= value }
    return index < count && self[index].contains(value)
  }
}

private struct RangeWork: PackedWork {
  let words: Range<Int>
  let rowCount: Int
  let result: UnsafeMutablePointer<UInt64>
  let least: UInt64
  let greatest: UInt64

  mutating func run<Integer: FixedWidthInteger & UnsignedInteger>(_ integers: UnsafePointer<Integer>) {
    let (least, span) = (Integer(truncatingIfNeeded: self.least), Integer(truncatingIfNeeded: greatest &- self.least))
    pack(words, rowCount, into: result) { Integer(littleEndian: integers[$0]) &- least <= span }
  }
}

private struct TableWork: PackedWork {
  let words: Range<Int>
  let rowCount: Int
  let result: UnsafeMutablePointer<UInt64>
  let table: UnsafeBufferPointer<UInt8>

  mutating func run<Integer: FixedWidthInteger & UnsignedInteger>(_ integers: UnsafePointer<Integer>) {
    let (last, table) = (table.count - 1, table.baseAddress!)
    pack(words, rowCount, into: result) { row in
      table[Int(truncatingIfNeeded: min(UInt64(Integer(littleEndian: integers[row])), UInt64(last)))] != 0
    }
  }
}

/// Tests each row and stores the result as a byte, in a loop that compilers vectorize. Then packs each group of eight
/// bytes into eight bits, by a multiplication.
@inline(__always) private func pack(
  _ words: Range<Int>, _ rowCount: Int, into result: UnsafeMutablePointer<UInt64>, _ test: (Int) -> Bool
) {
  withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 8) { eights in
    let bytes = UnsafeMutableRawPointer(eights.baseAddress!).assumingMemoryBound(to: UInt8.self)
    for word in words {
      let first = word &* 64
      let count = min(rowCount &- first, 64)
      if count < 64 { for index in 0..<8 { eights[index] = 0 } }
      if count == 64 {
        for index in 0..<64 { bytes[index] = test(first &+ index) ? 1 : 0 }
      } else if count > 0 {
        for index in 0..<count { bytes[index] = test(first &+ index) ? 1 : 0 }
      }
      var bits: UInt64 = 0
      for index in 0..<8 {
        // Gathers the lowest bits of eight bytes into the highest byte.
        let gathered = (UInt64(littleEndian: eights[index]) &* 0x0102_0408_1020_4080) &>> 56
        bits |= gathered &<< UInt64(8 &* index)
      }
      result[word &- words.lowerBound] = bits
    }
  }
}

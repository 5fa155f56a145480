/// The counted rows of a column. These are all rows or, under a filter, the rows that pass the filter. This struct
/// points to memory of the filter. The tree keeps this memory alive, so the struct may be used only while the tree
/// exists.
struct CountedRows {
  /// Masks with a 1 bit for each counted row; nil if all rows are counted.
  private let words: UnsafePointer<UInt64>?
  let rowCount: Int

  init(of tree: ClusterTree) {
    (words, rowCount) = (tree.selection.map { UnsafePointer($0.words.bits) }, tree.pointCount)
  }

  var areAll: Bool { words == nil }

  var wordCount: Int { Selection.wordCount(ofPoints: rowCount) }

  /// Returns a mask with a 1 bit for each counted row of a word. A word is a group of 64 consecutive rows.
  @inline(__always) func bits(ofWord word: Int) -> UInt64 {
    if let words { return words[word] }
    let count = rowCount &- word &* 64
    return count >= 64 ? .max : 1 &<< UInt64(count) &- 1
  }

  /// Calls a closure for each word (64 consecutive rows) that has counted rows in a range. The arguments of the
  /// closure are the index of the word and a mask of the counted rows that lie both in the word and in the range.
  @inline(__always) func forEachWord(in range: Range<Int>, _ body: (Int, UInt64) -> Void) {
    if range.isEmpty { return }
    let (first, last) = (range.lowerBound >> 6, (range.upperBound - 1) >> 6)
    for word in first...last {
      var bits = bits(ofWord: word)
      if word == first { bits &= .max &<< UInt64(range.lowerBound & 63) }
      if word == last { bits &= .max &>> UInt64(63 &- (range.upperBound &- 1) & 63) }
      if bits != 0 { body(word, bits) }
    }
  }

  /// Returns the index of the word whose first row is nearest to the given row.
  @inline(__always) func nearestWord(to row: Int) -> Int { min((row &+ 32) >> 6, rowCount >> 6) }

  /// Calls a closure for each counted row of a range.
  @inline(__always) func forEach(in range: Range<Int>, _ body: (Int) -> Void) {
    if words == nil {
      for row in range { body(row) }
      return
    }
    forEachWord(in: range) { word, bits in Self.forEach(bits, from: word &* 64, body) }
  }

  @inline(__always) static func forEach(_ bits: UInt64, from start: Int, _ body: (Int) -> Void) {
    if bits == .max {
      for row in start..<start &+ 64 { body(row) }
      return
    }
    var bits = bits
    while bits != 0 {
      body(start &+ bits.trailingZeroBitCount)
      bits &= bits &- 1
    }
  }
}

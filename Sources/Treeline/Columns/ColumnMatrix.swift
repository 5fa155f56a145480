/// A section that belongs to a column: a wavelet matrix over an integer for each point, in tree order.
///
/// Of a section of kind `ranks` it is the rank of the point's value among the different values of the column, and their
/// number for a missing one. So a percentile is found without reading values.
///
/// Of a section of kind `links` it is one more than the tree index of the point before it that has the same value, 0 if
/// there is none; a missing value links to itself. So a range has as many different values as links that do not lie
/// within it (S. Muthukrishnan, Efficient algorithms for document retrieval problems, SODA 2002).
package struct ColumnMatrix: @unchecked Sendable {
  /// Offsets of what such a section begins with. The number of zeros of each level follows in 4 bytes each, with zeros
  /// up to a multiple of 32; then the blocks of all levels; then, of ranks, 4 bytes for each different value.
  package enum Offset {
    /// The number of its column among the sections of kind `column`.
    package static let column = 0
    package static let levelCount = 4
    /// How many different values there are, of ranks.
    package static let valueCount = 8
    /// How many values are missing, of ranks.
    package static let missingCount = 12
    package static let zeroCounts = 16
  }

  package let matrix: WaveletMatrix
  /// Of ranks, how many different values the column has; else 0.
  package let valueCount: Int
  /// Of ranks, how many values are missing.
  package let missingCount: Int
  /// Of ranks, the first point in tree order that has each value.
  private let firstIndices: UnsafePointer<UInt32>
  /// The bytes of the section.
  package let section: UnsafeRawBufferPointer

  /// Where the blocks begin.
  package static func blocksOffset(levelCount: Int) -> Int { (Offset.zeroCounts + 4 * levelCount + 31) / 32 * 32 }

  package static func byteCount(ofPoints pointCount: Int, levelCount: Int, valueCount: Int) -> Int {
    blocksOffset(levelCount: levelCount)
      + levelCount * WaveletMatrix.blockCount(of: pointCount) * WaveletMatrix.bytesPerBlock + 4 * valueCount
  }

  /// Reads what a section begins with, and checks that the rest is there.
  ///
  /// - Parameter offset: Of the section in the file, for errors.
  init(
    _ bytes: UnsafeRawBufferPointer, of kind: IndexSection.Kind, at offset: UInt64, in file: NamedBytes, pointCount: Int
  ) throws(IndexError) {
    try file.require(
      bytes.count >= Offset.zeroCounts, at: offset, "\(Offset.zeroCounts) bytes of \(kind) or more",
      found: "\(bytes.count)")
    func number(at part: Int) -> Int { Int(bytes.read(at: part) as UInt32) }
    let levelCount = number(at: Offset.levelCount)
    try file.require(
      levelCount <= WaveletMatrix.maximumLevelCount, at: offset + UInt64(Offset.levelCount),
      "\(WaveletMatrix.maximumLevelCount) levels at most", found: "\(levelCount)")
    let valueCount = number(at: Offset.valueCount)
    try file.require(
      valueCount <= (kind == .ranks ? pointCount : 0), at: offset + UInt64(Offset.valueCount),
      kind == .ranks ? "\(pointCount) different values at most" : "0", found: "\(valueCount)")
    let needed = Self.byteCount(ofPoints: pointCount, levelCount: levelCount, valueCount: valueCount)
    try file.require(
      bytes.count == needed, at: offset, "\(needed) bytes of \(kind) in \(levelCount) levels, of \(valueCount) values",
      found: "\(bytes.count)")
    let start = bytes.baseAddress!
    let blocks = start + Self.blocksOffset(levelCount: levelCount)
    matrix = WaveletMatrix(
      count: pointCount, levelCount: levelCount,
      zeroCounts: (start + Offset.zeroCounts).assumingMemoryBound(to: UInt32.self),
      blocks: blocks.assumingMemoryBound(to: UInt64.self))
    (self.valueCount, missingCount, section) = (valueCount, number(at: Offset.missingCount), bytes)
    firstIndices = (start + needed - 4 * valueCount).assumingMemoryBound(to: UInt32.self)
  }

  /// One in memory, aligned to 8 bytes, as a builder made it.
  package init(section bytes: UnsafeRawBufferPointer, of kind: IndexSection.Kind, pointCount: Int) throws(IndexError) {
    try self.init(bytes, of: kind, at: 0, in: NamedBytes(bytes: bytes, name: "memory"), pointCount: pointCount)
  }

  /// The number of its column among the sections of kind `column`.
  var columnNumber: Int { Int(section.read(at: Offset.column) as UInt32) }

  /// The first point in tree order that has the value of a rank; nil for what is no rank, or leads to no point.
  package func firstIndex(ofRank rank: Int) -> Int? {
    guard rank < valueCount else { return nil }
    let index = Int(UInt32(littleEndian: firstIndices[rank]))
    return index < matrix.count ? index : nil
  }

  // MARK: Ranks

  /// How many points of a range have a value.
  ///
  /// - Complexity: O(levels)
  func presentCount(in range: Range<Int>) -> Int {
    missingCount == 0 ? range.count : matrix.count(below: valueCount, in: range)
  }

  // MARK: Links

  /// How many different values a range has.
  ///
  /// - Complexity: O(levels)
  func distinctCount(in range: Range<Int>) -> Int { matrix.count(below: range.lowerBound + 1, in: range) }
}

extension Column {
  /// - Parameter kind: `ranks` or `links`.
  package mutating func attach(_ matrix: ColumnMatrix, of kind: IndexSection.Kind) {
    if kind == .ranks { ranks = matrix } else { links = matrix }
  }
}

extension ClusterTree {
  /// Gives columns the ranks and links that an index has for them.
  ///
  /// - Parameter columns: All, of which those of kind `column` are counted.
  static func attach(
    _ sections: [IndexSection], to columns: inout [Column], in file: NamedBytes, pointCount: Int
  ) throws(IndexError) {
    let typed = columns.indices.filter { columns[$0].attribute == nil }
    for kind in [IndexSection.Kind.ranks, .links] {
      var next = 0
      for section in sections where section.kind == kind {
        let matrix = try ColumnMatrix(
          UnsafeRawBufferPointer(rebasing: file.bytes[section.range]), of: kind, at: section.offset, in: file,
          pointCount: pointCount)
        // In the order of the columns, so that none has two.
        try file.require(
          next..<max(typed.count, next) ~= matrix.columnNumber, at: section.offset,
          "a number of a column from \(next) to \(typed.count - 1)", found: "\(matrix.columnNumber)")
        next = matrix.columnNumber + 1
        columns[typed[matrix.columnNumber]].attach(matrix, of: kind)
      }
    }
  }
}

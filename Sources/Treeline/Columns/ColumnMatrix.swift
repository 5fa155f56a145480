/// A section that belongs to a column: a wavelet matrix of integers. There is one integer for each point, in tree
/// order.
///
/// In a section of kind `ranks` the integer is the rank of the point's value among the distinct values of the column.
/// For a missing value the integer is the number of distinct values. From these integers, a percentile is found
/// without reading values.
///
/// In a section of kind `links` the integer is 1 plus the tree index of the previous point with the same value, or 0
/// if there is no such point. A point with a missing value links to itself. Therefore the number of distinct values in
/// a range is the number of points in the range that link to a point before the range or to no point (S.
/// Muthukrishnan, Efficient algorithms for document retrieval problems, SODA 2002).
package struct ColumnMatrix: @unchecked Sendable {
  /// Offsets of the fields at the start of a section of kind `ranks`, `links` or `search`. Three arrays follow. The
  /// first array has 4 bytes for each level: the number of 0 bits of this level. Zeros follow up to the next multiple
  /// of 32. The second array has the blocks of all levels. The third array, only in a section of kind `ranks`, has 4
  /// bytes for each distinct value.
  package enum Offset {
    /// Offset of the column number: the section belongs to the column with this number. Only columns in sections of
    /// kind `column` are counted.
    package static let column = 0
    package static let levelCount = 4
    /// In a section of ranks, the offset of the number of distinct values.
    package static let valueCount = 8
    /// In a section of ranks, the offset of the field that holds the number of missing values.
    package static let missingCount = 12
    package static let zeroCounts = 16
  }

  package let matrix: WaveletMatrix
  /// In a section of ranks, the number of distinct values of the column; 0 in other sections.
  package let valueCount: Int
  /// In a section of ranks, the number of missing values of the column.
  package let missingCount: Int
  /// In a section of ranks, a tree index for each distinct value: the index of the first point with this value.
  private let firstIndices: UnsafePointer<UInt32>
  /// The bytes of the section.
  package let section: UnsafeRawBufferPointer

  /// Returns the offset at which the blocks begin.
  package static func blocksOffset(levelCount: Int) -> Int { (Offset.zeroCounts + 4 * levelCount + 31) / 32 * 32 }

  package static func byteCount(ofPoints pointCount: Int, levelCount: Int, valueCount: Int) -> Int {
    blocksOffset(levelCount: levelCount)
      + levelCount * WaveletMatrix.blockCount(of: pointCount) * WaveletMatrix.bytesPerBlock + 4 * valueCount
  }

  /// Reads the fields at the start of a section, and checks the length of the rest of the section.
  init(_ section: NamedBytes, of kind: IndexSection.Kind, pointCount: Int) throws(IndexError) {
    let bytes = section.bytes
    try section.require(
      bytes.count >= Offset.zeroCounts, at: 0, "a section of \(kind) with \(Offset.zeroCounts) bytes or more",
      found: "\(bytes.count)")
    func number(at part: Int) -> Int { Int(bytes.read(at: part) as UInt32) }
    let levelCount = number(at: Offset.levelCount)
    try section.require(
      levelCount <= WaveletMatrix.maximumLevelCount, at: Offset.levelCount,
      "at most \(WaveletMatrix.maximumLevelCount) levels", found: "\(levelCount)")
    let valueCount = number(at: Offset.valueCount)
    try section.require(
      valueCount <= (kind == .ranks ? pointCount : 0), at: Offset.valueCount,
      kind == .ranks ? "at most \(pointCount) distinct values" : "0", found: "\(valueCount)")
    let needed = Self.byteCount(ofPoints: pointCount, levelCount: levelCount, valueCount: valueCount)
    try section.require(
      bytes.count == needed, at: 0, "\(needed) bytes of \(kind) for \(levelCount) levels and \(valueCount) values",
      found: "\(bytes.count)")
    let start = bytes.baseAddress!
    let blocks = start + Self.blocksOffset(levelCount: levelCount)
    matrix = WaveletMatrix(
      count: pointCount, levelCount: levelCount,
      zeroCounts: (start + Offset.zeroCounts).assumingMemoryBound(to: UInt32.self),
      blocks: blocks.assumingMemoryBound(to: UInt64.self))
    (self.valueCount, missingCount, self.section) = (valueCount, number(at: Offset.missingCount), bytes)
    firstIndices = (start + needed - 4 * valueCount).assumingMemoryBound(to: UInt32.self)
  }

  /// Returns the tree index of the first point whose value has a given rank. Returns nil if the rank is too great, or
  /// if a damaged section gives an index that no point has.
  package func firstIndex(ofRank rank: Int) -> Int? {
    guard rank < valueCount else { return nil }
    let index = Int(UInt32(littleEndian: firstIndices[rank]))
    return index < matrix.count ? index : nil
  }

  // MARK: Ranks

  /// Returns how many points of a range have a value in this column.
  ///
  /// - Complexity: O(levels)
  func presentCount(in range: Range<Int>) -> Int {
    missingCount == 0 ? range.count : matrix.count(below: valueCount, in: range)
  }

  // MARK: Links

  /// Returns the number of distinct values in a range.
  ///
  /// - Complexity: O(levels)
  func distinctCount(in range: Range<Int>) -> Int { matrix.count(below: range.lowerBound + 1, in: range) }
}

/// Sections that belong to a column. A section is nil if it was not built.
struct ColumnSections: Sendable {
  var ranks, links: ColumnMatrix?
  var search: ColumnSearch?
}

extension Column {
  /// The section from which percentiles are computed without reading each value.
  package var ranks: ColumnMatrix? { sections.ranks }

  /// The section from which distinct counts are computed without reading each value.
  package var links: ColumnMatrix? { sections.links }

  /// The section in which texts are searched.
  package var search: ColumnSearch? { sections.search }

  /// Attaches a section that belongs to this column, and checks that it can be read.
  ///
  /// - Parameter kind: `ranks`, `links` or `search`.
  mutating func attach(_ section: NamedBytes, of kind: IndexSection.Kind) throws(IndexError) {
    if kind == .search {
      sections.search = try ColumnSearch(section, of: self)
      return
    }
    let matrix = try ColumnMatrix(section, of: kind, pointCount: pointCount)
    if kind == .ranks { sections.ranks = matrix } else { sections.links = matrix }
  }

  /// Attaches a section that a builder made in memory. The section must begin at an address that is a multiple of 8.
  package mutating func attach(section: UnsafeRawBufferPointer, of kind: IndexSection.Kind) throws(IndexError) {
    try attach(NamedBytes(bytes: section, name: "memory"), of: kind)
  }

  /// The sections that belong to this column, in the order in which an index contains them.
  package var ownSections: [(kind: IndexSection.Kind, bytes: UnsafeRawBufferPointer)] {
    [(.ranks, ranks?.section), (.links, links?.section), (.search, search?.section)].compactMap { kind, bytes in
      bytes.map { (kind, $0) }
    }
  }
}

extension ClusterTree {
  /// Attaches each section of kind `ranks`, `links` or `search` to its column.
  ///
  /// - Parameter columns: All columns, including attributes. Each section contains the number of its column. Only
  ///   columns that lie in sections of kind `column` are counted, so attributes have no number.
  static func attach(
    _ sections: [IndexSection], to columns: inout [Column], in file: NamedBytes, pointCount: Int
  ) throws(IndexError) {
    let typed = columns.indices.filter { columns[$0].attribute == nil }
    for kind in [IndexSection.Kind.ranks, .links, .search] {
      var next = 0
      for section in sections where section.kind == kind {
        // Sections of all three kinds begin with the number of the column.
        let part = file.part(section)
        try part.require(section.length >= 4, at: 0, "a column number", found: "\(section.length) bytes")
        let number = Int(part.read(at: 0) as UInt32)
        // Sections of one kind must be in ascending order of their column numbers. So no column can have two sections
        // of one kind.
        try part.require(
          next..<max(typed.count, next) ~= number, at: 0,
          "a column number from \(next) to \(typed.count - 1)", found: "\(number)")
        next = number + 1
        try columns[typed[number]].attach(part, of: kind)
      }
    }
  }
}

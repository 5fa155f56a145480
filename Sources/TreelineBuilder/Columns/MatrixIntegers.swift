import Treeline

/// The integers of a section that prepares a column for percentiles or distinct counts (see `ColumnMatrix`), and the
/// tree indices that a section lists. A section for a search has no integers. Points are added in the order of their
/// values; points with equal values are added in tree order.
struct MatrixIntegers {
  private let kind: IndexColumn.Preparation
  private var last: (key: UInt64, index: UInt32)?
  /// Number of tree indices that are listed in the section: the first point of each value for percentiles, all points
  /// for a search, and no point for distinct counts.
  private(set) var listedCount = 0

  init(for kind: IndexColumn.Preparation) { self.kind = kind }

  /// Adds the next point that has a value.
  ///
  /// - Returns: the integer of the point, and whether its tree index is listed in the section.
  @inline(__always) mutating func add(_ index: UInt32, _ key: UInt64) -> (integer: UInt32, isListed: Bool) {
    let previous = last.flatMap { $0.key == key ? $0.index : nil }
    let isListed =
      switch kind {
      case .percentiles: previous == nil
      case .distinct: false
      case .search: true
      }
    if isListed { listedCount += 1 }
    last = (key, index)
    return (kind == .distinct ? previous.map { $0 + 1 } ?? 0 : UInt32(listedCount - 1), isListed)
  }

  /// Returns the integer of a point without a value. All points with values must be added already.
  func missing(at index: UInt32) -> UInt32 { kind == .distinct ? index + 1 : UInt32(listedCount) }
}

extension ColumnMatrix {
  /// Returns the bytes of a section before its blocks.
  ///
  /// - Parameters:
  ///   - column: Number of the column among the column sections of the index.
  ///   - valueCount: Number of distinct values in a section for percentiles; 0 in a section for distinct counts.
  ///   - missingCount: Number of points without a value in a section for percentiles; 0 in a section for distinct
  ///     counts.
  ///   - zeroCounts: For each level, the number of its bits that are 0.
  static func head(ofColumn column: Int, valueCount: Int, missingCount: Int, zeroCounts: [Int]) -> [UInt8] {
    var head = [UInt8](repeating: 0, count: blocksOffset(levelCount: zeroCounts.count))
    head.withUnsafeMutableBytes { head in
      head.store(UInt32(column), at: Offset.column)
      head.store(UInt32(zeroCounts.count), at: Offset.levelCount)
      head.store(UInt32(valueCount), at: Offset.valueCount)
      head.store(UInt32(missingCount), at: Offset.missingCount)
      for (level, count) in zeroCounts.enumerated() { head.store(UInt32(count), at: Offset.zeroCounts + 4 * level) }
    }
    return head
  }
}

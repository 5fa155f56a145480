/// The points of a tree, sorted by a column's values. Points without a value come last, and points with equal values
/// stay in tree order.
///
/// A *place* is an index in this order. The points with values in a range have adjacent places. So when the range of a
/// filter moves, the points that enter or leave the range are found without reading other points. The order takes 4
/// bytes of memory per point, and 20 bytes per point while it is made.
final class ValueOrder: PreparedValues {
  private let treeIndices: PreparedArray<UInt32>

  var byteCount: Int { treeIndices.byteCount }
  private let values: Column.Values
  /// Number of points whose value in the column is not missing.
  private let valueCount: Int

  var count: Int { treeIndices.count }

  /// Sorts the points by a column; returns nil if the column's values are entries of a dictionary.
  ///
  /// - Complexity: O(pointCount)
  init?(of column: Column) throws(CancellationError) {
    values = column.values
    let pointCount = column.pointCount
    switch values {
    case .integers(let integers):
      let codes = integers.codes
      let extent = IntegerExtent(of: integers).codes ?? 0...0
      let (least, missing) = (extent.lowerBound, integers.missingCode)
      let behindAll = extent.upperBound - least + 1
      treeIndices = try Self.sorted(count: pointCount, greatestKey: behindAll) { index in
        let code = codes[index]
        return code == missing ? behindAll : code &- least
      }
    case .reals(let reals):
      treeIndices = try Self.sorted(count: pointCount, greatestKey: .max) { index in
        let value = reals[index]
        // 0 and -0 are the same value.
        let bits = value == 0 ? 0 : value.bitPattern
        return !value.isFinite ? .max : bits >> 63 == 1 ? ~bits : bits | 1 << 63
      }
    case .entries: return nil
    }
    let (values, treeIndices) = (values, treeIndices)
    valueCount = firstIndex(in: 0..<pointCount) { place in
      let index = Int(treeIndices[place])
      return switch values {
      case .integers(let integers): integers.codes[index] == integers.missingCode
      case .reals(let reals): !reals[index].isFinite
      case .entries: true
      }
    }
  }

  @inline(__always) func treeIndex(atPlace place: Int) -> UInt32 { treeIndices[place] }

  /// Returns the places of the points that pass a test, as sorted ranges; nil if the test reads another column or has
  /// many ranges. A place is the index of a point in the column order.
  func places(passing test: ColumnTest) -> [Range<Int>]? {
    switch (test, values) {
    case (.codes(let codes, let least, let greatest), .integers(let integers))
    where codes.start == integers.codes.start:
      return places(
        from: { integers.codes[Int(self.treeIndices[$0])] >= least },
        through: { integers.codes[Int(self.treeIndices[$0])] > greatest }, in: 0..<count)
    case (.reals(let tested, let range), .reals(let reals)) where tested.start == reals.start:
      return places(
        from: { reals[Int(self.treeIndices[$0])] >= range.lowerBound },
        through: { reals[Int(self.treeIndices[$0])] > range.upperBound }, in: 0..<valueCount)
    case (.missingReals(let tested), .reals(let reals)) where tested.start == reals.start:
      return valueCount < count ? [valueCount..<count] : []
    default: return nil
    }
  }

  private func places(from isIn: (Int) -> Bool, through isBehind: (Int) -> Bool, in places: Range<Int>) -> [Range<Int>]
  {
    let start = firstIndex(in: places, where: isIn)
    let end = firstIndex(in: start..<places.upperBound, where: isBehind)
    return start < end ? [start..<end] : []
  }

  // MARK: - Sorting

  /// Returns the indices from 0 to `count` - 1, sorted by their keys. Indices with equal keys stay in order, because
  /// a radix sort that begins with the lowest digit is stable.
  private static func sorted(count: Int, greatestKey: UInt64, key: (Int) -> UInt64) throws(CancellationError)
    -> PreparedArray<UInt32>
  {
    let sorted = PreparedArray<UInt32>(repeating: 0, count: count)
    // Each entry has an index in its lower half, and 32 bits of the key in its upper half. The first sort is by the
    // lower 32 bits of the key. If keys are longer, a second sort is by the upper 32 bits.
    var entries = UnsafeMutablePointer<UInt64>.allocate(capacity: 2 * count + 1)
    var others = entries + count
    defer { min(entries, others).deallocate() }
    for index in 0..<count { entries[index] = key(index) << 32 | UInt64(index) }
    let bitCount = UInt64.bitWidth - greatestKey.leadingZeroBitCount
    try RadixSort.sort(&entries, &others, count: count, byBits: 32..<32 + min(bitCount, 32))
    if bitCount > 32 {
      for place in 0..<count {
        let index = entries[place] & 0xFFFF_FFFF
        entries[place] = key(Int(index)) & ~0xFFFF_FFFF | index
      }
      try RadixSort.sort(&entries, &others, count: count, byBits: 32..<bitCount)
    }
    for place in 0..<count { sorted[place] = UInt32(truncatingIfNeeded: entries[place]) }
    return sorted
  }
}

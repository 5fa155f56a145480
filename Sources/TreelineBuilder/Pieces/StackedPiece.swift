import Treeline

/// A piece whose points all have one position. The piece is written with the same bytes as a `BuiltPiece`. Only a few
/// of its points are in memory at a time, however many points the piece has.
struct StackedPiece {
  let task: PieceTask
  let position: PlanePoint
  let layout: CodeLayout
  /// Reads the rows of some points, in ascending order.
  let rows: (Range<Int>, UnsafeMutableBufferPointer<UInt64>) throws(PieceError) -> Void
  /// Reads the codes of some points, one point after the other. The codes of one point are in the order of the columns.
  let codes: (Range<Int>, UnsafeMutableRawBufferPointer) throws(PieceError) -> Void

  private static let blockSize = 1 << 17

  func write(_ write: (UnsafeRawBufferPointer) throws(PieceError) -> Void) throws(PieceError) {
    let count = task.pointCount
    var header = PieceHeader(
      of: task, recordCount: 1, root: NodeRecord(box: PlaneRect(position), count: UInt32(count), childOffset: 0),
      codeLength: layout.length)
    header.hasWideRows = try lastRow() > UInt32.max
    let isWide = header.hasWideRows
    // All data are read twice: first for the checksums, which come first in the piece, and then for writing.
    for part in PiecePart.allCases {
      var checksum = XXHash64()
      try forEachBlock(of: part, hasWideRows: isWide) { checksum.update($0) }
      header[part] = checksum.finalize()
    }
    header.seal()
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: PieceHeader.length, alignment: 8)
    defer { bytes.deallocate() }
    bytes.storeBytes(of: header, as: PieceHeader.self)
    try write(UnsafeRawBufferPointer(bytes))
    for part in PiecePart.allCases { try forEachBlock(of: part, hasWideRows: isWide, write) }
    var checksums: [UInt64] = []
    for column in layout.widths.indices {
      var checksum = XXHash64()
      try forEachBlock(ofColumn: column) { block throws(PieceError) in
        checksum.update(block)
        try write(block)
      }
      checksums.append(checksum.finalize())
    }
    try checksums.withUnsafeBufferPointer { bytes throws(PieceError) in try write(UnsafeRawBufferPointer(bytes)) }
  }

  private func lastRow() throws(PieceError) -> UInt64 {
    var last = [0 as UInt64]
    try last.withUnsafeMutableBufferPointer { last throws(PieceError) in
      try rows(task.pointCount - 1..<task.pointCount, last)
    }
    return last[0]
  }

  private func forEachBlock(
    of part: PiecePart, hasWideRows: Bool, _ body: (UnsafeRawBufferPointer) throws(PieceError) -> Void
  ) throws(PieceError) {
    func forEach<Element>(
      _ count: Int, _ value: Element,
      _ fill: (Range<Int>, UnsafeMutableBufferPointer<Element>) throws(PieceError) -> Void
    ) throws(PieceError) {
      let buffer = UnsafeMutableBufferPointer<Element>.allocate(capacity: min(count, Self.blockSize))
      defer { buffer.deallocate() }
      for range in (0..<count).blocks(of: Self.blockSize) {
        let block = UnsafeMutableBufferPointer(rebasing: buffer[..<range.count])
        block.initialize(repeating: value)
        try fill(range, block)
        try body(UnsafeRawBufferPointer(block))
      }
    }
    let pointCount = task.pointCount
    switch part {
    case .points: try forEach(pointCount, position) { _, _ in }
    case .rows where hasWideRows: try forEach(pointCount, 0 as UInt64, rows)
    case .rows:
      var wide = [UInt64](repeating: 0, count: min(pointCount, Self.blockSize))
      try forEach(pointCount, 0 as UInt32) { range, block throws(PieceError) in
        try wide.withUnsafeMutableBufferPointer { wide throws(PieceError) in
          let wide = UnsafeMutableBufferPointer(rebasing: wide[..<range.count])
          try rows(range, wide)
          for index in block.indices { block[index] = UInt32(wide[index]) }
        }
      }
    case .gaps:
      // The last point's gap is 0. If the number of points is odd, the unused half byte is also 0.
      let byteCount = Gap.byteCount(ofPoints: pointCount)
      try forEach(byteCount, Gap.byte(even: Gap.none, odd: Gap.none)) { range, block in
        guard range.upperBound == byteCount else { return }
        block[range.count - 1] = pointCount % 2 == 0 ? Gap.byte(even: Gap.none, odd: 0) : 0
      }
    case .sums, .nodes, .spreads: break
    }
  }

  /// Visits the codes of one column.
  private func forEachBlock(
    ofColumn column: Int, _ body: (UnsafeRawBufferPointer) throws(PieceError) -> Void
  ) throws(PieceError) {
    let (offset, width) = (layout.offset(of: column), layout.widths[column])
    let blockSize = min(task.pointCount, Self.blockSize)
    let records = UnsafeMutableRawBufferPointer.allocate(byteCount: layout.length * blockSize, alignment: 16)
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: width * blockSize, alignment: 16)
    defer {
      records.deallocate()
      block.deallocate()
    }
    for range in (0..<task.pointCount).blocks(of: Self.blockSize) {
      try codes(range, UnsafeMutableRawBufferPointer(rebasing: records[..<(layout.length * range.count)]))
      for index in 0..<range.count {
        for byte in 0..<width { block[index * width + byte] = records[index * layout.length + offset + byte] }
      }
      try body(UnsafeRawBufferPointer(rebasing: block[..<(width * range.count)]))
    }
  }
}

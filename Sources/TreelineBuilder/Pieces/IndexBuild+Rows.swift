import Treeline

#if POSIX
  extension IndexBuild {
    /// Checks that all given row numbers are different. If row numbers ascend, they are different.
    ///
    /// - Complexity: Row numbers are divided into parts. A part takes at most half of the memory that the build may
    ///   use. All row numbers are read once for each part.
    func checkRows() throws(PieceError) {
      guard options.hasGivenRows, !state.rowsAscend else { return }
      if let kept {
        guard try firstTwice(in: kept.givenRows) != nil else { return }
        // The error is about the first point whose row number occurred before.
        var earlier: Set<UInt64> = []
        for row in kept.givenRows where !earlier.insert(row).inserted { throw .rowTwice(row: Int(row)) }
      }
      let file = try folder.file(.givenRows)
      let partCount = UInt64(8 * pointCount / max(options.memory / 2, 1 << 20) + 1)
      var block = [UInt64](repeating: 0, count: min(pointCount, Self.blockSize))
      for part in 0..<partCount {
        var rows: [UInt64] = []
        for range in (0..<pointCount).blocks(of: Self.blockSize) {
          try checkCancelled()
          try block.withUnsafeMutableBufferPointer { block throws(PieceError) in
            try file.read(UnsafeMutableBufferPointer(rebasing: block[..<range.count]), at: range.lowerBound)
          }
          // A hash assigns each row number to a part. Without a hash, the parts might have very different sizes, for
          // example if all row numbers are multiples of 1,000.
          for row in block[..<range.count] where (row &* 0x9E37_79B9_7F4A_7C15) >> 32 % partCount == part {
            rows.append(row)
          }
        }
        if let twice = try firstTwice(in: rows) { throw .rowTwice(row: Int(twice)) }
      }
    }

    /// Returns the least number that occurs twice.
    private func firstTwice(in rows: [UInt64]) throws(PieceError) -> UInt64? {
      var sorted = rows
      sorted.sort(monitor, by: <)
      try checkCancelled()
      return zip(sorted, sorted.dropFirst()).first { $0 == $1 }?.0
    }

    /// Returns the numbers of all points with a row number, in input order. Points are numbered from 0. Returns no
    /// points if the points are in a folder.
    ///
    /// - Complexity: O(pointCount)
    package func points(ofRow row: Int) -> [Int] {
      guard let kept else { return [] }
      return kept.coordinates.indices.filter { kept.row(ofPoint: $0) == UInt64(clamping: row) }
    }

    /// Returns the row number of a point, given the number of the point in input order.
    func row(ofPoint point: Int) throws(PieceError) -> Int {
      if let kept { return Int(kept.row(ofPoint: point)) }
      var rows = try InputRows(of: self)
      for _ in 0..<point { _ = try rows.next() }
      return Int(try rows.next())
    }
  }

  /// The order of the given row numbers: whether they ascend, the last row number, and the greatest row number.
  struct RowOrder {
    private(set) var last: UInt64?
    private(set) var greatest: UInt64 = 0
    /// Whether each row number is greater than the previous row number.
    private(set) var ascend = true

    /// - Parameter last: Row number of the previous point; nil for the first point.
    init(_ rows: [UInt64], after last: UInt64?) throws(PieceError) {
      self.last = last
      for row in rows {
        guard row <= StoredRows.greatest else { throw .rowOutOfRange }
        if let last = self.last, row <= last { ascend = false }
        self.last = row
        greatest = max(greatest, row)
      }
    }
  }

  /// The rows of points in input order. If the input assigns row numbers to points, these numbers are the rows.
  /// Otherwise all rows of the input are numbered from 0. A skipped row also gets a number, although it has no point.
  struct InputRows {
    private let file: ScratchFile
    private let areGiven: Bool
    private let count: Int
    private var buffer: [UInt64] = []
    private var position = 0
    private var readCount = 0
    private var row: UInt64 = 0

    init(of build: IndexBuild) throws(PieceError) {
      areGiven = build.options.hasGivenRows
      file = try build.folder.file(areGiven ? .givenRows : .skippedRows)
      count = areGiven ? build.pointCount : build.state.skippedRowCount
      try readOn()
    }

    /// Returns the row of the next point.
    mutating func next() throws(PieceError) -> UInt64 {
      if areGiven {
        defer { position += 1 }
        if position == buffer.count { try readOn() }
        return buffer[position]
      }
      while position < buffer.count, buffer[position] == row {
        row += 1
        position += 1
        if position == buffer.count { try readOn() }
      }
      defer { row += 1 }
      return row
    }

    private mutating func readOn() throws(PieceError) {
      let next = min(count - readCount, 1 << 16)
      position = 0
      buffer = [UInt64](repeating: 0, count: next)
      if next == 0 { return }
      try buffer.withUnsafeMutableBufferPointer { buffer throws(PieceError) in try file.read(buffer, at: readCount) }
      readCount += next
    }
  }
#endif

import Treeline

#if POSIX
  /// A piece whose points arrive in parts, in any order.
  ///
  /// - Complexity: Each point takes 16 bytes of memory plus the length of its codes. While the piece is built, each
  ///   point takes 50 bytes more, plus twice the length of its codes. If all points share one position, each point
  ///   takes less: 8 bytes in total without columns, or 16 bytes plus twice the length of its codes with columns. So
  ///   even a piece with the greatest possible number of points fits into memory.
  package struct CollectedPiece {
    let task: PieceTask
    private var points: [PlanePoint] = []
    private var rows: [UInt64] = []
    private let columns: [ColumnEncoding]
    private let layout: CodeLayout
    /// Codes of all points, one point after the other. The codes of one point are in the order of the columns.
    private var codes: [UInt8] = []

    /// - Parameter columns: Columns of the index.
    package init(_ task: PieceTask, columns: [ColumnEncoding]) {
      (self.task, self.columns, layout) = (task, columns, CodeLayout(columns))
    }

    /// Length of a point's codes, in bytes.
    package var codeLength: Int { layout.length }

    /// Adds some of the piece's points. If there is an error, no point is added.
    ///
    /// - Parameter newCodes: Codes of the points, one point after the other. The codes of one point are in the order of
    ///   the columns.
    package mutating func add(
      _ newPoints: UnsafeBufferPointer<PlanePoint>, rows newRows: UnsafeBufferPointer<Int64>,
      codes newCodes: UnsafeRawBufferPointer
    ) throws(PieceError) {
      precondition(newPoints.count == newRows.count, "Expected a row for each point")
      precondition(newPoints.count * layout.length == newCodes.count, "Expected codes of all columns for each point")
      guard rows.count + newPoints.count <= task.pointCount else { throw wrongCount(rows.count + newPoints.count) }
      for row in newRows {
        guard let row = UInt64(exactly: row), row <= StoredRows.greatest else { throw .rowOutOfRange }
      }
      let box = task.extent.box
      if let other = newPoints.first(where: { !box.contains($0) }) {
        throw .damaged(
          what: name, expected: "points with \(box.text)",
          found: "a point of another piece, with x \(other.x) and y \(other.y)")
      }
      try checkCodes(newCodes, rows: newRows)
      rows.append(contentsOf: newRows.lazy.map { UInt64($0) })
      codes.append(contentsOf: newCodes)
      if task.stack == nil { points.append(contentsOf: newPoints) }
    }

    /// Checks the codes of all columns that have dictionaries. Each code must belong to an entry or mean a missing
    /// value.
    private func checkCodes(_ codes: UnsafeRawBufferPointer, rows: UnsafeBufferPointer<Int64>) throws(PieceError) {
      var offset = 0
      for column in columns {
        if let greatest = column.greatestEntryCode {
          for point in rows.indices {
            let code = column.code(at: codes, point * layout.length + offset)
            guard code <= greatest else {
              throw .damaged(
                what: "codes of column \(column.name.debugDescription)", expected: "0 to \(greatest)",
                found: "\(code) for row \(rows[point])")
            }
          }
        }
        offset += column.width
      }
    }

    /// Builds the piece and writes it to a folder.
    package mutating func write(to folder: PieceFolder, threads: Int) throws(PieceError) {
      guard rows.count == task.pointCount else { throw wrongCount(rows.count) }
      guard let position = task.stack else {
        let (allPoints, allRows, allCodes) = (points, rows, codes)
        try folder.keep(
          try task.build(layout, threads: threads, BuildMonitor(pointCount: task.pointCount)) { input in
            _ = input.points.update(fromContentsOf: allPoints)
            _ = input.rows.update(fromContentsOf: allRows)
            input.codes.copyBytes(from: allCodes)
          })
        return
      }
      sortByRows()
      if let index = rows.indices.dropFirst().first(where: { rows[$0 - 1] == rows[$0] }) {
        throw .rowTwice(row: Int(rows[index]))
      }
      let (task, sorted, sortedCodes, length) = (task, rows, codes, layout.length)
      try folder.write(piece: task.number) { write throws(PieceError) in
        try StackedPiece(
          task: task, position: position, layout: layout,
          rows: { range, block in _ = block.update(fromContentsOf: sorted[range]) },
          codes: { range, block in
            block.copyBytes(from: sortedCodes[(length * range.lowerBound)..<(length * range.upperBound)])
          }
        ).write(write)
      }
    }

    private mutating func sortByRows() {
      if layout.length > 0 {
        var sorted: [UInt8] = []
        sorted.reserveCapacity(codes.count)
        for point in rows.indices.sorted(by: { rows[$0] < rows[$1] }) {
          sorted.append(contentsOf: codes[(layout.length * point)..<(layout.length * (point + 1))])
        }
        codes = sorted
      }
      rows.sort()
    }

    private var name: String { "piece \(task.number)" }

    private func wrongCount(_ found: Int) -> PieceError {
      .damaged(what: name, expected: "\(task.pointCount) points", found: "\(found)")
    }
  }
#endif

import Treeline

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  /// A piece whose points arrive in parts, in any order.
  ///
  /// - Complexity: 16 bytes a point, and 50 more while it is built; 8 in all if all its points have one position, so that
  ///   as many as there may be of these fit.
  package struct CollectedPiece {
    package let task: PieceTask
    private var points: [PlanePoint] = []
    private var rows: [UInt64] = []

    package init(_ task: PieceTask) { self.task = task }

    /// Takes in some of its points.
    package mutating func add(_ newPoints: UnsafeBufferPointer<PlanePoint>, rows newRows: UnsafeBufferPointer<Int64>)
      throws(PieceError)
    {
      precondition(newPoints.count == newRows.count, "Expected a row for each point")
      guard rows.count + newPoints.count <= task.pointCount else { throw wrongCount(rows.count + newPoints.count) }
      for row in newRows {
        guard let row = UInt64(exactly: row), row <= StoredRows.greatest else { throw .tooManyRows }
        rows.append(row)
      }
      guard let position = task.stack else {
        points.append(contentsOf: newPoints)
        return
      }
      guard newPoints.allSatisfy({ $0 == position }) else {
        throw .damaged(what: name, expected: "points of one position", found: "others")
      }
    }

    /// Builds the piece and writes it to a folder.
    package mutating func write(to folder: PieceFolder, threads: Int) throws(PieceError) {
      guard rows.count == task.pointCount else { throw wrongCount(rows.count) }
      guard let position = task.stack else {
        let (allPoints, allRows) = (points, rows)
        try folder.write(
          try task.build(RecordLayout(), threads: threads, BuildMonitor(pointCount: task.pointCount)) { input in
            _ = input.points.update(fromContentsOf: allPoints)
            _ = input.rows.update(fromContentsOf: allRows)
          })
        return
      }
      rows.sort()
      if let index = rows.indices.dropFirst().first(where: { rows[$0 - 1] == rows[$0] }) {
        throw .rowTwice(row: Int(rows[index]))
      }
      let (task, sorted) = (task, rows)
      try folder.write(piece: task.number) { write throws(PieceError) in
        try StackedPiece(
          task: task, position: position, layout: RecordLayout(),
          rows: { range, block in _ = block.update(fromContentsOf: sorted[range]) }, codes: { _, _ in }
        ).write(write)
      }
    }

    private var name: String { "piece \(task.number)" }

    private func wrongCount(_ found: Int) -> PieceError {
      .damaged(what: name, expected: "\(task.pointCount) points", found: "\(found)")
    }
  }
#endif

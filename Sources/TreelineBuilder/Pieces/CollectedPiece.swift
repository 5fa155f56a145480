import Treeline

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  /// A piece whose points arrive in parts, in any order.
  ///
  /// - Complexity: 12 bytes a point, and 45 more while it is built; 4 in all if all its points have one position, so that
  ///   as many as there may be of these fit.
  package struct CollectedPiece {
    package let task: PieceTask
    private var points: [PlanePoint] = []
    private var rows: [UInt32] = []

    package init(_ task: PieceTask) { self.task = task }

    /// Takes in some of its points.
    package mutating func add(_ newPoints: UnsafeBufferPointer<PlanePoint>, rows newRows: UnsafeBufferPointer<Int64>)
      throws(PieceError)
    {
      precondition(newPoints.count == newRows.count, "Expected a row for each point")
      guard rows.count + newPoints.count <= task.pointCount else { throw wrongCount(rows.count + newPoints.count) }
      for row in newRows {
        guard let row = UInt32(exactly: row) else { throw .tooManyRows }
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
          try task.build(threads: threads) { ownPoints, ownRows in
            _ = ownPoints.update(fromContentsOf: allPoints)
            _ = ownRows.update(fromContentsOf: allRows)
          })
        return
      }
      rows.sort()
      if let index = rows.indices.dropFirst().first(where: { rows[$0 - 1] == rows[$0] }) {
        throw .damaged(what: name, expected: "row numbers that differ", found: "\(rows[index]) twice")
      }
      let (task, sorted) = (task, rows)
      try folder.write(piece: task.number) { write throws(PieceError) in
        try task.writeStack(at: position, write) { range, block in _ = block.update(fromContentsOf: sorted[range]) }
      }
    }

    private var name: String { "piece \(task.number)" }

    private func wrongCount(_ found: Int) -> PieceError {
      .damaged(what: name, expected: "\(task.pointCount) points", found: "\(found)")
    }
  }
#endif

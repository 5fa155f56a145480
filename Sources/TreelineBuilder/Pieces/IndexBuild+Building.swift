import Treeline

#if POSIX
  extension IndexBuild {
    /// Builds all pieces that no earlier run has built. Begins with the last piece, because its points are at the ends
    /// of the files. After the piece is built, the ends can be cut off to free disk space.
    func buildPieces(of plan: PiecePlan) throws(PieceError) -> ScratchPieces {
      let members = try PieceMembers(of: self)
      let pieces = if let found { found } else { try ScratchPieces(in: folder, of: plan, layout, checkCancelled) }
      // Number of points that belong to built pieces but have not been cut off the files yet. The points of a piece
      // are cut off only after the built piece is flushed to the disk. Several pieces are flushed together, because
      // each flush takes a while.
      var uncutCount = 0
      let mostUncut = max(1, min(pointCount / 16, 1 << 20))
      for task in plan.pieces[..<pieces.missingCount].reversed() {
        try checkCancelled()
        progress(.building, pointCount - task.end, pointCount)
        if let position = task.stack, state.rowsAscend {
          try pieces.append { write throws(PieceError) in
            try members.writeStack(task, at: position, write)
          }
        } else {
          let piece = try task.build(layout, threads: options.threads, monitor) { input throws(PieceError) in
            try members.read(task, to: input)
          }
          try pieces.append { write throws(PieceError) in try piece.write(write) }
        }
        uncutCount += task.pointCount
        if uncutCount >= mostUncut || pieces.missingCount == 0 {
          try pieces.synchronize()
          try members.cut(before: task)
          uncutCount = 0
        }
      }
      return pieces
    }
  }

  /// Points, rows and codes of pieces, which are read from the disk.
  struct PieceMembers {
    private let points: ScratchFile
    private let rows: ScratchFile
    private let codes: ScratchFile
    private let rowWidth: Int
    private let layout: CodeLayout
    private let checksums: [UInt64]
    private let checkCancelled: () throws(PieceError) -> Void

    init(of build: IndexBuild) throws(PieceError) {
      let folder = build.folder
      (points, rows, codes) = (try folder.file(.points), try folder.file(.rows), try folder.file(.codes))
      (rowWidth, layout, checksums) = (build.rowWidth, build.layout, build.state.pieceChecksums)
      checkCancelled = build.checkCancelled
    }

    /// Returns the checksum of a piece, given the checksums of its points, rows and codes.
    static func checksum(_ parts: [UInt64]) -> UInt64 { parts.withUnsafeBytes { XXHash64.hash($0) } }

    /// Checks the points, rows and codes of a piece.
    ///
    /// - Throws: `PieceError.damaged` if any points, rows or codes have changed since they were written.
    func check(_ task: PieceTask) throws(PieceError) {
      var parts: [UInt64] = []
      for (file, width) in [(points, 8), (rows, rowWidth), (codes, layout.length)] {
        parts.append(try file.checksum(of: width * task.first..<width * task.end, checkCancelled))
      }
      let (expected, found) = (checksums[task.number], Self.checksum(parts))
      guard found == expected else {
        throw .otherChecksum(
          of: "piece \(task.number) of \(points.path), \(rows.path) and \(codes.path)", expected: expected,
          found: found)
      }
    }

    func read(_ task: PieceTask, to input: PieceInput) throws(PieceError) {
      // Reads one part at a time, so that a cancelled build stops soon.
      for part in (0..<task.pointCount).blocks(of: 1 << 20) {
        try checkCancelled()
        let first = task.first + part.lowerBound
        try points.read(UnsafeMutableBufferPointer(rebasing: input.points[part]), at: first)
        try readRows(first, to: UnsafeMutableBufferPointer(rebasing: input.rows[part]))
        let records = layout.length * part.lowerBound..<layout.length * part.upperBound
        try codes.read(UnsafeMutableRawBufferPointer(rebasing: input.codes[records]), at: layout.length * first)
      }
    }

    /// Reads row numbers of 4 or 8 bytes, and returns them as numbers of 8 bytes.
    private func readRows(_ first: Int, to target: UnsafeMutableBufferPointer<UInt64>) throws(PieceError) {
      if rowWidth == 8 { return try rows.read(target, at: first) }
      // Reads numbers of 4 bytes into the second half of the target. So the conversion never overwrites a number that
      // it has not converted yet.
      let bytes = UnsafeMutableRawBufferPointer(target)
      let narrow = UnsafeMutableRawBufferPointer(rebasing: bytes[(4 * target.count)...])
      try rows.read(narrow, at: 4 * first)
      for index in target.indices { target[index] = UInt64(narrow.load(fromByteOffset: 4 * index, as: UInt32.self)) }
    }

    /// Removes the points of a piece, and of the pieces after it, from the disk.
    func cut(before task: PieceTask) throws(PieceError) {
      try points.setLength(8 * task.first)
      try rows.setLength(rowWidth * task.first)
      try codes.setLength(layout.length * task.first)
    }
  }

  /// Built pieces in one file, one after the other. The last piece of the tree comes first in the file.
  struct ScratchPieces: PieceSource {
    private let file: ScratchFile
    private let endFile: ScratchFile
    private let pieceCount: Int
    private let ends: Ends

    /// Offsets at which pieces end. At most one thread at a time adds pieces.
    private final class Ends: @unchecked Sendable { var all: [UInt64] = [] }

    /// Reuses the pieces that an earlier run has built, up to the first piece that has changed since it was written.
    /// The changed piece and all later pieces in the file are built again.
    init(
      in folder: ScratchFolder, of plan: PiecePlan, _ layout: CodeLayout,
      _ checkCancelled: () throws(PieceError) -> Void
    ) throws(PieceError) {
      (file, endFile, ends) = (try folder.file(.pieces), try folder.file(.pieceEnds), Ends())
      pieceCount = plan.pieces.count
      var found = [UInt64](repeating: 0, count: min(endFile.length / 8, pieceCount))
      try found.withUnsafeMutableBufferPointer { found throws(PieceError) in try endFile.read(found, at: 0) }
      for end in found {
        let start = ends.all.last ?? 0
        ends.all.append(end)
        let task = plan.pieces[missingCount]
        do throws(PieceError) { try check(task, from: start, to: end, layout, checkCancelled) } catch .cancelled {
          throw .cancelled
        } catch {
          ends.all.removeLast()
          break
        }
      }
      try endFile.setLength(8 * ends.all.count)
    }

    private func check(
      _ task: PieceTask, from start: UInt64, to end: UInt64, _ layout: CodeLayout,
      _ checkCancelled: () throws(PieceError) -> Void
    ) throws(PieceError) {
      let header = try header(of: task, codeLength: layout.length)
      guard end <= UInt64(file.length), end == start + UInt64(header.byteCount(layout)) else {
        throw .damaged(what: file.path, expected: "the bytes of piece \(task.number)", found: "other bytes")
      }
      let pieces = PieceReader(source: self, tasks: [task], headers: [header])
      for part in PiecePart.allCases {
        try checkCancelled()
        try pieces.forEachBlock(of: part, inPiece: 0) { _ in }
      }
      for column in layout.widths.indices {
        try checkCancelled()
        try pieces.forEachBlock(ofColumn: column, layout, inPiece: 0) { _ in }
      }
    }

    /// Flushes all pieces to the disk.
    func synchronize() throws(PieceError) {
      try file.synchronize()
      try endFile.synchronize()
    }

    /// Number of pieces that must still be built. Pieces are built from the last to the first, so the missing pieces
    /// are the first pieces of the tree.
    var missingCount: Int { pieceCount - ends.all.count }

    /// Adds a piece. In the tree, the added piece comes directly before the existing pieces.
    func append(
      _ produce: ((UnsafeRawBufferPointer) throws(PieceError) -> Void) throws(PieceError) -> Void
    ) throws(PieceError) {
      var end = Int(ends.all.last ?? 0)
      try produce { bytes throws(PieceError) in
        try file.write(bytes, at: end)
        end += bytes.count
      }
      try [UInt64(end)].withUnsafeBufferPointer { end throws(PieceError) in try endFile.write(end, at: ends.all.count) }
      ends.all.append(UInt64(end))
    }

    func read(piece: Int, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(PieceError) {
      let before = pieceCount - piece - 2
      try file.read(buffer, at: (before < 0 ? 0 : Int(ends.all[before])) + offset)
    }
  }

  extension PieceMembers {
    fileprivate func writeStack(
      _ task: PieceTask, at position: PlanePoint, _ write: (UnsafeRawBufferPointer) throws(PieceError) -> Void
    ) throws(PieceError) {
      let stack = StackedPiece(
        task: task, position: position, layout: layout,
        rows: { range, rows throws(PieceError) in
          try checkCancelled()
          try readRows(task.first + range.lowerBound, to: rows)
        },
        codes: { range, codes throws(PieceError) in
          try checkCancelled()
          try self.codes.read(codes, at: layout.length * (task.first + range.lowerBound))
        })
      try stack.write(write)
    }
  }
#endif

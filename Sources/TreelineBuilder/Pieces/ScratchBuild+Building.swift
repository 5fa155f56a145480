import Treeline

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  extension ScratchBuild {
    /// Builds all pieces but those that an earlier run has built: the last one first, so that the disk gets back what a
    /// piece has taken there by itself.
    func buildPieces(of plan: PiecePlan) throws(PieceError) -> ScratchPieces {
      let members = try PieceMembers(of: self)
      let pieces = try ScratchPieces(in: folder, of: plan, codeLength: layout.length)
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
        try members.cut(before: task)
      }
      return pieces
    }
  }

  /// Points, rows and codes by piece, as they are read from the disk.
  struct PieceMembers {
    private let points: ScratchFile
    private let rows: ScratchFile
    private let codes: ScratchFile
    private let rowWidth: Int
    private let layout: RecordLayout

    init(of build: ScratchBuild) throws(PieceError) {
      let folder = build.folder
      (points, rows, codes) = (try folder.file(.points), try folder.file(.rows), try folder.file(.codes))
      (rowWidth, layout) = (build.rowWidth, build.layout)
    }

    func read(_ task: PieceTask, to input: PieceInput) throws(PieceError) {
      try points.read(input.points, at: task.first)
      try readRows(task.first, to: input.rows)
      try codes.read(input.records, at: layout.length * task.first)
    }

    /// Row numbers of any length as those of 8 bytes.
    private func readRows(_ first: Int, to target: UnsafeMutableBufferPointer<UInt64>) throws(PieceError) {
      if rowWidth == 8 { return try rows.read(target, at: first) }
      // They are read to the second half, which is not written to before it is read.
      let bytes = UnsafeMutableRawBufferPointer(target)
      let narrow = UnsafeMutableRawBufferPointer(rebasing: bytes[(4 * target.count)...])
      try rows.read(narrow, at: 4 * first)
      for index in target.indices { target[index] = UInt64(narrow.load(fromByteOffset: 4 * index, as: UInt32.self)) }
    }

    /// Gives back what a piece and those behind it have taken.
    func cut(before task: PieceTask) throws(PieceError) {
      try points.setLength(8 * task.first)
      try rows.setLength(rowWidth * task.first)
      try codes.setLength(layout.length * task.first)
    }
  }

  /// Built pieces, one behind the other in one file, the last one first.
  struct ScratchPieces: PieceSource {
    private let file: ScratchFile
    private let endFile: ScratchFile
    private let pieceCount: Int
    private let codeLength: Int
    private let ends: Ends

    /// Where each ends. One thread at a time adds pieces.
    private final class Ends: @unchecked Sendable { var all: [UInt64] = [] }

    /// Those that an earlier run has built whole.
    init(in folder: ScratchFolder, of plan: PiecePlan, codeLength: Int) throws(PieceError) {
      self.codeLength = codeLength
      (file, endFile, ends) = (try folder.file(.pieces), try folder.file(.pieceEnds), Ends())
      pieceCount = plan.pieces.count
      var found = [UInt64](repeating: 0, count: min(endFile.length / 8, pieceCount))
      try found.withUnsafeMutableBufferPointer { found throws(PieceError) in try endFile.read(found, at: 0) }
      for end in found {
        // What follows the first that is not whole is built again.
        let isWhole = end <= file.length && end > ends.all.last ?? 0
        ends.all.append(end)
        if isWhole, (try? header(of: plan.pieces[missingCount], codeLength: codeLength)) != nil { continue }
        ends.all.removeLast()
        break
      }
      try endFile.setLength(8 * ends.all.count)
    }

    /// How many are yet to be built: the first ones.
    var missingCount: Int { pieceCount - ends.all.count }

    /// Adds the piece before those that there are.
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
        rows: { range, rows throws(PieceError) in try readRows(task.first + range.lowerBound, to: rows) },
        codes: { range, codes throws(PieceError) in
          try self.codes.read(codes, at: layout.length * (task.first + range.lowerBound))
        })
      try stack.write(write)
    }
  }
#endif

import Treeline

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  extension ScratchBuild {
    /// Builds all pieces but those that an earlier run has built: the last one first, so that the disk gets back what a
    /// piece has taken there by itself.
    func buildPieces(of plan: PiecePlan) throws(PieceError) -> ScratchPieces {
      let (points, rows) = (try folder.file(.points), try folder.file(.rows))
      let pieces = try ScratchPieces(in: folder, of: plan)
      for task in plan.pieces[..<pieces.missingCount].reversed() {
        try checkCancelled()
        progress(.building, pointCount - task.end, pointCount)
        if let position = task.stack {
          try pieces.append { write throws(PieceError) in
            try task.writeStack(at: position, write) { range, block throws(PieceError) in
              try rows.read(block, at: task.first + range.lowerBound)
            }
          }
        } else {
          let piece = try task.build(threads: options.threads, monitor) { ownPoints, ownRows throws(PieceError) in
            try points.read(ownPoints, at: task.first)
            try rows.read(ownRows, at: task.first)
          }
          try pieces.append { write throws(PieceError) in try piece.write(write) }
        }
        try points.setLength(8 * task.first)
        try rows.setLength(4 * task.first)
      }
      return pieces
    }
  }

  /// Built pieces, one behind the other in one file, the last one first.
  struct ScratchPieces: PieceSource {
    private let file: ScratchFile
    private let endFile: ScratchFile
    private let pieceCount: Int
    private let ends: Ends

    /// Where each ends. One thread at a time adds pieces.
    private final class Ends: @unchecked Sendable { var all: [UInt64] = [] }

    /// Those that an earlier run has built whole.
    init(in folder: ScratchFolder, of plan: PiecePlan) throws(PieceError) {
      (file, endFile, ends) = (try folder.file(.pieces), try folder.file(.pieceEnds), Ends())
      pieceCount = plan.pieces.count
      var found = [UInt64](repeating: 0, count: min(endFile.length / 8, pieceCount))
      try found.withUnsafeMutableBufferPointer { found throws(PieceError) in try endFile.read(found, at: 0) }
      for end in found {
        // What follows the first that is not whole is built again.
        let isWhole = end <= file.length && end > ends.all.last ?? 0
        ends.all.append(end)
        if isWhole, (try? header(of: plan.pieces[missingCount])) != nil { continue }
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

  extension PieceTask {
    /// Writes a piece of one position, as `BuiltPiece` would be written: however many points there are, few are in
    /// memory.
    ///
    /// - Parameter rows: Reads those of some of its points, which ascend.
    func writeStack(
      at position: PlanePoint, _ write: (UnsafeRawBufferPointer) throws(PieceError) -> Void,
      rows: (Range<Int>, UnsafeMutableBufferPointer<UInt32>) throws(PieceError) -> Void
    ) throws(PieceError) {
      var header = PieceHeader(
        number: number, pointCount: pointCount, recordCount: 1,
        root: NodeRecord(box: PlaneRect(position), count: UInt32(pointCount), childOffset: 0))
      // Once for the checksums, which come first, and once to be written.
      for part in PiecePart.allCases {
        var checksum = XXHash64()
        try forEachBlockOfStack(at: position, rows, part) { checksum.update($0) }
        header[part] = checksum.finalize()
      }
      header.seal()
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: PieceHeader.length, alignment: 8)
      defer { bytes.deallocate() }
      bytes.storeBytes(of: header, as: PieceHeader.self)
      try write(UnsafeRawBufferPointer(bytes))
      for part in PiecePart.allCases { try forEachBlockOfStack(at: position, rows, part, write) }
    }

    private func forEachBlockOfStack(
      at position: PlanePoint, _ rows: (Range<Int>, UnsafeMutableBufferPointer<UInt32>) throws(PieceError) -> Void,
      _ part: PiecePart,
      _ body: (UnsafeRawBufferPointer) throws(PieceError) -> Void
    ) throws(PieceError) {
      func forEach<Element>(
        _ count: Int, _ value: Element,
        _ fill: (Range<Int>, UnsafeMutableBufferPointer<Element>) throws(PieceError) -> Void
      )
        throws(PieceError)
      {
        let buffer = UnsafeMutableBufferPointer<Element>.allocate(capacity: min(count, ScratchBuild.blockSize))
        defer { buffer.deallocate() }
        for range in (0..<count).blocks(of: ScratchBuild.blockSize) {
          let block = UnsafeMutableBufferPointer(rebasing: buffer[..<range.count])
          block.initialize(repeating: value)
          try fill(range, block)
          try body(UnsafeRawBufferPointer(block))
        }
      }
      switch part {
      case .points: try forEach(pointCount, position) { _, _ in }
      case .rows:
        try forEach(pointCount, 0 as UInt32, rows)
      case .gaps:
        // Behind the last point is none, nor in the half byte that is left over.
        let byteCount = Gap.byteCount(ofPoints: pointCount)
        try forEach(byteCount, Gap.byte(even: Gap.none, odd: Gap.none)) { range, block in
          guard range.upperBound == byteCount else { return }
          block[range.count - 1] = pointCount % 2 == 0 ? Gap.byte(even: Gap.none, odd: 0) : 0
        }
      case .sums, .nodes, .spreads: break
      }
    }
  }
#endif

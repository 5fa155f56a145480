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
    /// Writes a piece of one position, whose rows ascend, as `BuiltPiece` would be written: however many points there
    /// are, few are in memory.
    func writeStack(
      _ task: PieceTask, at position: PlanePoint, _ write: (UnsafeRawBufferPointer) throws(PieceError) -> Void
    ) throws(PieceError) {
      let count = task.pointCount
      var header = PieceHeader(
        of: task, recordCount: 1, root: NodeRecord(box: PlaneRect(position), count: UInt32(count), childOffset: 0),
        codeLength: layout.length)
      header.hasWideRows = try lastRow(of: task) > UInt32.max
      let isWide = header.hasWideRows
      // Once for the checksums, which come first, and once to be written.
      for part in PiecePart.allCases {
        var checksum = XXHash64()
        try forEachBlock(ofStack: task, at: position, part, hasWideRows: isWide) { checksum.update($0) }
        header[part] = checksum.finalize()
      }
      header.seal()
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: PieceHeader.length, alignment: 8)
      defer { bytes.deallocate() }
      bytes.storeBytes(of: header, as: PieceHeader.self)
      try write(UnsafeRawBufferPointer(bytes))
      for part in PiecePart.allCases { try forEachBlock(ofStack: task, at: position, part, hasWideRows: isWide, write) }
      var checksums: [UInt64] = []
      for column in layout.widths.indices {
        var checksum = XXHash64()
        try forEachBlock(ofStack: task, column) { block throws(PieceError) in
          checksum.update(block)
          try write(block)
        }
        checksums.append(checksum.finalize())
      }
      try checksums.withUnsafeBufferPointer { bytes throws(PieceError) in try write(UnsafeRawBufferPointer(bytes)) }
    }

    private func lastRow(of task: PieceTask) throws(PieceError) -> UInt64 {
      var last = [0 as UInt64]
      try last.withUnsafeMutableBufferPointer { last throws(PieceError) in try readRows(task.end - 1, to: last) }
      return last[0]
    }

    private func forEachBlock(
      ofStack task: PieceTask, at position: PlanePoint, _ part: PiecePart, hasWideRows: Bool,
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
      let pointCount = task.pointCount
      switch part {
      case .points: try forEach(pointCount, position) { _, _ in }
      case .rows where hasWideRows:
        try forEach(pointCount, 0 as UInt64) { range, block throws(PieceError) in
          try readRows(task.first + range.lowerBound, to: block)
        }
      case .rows:
        var wide = [UInt64](repeating: 0, count: min(pointCount, ScratchBuild.blockSize))
        try forEach(pointCount, 0 as UInt32) { range, block throws(PieceError) in
          try wide.withUnsafeMutableBufferPointer { wide throws(PieceError) in
            let wide = UnsafeMutableBufferPointer(rebasing: wide[..<range.count])
            try readRows(task.first + range.lowerBound, to: wide)
            for index in block.indices { block[index] = UInt32(wide[index]) }
          }
        }
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

    /// The codes of one column.
    private func forEachBlock(
      ofStack task: PieceTask, _ column: Int, _ body: (UnsafeRawBufferPointer) throws(PieceError) -> Void
    ) throws(PieceError) {
      let (offset, width) = (layout.offset(of: column), layout.widths[column])
      let blockSize = min(task.pointCount, ScratchBuild.blockSize)
      let records = UnsafeMutableRawBufferPointer.allocate(byteCount: layout.length * blockSize, alignment: 16)
      let block = UnsafeMutableRawBufferPointer.allocate(byteCount: width * blockSize, alignment: 16)
      defer {
        records.deallocate()
        block.deallocate()
      }
      for range in (0..<task.pointCount).blocks(of: ScratchBuild.blockSize) {
        let part = UnsafeMutableRawBufferPointer(rebasing: records[..<(layout.length * range.count)])
        try codes.read(part, at: layout.length * (task.first + range.lowerBound))
        for index in 0..<range.count {
          for byte in 0..<width { block[index * width + byte] = part[index * layout.length + offset + byte] }
        }
        try body(UnsafeRawBufferPointer(rebasing: block[..<(width * range.count)]))
      }
    }
  }
#endif

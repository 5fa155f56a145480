import Treeline

#if POSIX
  extension IndexBuild {
    /// Sorts points, rows and codes by piece. Within each piece, points keep the order of the input.
    ///
    /// - Parameter merged: The tree if it grew by merging. The points are then replaced by their places.
    func partition(_ plan: PiecePlan, _ merged: MergedPieces? = nil) throws(PieceError) {
      let sorted = try PartitionedPoints(plan, of: self)
      let positions = try Positions(of: self)
      var rows = try InputRows(of: self)
      let parts = try state.groups.map { groups throws(PieceError) in try TreeNumbers(of: self, groups) }
      let values = try ScratchValues(reading: self)
      let layout = layout
      let ranges =
        columns.isEmpty
        ? Array((0..<pointCount).blocks(of: min(Self.blockSize * options.threads, max(pointCount, 1))))
        : values.batches.map { Int($0.firstPoint)..<Int($0.endPoint) }
      let blockSize = ranges.map(\.count).max() ?? 0
      let points = UnsafeMutableBufferPointer<PlanePoint>.allocate(capacity: blockSize)
      let leaves = UnsafeMutablePointer<UInt32>.allocate(capacity: blockSize)
      let codes = UnsafeMutableRawPointer.allocate(byteCount: layout.length * blockSize, alignment: 16)
      defer {
        points.deallocate()
        leaves.deallocate()
        codes.deallocate()
      }
      state.inexactCounts = Array(repeating: 0, count: columns.count)
      for (number, range) in ranges.enumerated() {
        try checkCancelled()
        let block = try positions.read(range, to: points)
        nonisolated(unsafe) let (shared, sharedLeaves, target) = (block, leaves, points.baseAddress!)
        let ofPoints = try parts?.read(range)
        _ = inChunks(of: range.count, threads: options.threads) { chunk in
          if let merged {
            for (index, place) in zip(chunk, merged.places(of: range.chunk(chunk))) {
              target[index] = PlanePoint(x: place, y: 0)
            }
          }
          plan.findPieces(
            of: UnsafeBufferPointer(rebasing: shared[chunk]), inParts: ofPoints?[chunk],
            to: sharedLeaves + chunk.lowerBound)
        }
        if !columns.isEmpty { try encode(try values.read(batch: number), layout, to: codes) }
        for index in block.indices {
          try sorted.add(
            block[index], row: try rows.next(), codes: codes + index &* layout.length, to: Int(leaves[index]))
        }
        progress(.partitioning, range.upperBound, pointCount)
      }
      state.pieceChecksums = try sorted.finish()
      // A later run of this build would merge again, so it needs the files with the input.
      if merged != nil { return }
      state.isPartitioned = true
      state.files = []
      try state.save(in: folder)
      for name in [
        ScratchFolder.Name.positions, .coordinates, .skippedRows, .givenRows, .groups, .values, .valueEnds,
      ] {
        folder.remove(name)
      }
    }

    /// Encodes the values of a batch. Threads encode several columns at the same time.
    private func encode(
      _ values: [ColumnValues], _ layout: CodeLayout, to codes: UnsafeMutableRawPointer
    ) throws(PieceError) {
      let results = [Result<Int, ColumnError>](unsafeUninitializedCapacity: columns.count) { results, count in
        nonisolated(unsafe) let (results, codes) = (results.baseAddress!, codes)
        concurrently(columns.count) { [columns] column in
          let start = codes + layout.offset(of: column)
          let result = Result { () throws(ColumnError) in
            try columns[column].encodeAll(values[column], to: start, stride: layout.length)
          }
          (results + column).initialize(to: result)
        }
        count = columns.count
      }
      for column in columns.indices {
        do throws(ColumnError) { state.inexactCounts[column] += try results[column].get() } catch {
          throw .column(error)
        }
      }
    }
  }

  /// Sorts points, rows and codes by piece, and writes them to three files. A buffer in memory collects points of each
  /// piece, so that many points are written at once.
  private final class PartitionedPoints {
    private let points: ScratchFile
    private let rows: ScratchFile
    private let codes: ScratchFile
    private let rowWidth: Int
    private let codeLength: Int
    private let pointBuffers: UnsafeMutablePointer<PlanePoint>
    private let rowBuffers: UnsafeMutableRawPointer
    private let codeBuffers: UnsafeMutableRawPointer
    private var pending: BufferedParts
    /// For each piece, the index in the files at which the next points of the piece are written.
    private var ends: [Int]
    /// Checksums of the points, rows and codes of each piece.
    private var checksums: [(XXHash64, XXHash64, XXHash64)]

    init(_ plan: PiecePlan, of build: IndexBuild) throws(PieceError) {
      let folder = build.folder
      (points, rows, codes) = (try folder.file(.points), try folder.file(.rows), try folder.file(.codes))
      (rowWidth, codeLength) = (build.rowWidth, build.layout.length)
      try points.setLength(8 * plan.pointCount)
      try rows.setLength(rowWidth * plan.pointCount)
      try codes.setLength(codeLength * plan.pointCount)
      pending = BufferedParts(
        partCount: plan.pieces.count, recordLength: 8 + rowWidth + codeLength, memory: build.options.memory / 4)
      pointBuffers = .allocate(capacity: pending.slotCount)
      rowBuffers = .allocate(byteCount: rowWidth * pending.slotCount, alignment: 16)
      codeBuffers = .allocate(byteCount: codeLength * pending.slotCount, alignment: 16)
      ends = plan.pieces.map(\.first)
      checksums = Array(repeating: (XXHash64(), XXHash64(), XXHash64()), count: plan.pieces.count)
    }

    deinit {
      pointBuffers.deallocate()
      rowBuffers.deallocate()
      codeBuffers.deallocate()
    }

    @inline(__always) func add(
      _ point: PlanePoint, row: UInt64, codes: UnsafeMutableRawPointer, to piece: Int
    ) throws(PieceError) {
      let index = pending.add(to: piece)
      pointBuffers[index] = point
      if rowWidth == 4 {
        rowBuffers.storeBytes(of: UInt32(truncatingIfNeeded: row), toByteOffset: 4 &* index, as: UInt32.self)
      } else {
        rowBuffers.storeBytes(of: row, toByteOffset: 8 &* index, as: UInt64.self)
      }
      if codeLength > 0 { (codeBuffers + codeLength &* index).copyMemory(from: codes, byteCount: codeLength) }
      if pending.isFull(piece) { try flush(piece) }
    }

    /// Writes the remaining points, and flushes all points to the disk.
    ///
    /// - Returns: the checksum of each piece, which `PieceMembers.check` compares later.
    func finish() throws(PieceError) -> [UInt64] {
      for piece in pending.indices { try flush(piece) }
      for file in [points, rows, codes] { try file.synchronize() }
      return checksums.map { points, rows, codes in
        PieceMembers.checksum([points.finalize(), rows.finalize(), codes.finalize()])
      }
    }

    private func flush(_ piece: Int) throws(PieceError) {
      let slots = pending.removeAll(from: piece)
      func write(
        _ bytes: UnsafeRawPointer, to file: ScratchFile, width: Int, _ checksum: inout XXHash64
      ) throws(PieceError) {
        let bytes = UnsafeRawBufferPointer(start: bytes + width * slots.lowerBound, count: width * slots.count)
        try file.write(bytes, at: width * ends[piece])
        checksum.update(bytes)
      }
      try write(pointBuffers, to: points, width: 8, &checksums[piece].0)
      try write(rowBuffers, to: rows, width: rowWidth, &checksums[piece].1)
      try write(codeBuffers, to: codes, width: codeLength, &checksums[piece].2)
      ends[piece] += slots.count
    }
  }
#endif

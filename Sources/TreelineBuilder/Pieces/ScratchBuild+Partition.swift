import Treeline

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  extension ScratchBuild {
    /// Puts points and rows beside the others of their piece, in the order of the input.
    func partition(_ plan: PiecePlan) throws(PieceError) {
      let target = try PartitionedPoints(plan, in: folder, memory: options.memory / 4)
      defer { target.deallocate() }
      let positions = try Positions(of: self)
      var rows = try InputRows(skipped: folder.file(.skippedRows), count: state.skippedRowCount)
      let blockSize = min(Self.blockSize * options.threads, max(pointCount, 1))
      let points = UnsafeMutableBufferPointer<PlanePoint>.allocate(capacity: blockSize)
      let leaves = UnsafeMutablePointer<UInt32>.allocate(capacity: blockSize)
      defer {
        points.deallocate()
        leaves.deallocate()
      }
      for range in (0..<pointCount).blocks(of: blockSize) {
        try checkCancelled()
        let block = try positions.read(range, to: points)
        nonisolated(unsafe) let (shared, sharedLeaves) = (block, leaves)
        _ = inChunks(of: range.count, threads: options.threads) { chunk in
          plan.routing.leaves(of: UnsafeBufferPointer(rebasing: shared[chunk]), to: sharedLeaves + chunk.lowerBound)
        }
        for index in block.indices { try target.add(block[index], row: try rows.next(), to: Int(leaves[index])) }
        progress(.partitioning, range.upperBound, pointCount)
      }
      try target.finish()
      state.isPartitioned = true
      try state.save(in: folder)
      for name in [ScratchFolder.Name.positions, .coordinates, .skippedRows] { folder.remove(name) }
    }
  }

  /// The rows of points in input order, which has rows without a point between them.
  private struct InputRows {
    private let skipped: ScratchFile
    private let count: Int
    private var buffer: [UInt32] = []
    private var position = 0
    private var readCount = 0
    private var row: UInt64 = 0

    init(skipped: ScratchFile, count: Int) throws(PieceError) {
      (self.skipped, self.count) = (skipped, count)
      try readOn()
    }

    /// The row of the next point.
    mutating func next() throws(PieceError) -> UInt32 {
      while position < buffer.count, UInt64(buffer[position]) == row {
        row += 1
        position += 1
        if position == buffer.count { try readOn() }
      }
      guard let next = UInt32(exactly: row) else { throw .tooManyRows }
      row += 1
      return next
    }

    private mutating func readOn() throws(PieceError) {
      let next = min(count - readCount, 1 << 16)
      position = 0
      buffer = [UInt32](repeating: 0, count: next)
      if next == 0 { return }
      try buffer.withUnsafeMutableBufferPointer { buffer throws(PieceError) in try skipped.read(buffer, at: readCount) }
      readCount += next
    }
  }

  /// Points and rows on their way to where their pieces are in two files, some of each piece in memory.
  private final class PartitionedPoints {
    private let points: ScratchFile
    private let rows: ScratchFile
    private let capacity: Int
    private let pieceCount: Int
    private let pointBuffers: UnsafeMutablePointer<PlanePoint>
    private let rowBuffers: UnsafeMutablePointer<UInt32>
    /// How many are in memory, and where in the files the next ones go.
    private var pending: [Int]
    private var ends: [Int]

    /// - Parameter memory: In bytes.
    init(_ plan: PiecePlan, in folder: ScratchFolder, memory: Int) throws(PieceError) {
      (points, rows) = (try folder.file(.points), try folder.file(.rows))
      try points.setLength(8 * plan.pointCount)
      try rows.setLength(4 * plan.pointCount)
      pieceCount = plan.pieces.count
      capacity = max(16, min(memory / (12 * max(pieceCount, 1)), 1 << 16))
      pointBuffers = .allocate(capacity: capacity * pieceCount)
      rowBuffers = .allocate(capacity: capacity * pieceCount)
      pending = [Int](repeating: 0, count: pieceCount)
      ends = plan.pieces.map(\.first)
    }

    func deallocate() {
      pointBuffers.deallocate()
      rowBuffers.deallocate()
    }

    @inline(__always) func add(_ point: PlanePoint, row: UInt32, to piece: Int) throws(PieceError) {
      let index = piece &* capacity &+ pending[piece]
      pointBuffers[index] = point
      rowBuffers[index] = row
      pending[piece] &+= 1
      if pending[piece] == capacity { try flush(piece) }
    }

    func finish() throws(PieceError) { for piece in 0..<pieceCount { try flush(piece) } }

    private func flush(_ piece: Int) throws(PieceError) {
      let (start, count) = (piece * capacity, pending[piece])
      try points.write(UnsafeBufferPointer(start: pointBuffers + start, count: count), at: ends[piece])
      try rows.write(UnsafeBufferPointer(start: rowBuffers + start, count: count), at: ends[piece])
      ends[piece] += count
      pending[piece] = 0
    }
  }
#endif

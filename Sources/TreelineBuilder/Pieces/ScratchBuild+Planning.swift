import Treeline

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  extension ScratchBuild {
    /// The plan of the pieces, made by passes over positions by place.
    func plan() throws(PieceError) -> PiecePlan {
      if let planned = state.planned { return planned.plan }
      var plan = try BuildPlan(rule: options.rule, pieceSize: pieceSize)
      // Some eighth of the memory for all threads' answers and their sum.
      plan.mostBins = max(1 << 12, min(options.memory / 8 / (40 * (options.threads + 1)), 1 << 21))
      progress(.planning, 1, 0)
      let positions = try Positions(of: self)
      let cells = try PlanCells(
        dividing: positions, into: try folder.file(.cells), memory: options.memory / 8, threads: options.threads,
        monitor)
      planningReads += 8 * positions.count
      while let round = plan.nextRound() {
        progress(.planning, 1 + plan.passCount, 0)
        let (answers, readCount) = try cells.answers(to: round, threads: options.threads, monitor)
        planningReads += 8 * readCount
        plan.take(answers)
      }
      folder.remove(.cells)
      let pieces = plan.pieces
      state.planned = (pieceSize, pieces)
      try state.save(in: folder)
      return pieces
    }

    /// About how many passes the plan of so many points will take, the division into cells with them.
    package static func passCount(ofPoints count: Int, _ options: Options) -> Int {
      let pieces = max(1, count / options.pieceSize(codeLength: 0) + 1)
      let levels = Int.bitWidth - (pieces - 1).leadingZeroBitCount
      return 2 + levels * (options.rule == .mean ? 1 : 20)
    }
  }

  /// Positions as they are read from the disk: of all points, in input order.
  struct Positions: Sendable {
    private let file: ScratchFile
    private let seam: UInt32
    let count: Int

    init(of build: ScratchBuild) throws(PieceError) {
      self.init(try build.folder.file(.positions), count: build.pointCount, seam: build.state.survey.plane.seam)
    }

    init(_ file: ScratchFile, count: Int, seam: UInt32) { (self.file, self.count, self.seam) = (file, count, seam) }

    /// Reads the points of a range block by block.
    func forEachBlock(
      of range: Range<Int>, _ body: (Range<Int>, UnsafeBufferPointer<PlanePoint>) throws(PieceError) -> Void
    ) throws(PieceError) {
      let buffer = UnsafeMutableBufferPointer<PlanePoint>.allocate(capacity: min(range.count, ScratchBuild.blockSize))
      defer { buffer.deallocate() }
      for block in range.blocks(of: ScratchBuild.blockSize) { try body(block, try read(block, to: buffer)) }
    }

    /// Reads some points.
    func read(_ range: Range<Int>, to buffer: UnsafeMutableBufferPointer<PlanePoint>) throws(PieceError)
      -> UnsafeBufferPointer<PlanePoint>
    {
      let points = UnsafeMutableBufferPointer(rebasing: buffer[..<range.count])
      try file.read(points, at: range.lowerBound)
      if seam != 0 { for index in points.indices { points[index].x &-= seam } }
      return UnsafeBufferPointer(points)
    }
  }
#endif

import Treeline

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  extension ScratchBuild {
    /// The plan of the pieces, made by as many passes over all positions as it takes.
    func plan() throws(PieceError) -> PiecePlan {
      if let planned = state.planned { return planned.plan }
      var plan = try BuildPlan(rule: options.rule, pieceSize: options.pieceSize)
      // Some eighth of the memory for all threads' answers and their sum.
      plan.mostBins = max(1 << 12, min(options.memory / 8 / (40 * (options.threads + 1)), 1 << 21))
      let positions = try Positions(of: self)
      while let round = plan.nextRound() {
        progress(.planning, plan.passCount, 0)
        plan.take(try answers(to: round, positions))
      }
      let pieces = plan.pieces
      state.planned = (options.pieceSize, pieces)
      try state.save(in: folder)
      return pieces
    }

    /// What all points say, found by all threads.
    private func answers(to round: PlanRound, _ positions: Positions) throws(PieceError) -> PlanAnswers {
      let parts: [Result<PlanAnswers, PieceError>] = inChunks(of: positions.count, threads: options.threads) {
        [monitor] chunk in
        var answers = PlanAnswers(to: round)
        do throws(PieceError) {
          try positions.forEachBlock(of: chunk) { _, points throws(PieceError) in
            if monitor.isCancelled { throw .cancelled }
            answers.add(points)
          }
          return .success(answers)
        } catch { return .failure(error) }
      }
      var all = try parts[0].get()
      for part in parts.dropFirst() { all.add(try part.get()) }
      return all
    }
  }

  /// The positions of all points, in input order, as they are read from the disk.
  struct Positions: Sendable {
    private let file: ScratchFile
    private let seam: UInt32
    let count: Int

    init(of build: ScratchBuild) throws(PieceError) {
      file = try build.folder.file(.positions)
      (seam, count) = (build.state.survey.plane.seam, build.pointCount)
    }

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

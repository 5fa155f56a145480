import Treeline

#if POSIX
  extension IndexBuild {
    /// Returns the plan of the pieces. First divides the positions into cells. Then passes over the cells several
    /// times.
    func plan() throws(PieceError) -> PiecePlan {
      if let planned = state.planned { return planned.plan }
      let pieces = if let groups = state.groups { try plan(groups) } else { try plan(Positions(of: self)) }
      state.planned = (pieceSize, pieces)
      try state.save(in: folder)
      return pieces
    }

    /// Returns the plan of one tree.
    ///
    /// - Parameters:
    ///   - positions: Positions of all points of the tree.
    ///   - extent: The extent of the points, if it is known already. The first round asks only for this extent, so a
    ///     known extent saves the first pass.
    ///   - level: Level of the tree's root.
    func plan(_ positions: Positions, knowing extent: PlanAnswer? = nil, level: Int = 0) throws(PieceError) -> PiecePlan
    {
      var plan = try BuildPlan(
        rule: options.tree.splitRule, pieceSize: pieceSize, principalLevels: TreeStorage.principalLevels - level)
      if let extent, let round = plan.nextRound() { try plan.accept(PlanAnswers(to: round, answers: [extent])) }
      // Each thread makes answers of its own, and these answers are then added up. A bin takes 40 bytes in each
      // answer. The number of bins is limited, so that the answers of all threads and their sum use about an eighth of
      // the memory.
      plan.mostBins = max(1 << 12, min(options.memory / 8 / (40 * (options.threads + 1)), 1 << 21))
      var cells: PlanCells?
      while let round = plan.nextRound() {
        if cells == nil {
          progress(.planning, plan.passCount, 0)
          cells = try PlanCells(
            dividing: positions, into: try folder.file(.cells), memory: options.memory / 8, threads: options.threads,
            monitor)
          planningReads += 8 * positions.count
        }
        progress(.planning, 1 + plan.passCount, 0)
        let (answers, readCount) = try cells!.answers(to: round, threads: options.threads, monitor)
        planningReads += 8 * readCount
        try plan.accept(answers)
      }
      if cells != nil { folder.remove(.cells) }
      return plan.pieces
    }

    /// Returns the approximate number of passes over the positions while the pieces are planned. The division into
    /// cells is one of these passes.
    package static func passCount(ofPoints count: Int, _ options: Options) -> Int {
      let pieces = max(1, count / options.pieceSize(codeLength: 0) + 1)
      let levels = Int.bitWidth - (pieces - 1).leadingZeroBitCount
      return 2 + levels * (options.tree.splitRule == .mean ? 1 : 20)
    }
  }

  /// Positions that are read from the disk: the positions of all points in input order, or the positions of one tree.
  struct Positions: Sendable {
    private let file: ScratchFile
    private let seam: UInt32
    private var first = 0
    let count: Int

    init(of build: IndexBuild) throws(PieceError) {
      self.init(try build.folder.file(.positions), count: build.pointCount, seam: build.state.survey.plane.seam)
    }

    init(_ file: ScratchFile, count: Int, seam: UInt32) { (self.file, self.count, self.seam) = (file, count, seam) }

    /// Opens the positions of one tree.
    init(in file: ScratchFile, _ part: Range<UInt32>) {
      (self.file, seam) = (file, 0)
      (first, count) = (Int(part.lowerBound), part.count)
    }

    /// Reads the points of a range, one block at a time.
    func forEachBlock(
      of range: Range<Int>, _ body: (Range<Int>, UnsafeBufferPointer<PlanePoint>) throws(PieceError) -> Void
    ) throws(PieceError) {
      let buffer = UnsafeMutableBufferPointer<PlanePoint>.allocate(capacity: min(range.count, IndexBuild.blockSize))
      defer { buffer.deallocate() }
      for block in range.blocks(of: IndexBuild.blockSize) { try body(block, try read(block, to: buffer)) }
    }

    /// Reads some points.
    func read(_ range: Range<Int>, to buffer: UnsafeMutableBufferPointer<PlanePoint>) throws(PieceError)
      -> UnsafeBufferPointer<PlanePoint>
    {
      let points = UnsafeMutableBufferPointer(rebasing: buffer[..<range.count])
      try file.read(points, at: first + range.lowerBound)
      if seam != 0 { for index in points.indices { points[index].x &-= seam } }
      return UnsafeBufferPointer(points)
    }
  }
#endif

import Treeline

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  extension ScratchBuild {
    /// The plan of the pieces, made by as many passes over positions as it takes.
    func plan() throws(PieceError) -> PiecePlan {
      if let planned = state.planned { return planned.plan }
      let pieces = if let groups = state.groups { try plan(groups) } else { try plan(Positions(of: self)) }
      state.planned = (pieceSize, pieces)
      try state.save(in: folder)
      return pieces
    }

    /// The plan of a tree.
    ///
    /// - Parameters:
    ///   - positions: Of all its points.
    ///   - extent: What these answer in the first round, if that is known.
    ///   - level: At which its root lies.
    func plan(_ positions: Positions, knowing extent: PlanAnswer? = nil, level: Int = 0) throws(PieceError) -> PiecePlan
    {
      var plan = try BuildPlan(
        rule: options.rule, pieceSize: pieceSize, principalLevels: TreeStorage.principalLevels - level)
      if let extent, let round = plan.nextRound() { plan.take(PlanAnswers(to: round, answers: [extent])) }
      // Some eighth of the memory for all threads' answers and their sum.
      plan.mostBins = max(1 << 12, min(options.memory / 8 / (40 * (options.threads + 1)), 1 << 21))
      var buckets = PlanBuckets(of: positions)
      while let round = plan.nextRound() {
        progress(.planning, plan.passCount, 0)
        if buckets.isWasteful {
          try buckets.divide(
            by: plan, round, in: folder, generation: plan.passCount, memory: options.memory / 8, checkCancelled)
        }
        let parts = buckets.parts(of: plan, round)
        let answers = try answers(to: round, parts, buckets.positions)
        let readCount = parts.reduce(0) { $0 + $1.range.count }
        buckets.note(read: readCount, asked: answers.askedCount)
        planningReads += 8 * readCount
        plan.take(answers)
      }
      for name in [ScratchFolder.Name.evenBuckets, .oddBuckets] { folder.remove(name) }
      return plan.pieces
    }

    /// About how many passes over all points the plan of so many will take: see `BuildPlan`.
    package static func passCount(ofPoints count: Int, _ options: Options) -> Int {
      let pieces = max(1, count / options.pieceSize(codeLength: 0) + 1)
      let levels = Int.bitWidth - (pieces - 1).leadingZeroBitCount
      return 1 + levels * (options.rule == .mean ? 1 : 11)
    }

    /// What the points of some buckets say, found by all threads.
    private func answers(
      to round: PlanRound, _ parts: [PlanBuckets.Part], _ positions: Positions
    ) throws(PieceError) -> PlanAnswers {
      let count = parts.reduce(0) { $0 + $1.range.count }
      let found: [Result<PlanAnswers, PieceError>] = inChunks(of: count, threads: options.threads) { [monitor] chunk in
        var answers = PlanAnswers(to: round)
        var start = 0
        do throws(PieceError) {
          for part in parts {
            // Where the chunk and the bucket overlap, counted from the first point of all buckets.
            let (low, high) = (max(chunk.lowerBound, start), min(chunk.upperBound, start + part.range.count))
            let offset = part.range.lowerBound - start
            start += part.range.count
            if low >= high { continue }
            try positions.forEachBlock(of: low + offset..<high + offset) { _, points throws(PieceError) in
              if monitor.isCancelled { throw .cancelled }
              answers.add(points, by: part.routing)
            }
          }
          return .success(answers)
        } catch { return .failure(error) }
      }
      var all = try found[0].get()
      for part in found.dropFirst() { all.add(try part.get()) }
      return all
    }
  }

  /// Positions by nodes of the plan, so that a pass reads those of nodes that it asks about and no others.
  ///
  /// They are divided anew, by the nodes that are then asked about, once so many were read in vain that this pays.
  struct PlanBuckets {
    /// Some points, and how they are routed.
    struct Part: Sendable {
      let range: Range<Int>
      let routing: PointRouting
    }

    private(set) var positions: Positions
    /// By node of the plan, where its points are.
    private var buckets: [(node: Int, range: Range<Int>)]
    /// How many points were read in vain since they were divided, and how many were asked about in the last pass.
    private var wasteCount = 0
    private var askedCount = 0

    /// To divide points takes about as long as to read this many times as many.
    private static let divisionCost = 3

    init(of positions: Positions) {
      self.positions = positions
      buckets = [(0, 0..<positions.count)]
    }

    /// Whether to divide points takes no longer than what was read in vain.
    var isWasteful: Bool { wasteCount > Self.divisionCost * askedCount && askedCount > 1 << 12 }

    mutating func note(read: Int, asked: Int) {
      wasteCount += read - asked
      askedCount = asked
    }

    /// The buckets with points that a round asks about.
    func parts(of plan: BuildPlan, _ round: PlanRound) -> [Part] {
      buckets.compactMap { bucket in
        let routing = round.routing.starting(at: plan.place(ofNode: bucket.node))
        return routing.leads(below: round.questions.count) ? Part(range: bucket.range, routing: routing) : nil
      }
    }

    /// Divides points by the nodes that a round asks about; others are left out.
    ///
    /// - Parameter memory: In bytes.
    mutating func divide(
      by plan: BuildPlan, _ round: PlanRound, in folder: ScratchFolder, generation: Int, memory: Int,
      _ checkCancelled: () throws(PieceError) -> Void
    ) throws(PieceError) {
      let nodes = plan.askedNodes
      // Once to count, and once to write.
      var counts = [Int](repeating: 0, count: nodes.count)
      let parts = parts(of: plan, round)
      try forEachLeaf(of: parts, round, checkCancelled) { leaf, points in counts[leaf] += points.count }
      var (starts, end): ([Int], Int) = ([], 0)
      for count in counts {
        starts.append(end)
        end += count
      }
      let target = try folder.file(positions.isOdd ? .evenBuckets : .oddBuckets)
      try target.setLength(0)
      var ends = starts
      let capacity = max(16, min(memory / (8 * max(nodes.count, 1)), 1 << 16))
      var pending = [[PlanePoint]](repeating: [], count: nodes.count)
      func flush(_ leaf: Int) throws(PieceError) {
        let count = pending[leaf].count
        try pending[leaf].withUnsafeBufferPointer { points throws(PieceError) in
          try target.write(points, at: ends[leaf])
        }
        ends[leaf] += count
        pending[leaf].removeAll(keepingCapacity: true)
      }
      var failure: PieceError?
      try forEachLeaf(of: parts, round, checkCancelled) { leaf, points in
        pending[leaf].append(contentsOf: points)
        guard pending[leaf].count >= capacity, failure == nil else { return }
        do throws(PieceError) { try flush(leaf) } catch { failure = error }
      }
      if let failure { throw failure }
      for leaf in nodes.indices { try flush(leaf) }
      let isOdd = !positions.isOdd
      if positions.isDivided { folder.remove(isOdd ? .evenBuckets : .oddBuckets) }
      positions = Positions(divided: target, count: ends.last ?? 0, isOdd: isOdd)
      buckets = nodes.indices.map { (nodes[$0], starts[$0]..<ends[$0]) }
      wasteCount = 0
    }

    private func forEachLeaf(
      of parts: [Part], _ round: PlanRound, _ checkCancelled: () throws(PieceError) -> Void,
      _ visit: (Int, UnsafeBufferPointer<PlanePoint>) -> Void
    ) throws(PieceError) {
      let block = RoutedBlock(leafCount: round.routing.leafCount)
      defer { block.deallocate() }
      for part in parts {
        try positions.forEachBlock(of: part.range) { _, points throws(PieceError) in
          try checkCancelled()
          for range in points.indices.blocks(of: RoutedBlock.size) {
            block.forEachLeaf(
              of: UnsafeBufferPointer(rebasing: points[range]), by: part.routing, below: round.questions.count, visit)
          }
        }
      }
    }
  }

  /// Positions as they are read from the disk: of all points, in input order, of one part of the tree, or of some,
  /// divided by nodes.
  struct Positions: Sendable {
    private let file: ScratchFile
    private let seam: UInt32
    private var first = 0
    let count: Int
    /// Whether they were divided, and into which of two files.
    private(set) var isDivided = false
    private(set) var isOdd = false

    init(of build: ScratchBuild) throws(PieceError) {
      file = try build.folder.file(.positions)
      (seam, count) = (build.state.survey.plane.seam, build.pointCount)
    }

    /// Those of a part.
    init(in file: ScratchFile, _ part: Range<UInt32>) {
      (self.file, seam) = (file, 0)
      (first, count) = (Int(part.lowerBound), part.count)
    }

    init(divided file: ScratchFile, count: Int, isOdd: Bool) {
      (self.file, self.count, self.isOdd) = (file, count, isOdd)
      (seam, isDivided) = (0, true)
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
      try file.read(points, at: first + range.lowerBound)
      if seam != 0 { for index in points.indices { points[index].x &-= seam } }
      return UnsafeBufferPointer(points)
    }
  }
#endif

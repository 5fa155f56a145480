import Treeline

#if POSIX
  /// Positions that are divided into cells, and the sums over the points of each cell. The sums help to add up the
  /// points on one side of a line. If the line does not cross a cell, the sums of the cell are usually enough. So
  /// points are read only from the cells that the line crosses, and from a few other cells.
  ///
  /// If all m cells have about the same number of points, a line crosses O(√m) cells.
  struct PlanCells: Sendable {
    struct Cell: Sendable {
      /// Moments of the points, measured from the plane's corner.
      fileprivate(set) var moments = Moments<UInt128>()
      /// Box around the points; nil if there are no points.
      fileprivate(set) var box: PlaneRect?
      /// Where the cell's points are in the file: one range of indices for each block of points.
      fileprivate(set) var blocks: [Range<Int>] = []

      fileprivate mutating func add(_ points: UnsafeBufferPointer<PlanePoint>, at index: Int) {
        if points.isEmpty { return }
        var reach = box ?? PlaneRect(points[0])
        for point in points { reach.formUnion(point) }
        box = reach
        moments = moments + Moments(points, from: PlanePoint(x: 0, y: 0))
        blocks.append(index..<index + points.count)
      }

      fileprivate mutating func add(_ other: Cell) {
        moments = moments + other.moments
        box = other.box.map { box?.union($0) ?? $0 } ?? box
        blocks += other.blocks
      }
    }

    private(set) var cells: [Cell]
    private let file: ScratchFile

    /// Least number of points that are written at once, even if there is little memory.
    private static let leastBlock = 64

    /// Approximate least number of points in a cell.
    static let leastCount = 256

    /// Divides positions into cells. The cells take as much disk space as the positions.
    ///
    /// - Parameters:
    ///   - leastCount: Approximate least number of points in a cell.
    ///   - memory: Memory for all threads, in bytes.
    ///   - monitor: If the build is cancelled, the division stops with `PieceError.cancelled`.
    init(
      dividing positions: Positions, into file: ScratchFile, leastCount: Int = Self.leastCount, memory: Int,
      threads: Int, _ monitor: BuildMonitor
    ) throws(PieceError) {
      // A block is a run of points that are consecutive in the file and belong to one cell. The range of a block takes
      // 16 bytes of memory. The ranges of all blocks together take at most half of the memory. So if there is little
      // memory, blocks are longer, and the points are divided into fewer cells. Each of these cells has more points,
      // so each pass reads more points.
      let leastBlock = min(max(Self.leastBlock, 32 * positions.count / max(memory, 1)), RoutedBlock.size)
      let most = max(1, min(positions.count / leastCount, memory / (8 * leastBlock * threads), 1 << 14))
      let tree = try MedianTree(of: positions, depth: Int.bitWidth - 1 - most.leadingZeroBitCount)
      let capacity = max(leastBlock, min(memory / (8 * threads * tree.leafCount), RoutedBlock.size))
      try file.setLength(0)
      let parts: [Result<[Cell], PieceError>] = inChunks(of: positions.count, threads: threads) { chunk in
        let writer = CellWriter(file, at: chunk.lowerBound, tree, capacity: capacity)
        do throws(PieceError) {
          try positions.forEachBlock(of: chunk) { _, points throws(PieceError) in
            if monitor.isCancelled { throw .cancelled }
            try writer.add(points)
          }
          return .success(try writer.finish())
        } catch { return .failure(error) }
      }
      var cells = try parts[0].get()
      for part in parts.dropFirst() { for (index, cell) in try part.get().enumerated() { cells[index].add(cell) } }
      self.cells = cells.filter { $0.box != nil }
      self.file = file
    }

    /// Answers the questions of a round, with several threads. The questions are about nodes of the tree that is
    /// planned. For most cells, the sums over the whole cell are enough to answer the questions. Only the points of
    /// the other cells are read.
    ///
    /// - Returns: the answers, and the number of points that were read.
    func answers(
      to round: PlanRound, threads: Int, _ monitor: BuildMonitor
    ) throws(PieceError) -> (PlanAnswers, readCount: Int) {
      var all = PlanAnswers(to: round)
      var reads: [(blocks: [Range<Int>], routing: PointRouting)] = []
      var readCount = 0
      for cell in cells {
        guard let routing = all.add(cell.moments, in: cell.box!) else { continue }
        reads.append((cell.blocks, routing))
        readCount += Int(cell.moments.count)
      }
      let parts: [Result<PlanAnswers, PieceError>] = inChunks(of: readCount, threads: threads) { [reads] chunk in
        var answers = PlanAnswers(to: round)
        let buffer = UnsafeMutableBufferPointer<PlanePoint>.allocate(capacity: RoutedBlock.size)
        let sorting = RoutedBlock(leafCount: round.routing.leafCount)
        defer {
          buffer.deallocate()
          sorting.deallocate()
        }
        var start = 0
        do throws(PieceError) {
          for (blocks, routing) in reads {
            if monitor.isCancelled { throw .cancelled }
            let own = blocks.filter { block in
              defer { start += block.count }
              return chunk.contains(start)
            }
            try read(own, by: buffer) { points in answers.add(points, by: routing, sortedIn: sorting) }
          }
          return .success(answers)
        } catch { return .failure(error) }
      }
      for part in parts { all.add(try part.get()) }
      return (all, readCount)
    }

    /// Reads the points of some blocks. Each call of `body` gets at most `buffer.count` points.
    private func read(
      _ blocks: [Range<Int>], by buffer: UnsafeMutableBufferPointer<PlanePoint>,
      _ body: (UnsafeBufferPointer<PlanePoint>) -> Void
    ) throws(PieceError) {
      var count = 0
      for block in blocks {
        if count + block.count > buffer.count {
          body(UnsafeBufferPointer(rebasing: buffer[..<count]))
          count = 0
        }
        let target = UnsafeMutableBufferPointer(rebasing: buffer[count..<count + block.count])
        try file.read(target, at: block.lowerBound)
        count += block.count
      }
      body(UnsafeBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// Collects points by cell. Writes the points of a cell to a file when the cell's part of the buffer is full. Each
  /// thread has its own writer.
  private final class CellWriter {
    private let file: ScratchFile
    private var end: Int
    private let tree: MedianTree
    private let pending: UnsafeMutablePointer<PlanePoint>
    private var parts: BufferedParts
    private var cells: [PlanCells.Cell]

    /// - Parameter first: Index at which this writer puts its first point in the file.
    init(_ file: ScratchFile, at first: Int, _ tree: MedianTree, capacity: Int) {
      (self.file, end, self.tree) = (file, first, tree)
      parts = BufferedParts(partCount: tree.leafCount, capacity: capacity)
      pending = .allocate(capacity: parts.slotCount)
      cells = Array(repeating: PlanCells.Cell(), count: tree.leafCount)
    }

    deinit { pending.deallocate() }

    func add(_ points: UnsafeBufferPointer<PlanePoint>) throws(PieceError) {
      for point in points {
        let cell = tree.leaf(of: point)
        pending[parts.add(to: cell)] = point
        if parts.isFull(cell) { try flush(cell) }
      }
    }

    func finish() throws(PieceError) -> [PlanCells.Cell] {
      for cell in cells.indices { try flush(cell) }
      return cells
    }

    private func flush(_ cell: Int) throws(PieceError) {
      let points = UnsafeBufferPointer(pending, parts.removeAll(from: cell))
      try file.write(points, at: end)
      cells[cell].add(points, at: end)
      end += points.count
    }
  }

  /// A balanced k-d tree that is split at the medians of sampled points. Levels are split alternately by x and by y.
  private struct MedianTree {
    let depth: Int
    /// Medians, indexed by node number. The root has the number 1. The children of node n have the numbers 2n and 2n +
    /// 1.
    private var medians: [UInt32]

    var leafCount: Int { 1 << depth }

    /// Average number of sampled points in a leaf.
    private static let sampleDensity = 16
    /// Number of points that are read at once.
    private static let runLength = 16

    init(of positions: Positions, depth: Int) throws(PieceError) {
      self.depth = depth
      medians = Array(repeating: 0, count: 1 << depth)
      var sample = try Self.sample(of: positions, runCount: Self.sampleDensity << depth / Self.runLength)
      sample.withUnsafeMutableBufferPointer { split($0, number: 1, level: 0) }
    }

    /// Returns a sample of the points. The sample consists of runs at equal distances in the file. The points of a run
    /// are consecutive.
    private static func sample(of positions: Positions, runCount: Int) throws(PieceError) -> [PlanePoint] {
      var sample: [PlanePoint] = []
      for run in 0..<runCount {
        let (start, end) = (positions.count * run / runCount, positions.count * (run + 1) / runCount)
        try positions.forEachBlock(of: start..<min(start + runLength, end)) { _, points in sample += points }
      }
      return sample
    }

    private mutating func split(_ points: UnsafeMutableBufferPointer<PlanePoint>, number: Int, level: Int) {
      if level == depth { return }
      var sample = points
      if level.isMultiple(of: 2) { sample.sort { $0.x < $1.x } } else { sample.sort { $0.y < $1.y } }
      let middle = sample.count / 2
      if !sample.isEmpty { medians[number] = level.isMultiple(of: 2) ? sample[middle].x : sample[middle].y }
      split(UnsafeMutableBufferPointer(rebasing: sample[..<middle]), number: 2 * number, level: level + 1)
      split(UnsafeMutableBufferPointer(rebasing: sample[middle...]), number: 2 * number + 1, level: level + 1)
    }

    /// Returns the leaf of a point. The code has no branches, so the processor can work on several points at once.
    @inline(__always) func leaf(of point: PlanePoint) -> Int {
      medians.withUnsafeBufferPointer { medians in
        var number = 1
        var (next, other) = (point.x, point.y)
        for _ in 0..<depth {
          let isRight = (UInt64(medians[number]) &- UInt64(next)) &>> 63
          number = 2 &* number &+ Int(truncatingIfNeeded: isRight)
          swap(&next, &other)
        }
        return number &- 1 &<< depth
      }
    }
  }
#endif

import Treeline

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  /// A tree that grew by merging, whose arrays are in files (see `MappedMemory`), and the division of its points into
  /// pieces.
  ///
  /// The pieces are ranges of points in tree order. They have only the rows and codes of the points, because the tree
  /// has everything else.
  struct MergedPieces: @unchecked Sendable {
    let tree: ClusterTree
    let plan: PiecePlan
    private let monitor: BuildMonitor
    /// For each point, in input order, its index in tree order.
    private let places: UnsafeMutablePointer<UInt32>
    private let release: PieceMemoryOwner

    /// Frees the array of places together with the last copy of the pieces.
    private final class PieceMemoryOwner: @unchecked Sendable {
      let block: MemoryBlock
      init(_ block: MemoryBlock) { self.block = block }
      deinit { block.deallocate() }
    }

    /// - Precondition: The rows of the tree are the numbers of points in input order.
    init(_ tree: ClusterTree, pieceSize: Int, _ monitor: BuildMonitor) {
      (self.tree, self.monitor) = (tree, monitor)
      let places: UnsafeMutablePointer<UInt32> = monitor.allocate(count: tree.pointCount)
      (self.places, release) = (places, PieceMemoryOwner(MemoryBlock(places, count: tree.pointCount)))
      plan = tree.withStorage { storage in
        monitor.pass(over: 0..<storage.pointCount) { block in
          for index in block { places[Int(truncatingIfNeeded: storage.rows[index])] = UInt32(index) }
        }
        // The split rule does not matter, because the pieces have no nodes.
        var plan = PiecePlan(rule: .standard)
        var first = 0
        while first < storage.pointCount && !monitor.isCancelled {
          let end = Self.end(ofPieceAt: first, pieceSize: pieceSize, storage)
          let points = UnsafeBufferPointer(start: storage.points + first, count: end - first)
          plan.add(piece: PointExtent(of: points), at: SubtreeRoot(level: 0, corner: nil))
          monitor.noteWork(onPoints: points.count)
          first = end
        }
        return plan
      }
    }

    /// Returns the index after the last point of a piece. All points at one position are in the same piece. Such points
    /// follow each other in tree order.
    private static func end(ofPieceAt first: Int, pieceSize: Int, _ storage: TreeStorage) -> Int {
      let points = storage.points
      var end = min(first + pieceSize, storage.pointCount)
      if end == storage.pointCount { return end }
      while end > first && points[end - 1] == points[end] { end -= 1 }
      if end > first { return end }
      while end < storage.pointCount && points[end] == points[first] { end += 1 }
      return end
    }

    /// Gives main memory back to the system from time to time.
    func giveBack(afterBytes count: Int) { monitor.noteWork(onPoints: count / 8) }

    /// Replaces positions of points by places, and finds the pieces of the points.
    ///
    /// - Parameters:
    ///   - range: Numbers of the points in input order.
    ///   - points: Receives each point's place in its piece, as the x coordinate.
    ///   - pieces: Receives the number of each point's piece.
    func findPlaces(
      of range: Range<Int>, _ points: UnsafeMutablePointer<PlanePoint>, _ pieces: UnsafeMutablePointer<UInt32>
    ) {
      for (offset, number) in range.enumerated() {
        let place = Int(places[number])
        let piece = firstIndex(in: plan.pieces.indices) { plan.pieces[$0].end > place }
        points[offset] = PlanePoint(x: UInt32(place - plan.pieces[piece].first), y: 0)
        pieces[offset] = UInt32(piece)
      }
    }

    /// Builds a piece.
    ///
    /// - Parameter fill: Writes the place of each point of the piece, with its row and its codes. The points are in any
    ///   order.
    func build(
      _ task: PieceTask, _ layout: CodeLayout, threads: Int, _ monitor: BuildMonitor,
      filledBy fill: (PieceInput) throws(PieceError) -> Void
    ) throws(PieceError) -> BuiltPiece {
      let count = task.pointCount
      let places = UnsafeMutablePointer<PlanePoint>.allocate(capacity: 2 * count)
      let ranks = UnsafeMutablePointer<UInt32>.allocate(capacity: count)
      ranks.initialize(repeating: 0, count: count)
      defer {
        places.deallocate()
        ranks.deallocate()
      }
      var rows = PieceRows(pointCount: count, layout)
      try fill(rows.input(places))
      if let row = rows.sort(places, spare: places + count, monitor) { throw .rowTwice(row: Int(row)) }
      if monitor.isCancelled { throw .cancelled }
      for rank in 0..<count {
        guard places[rank].x < count else {
          throw .damaged(what: "piece \(task.number)", expected: "places below \(count)", found: "\(places[rank].x)")
        }
        ranks[Int(places[rank].x)] = UInt32(rank)
      }
      let storage = tree.withStorage { storage in
        let points = storage.points + task.first
        // Points at one position are in the order of their rows.
        var start = 0
        for index in 1..<count + 1 where index == count || points[index] != points[start] {
          var stack = UnsafeMutableBufferPointer(start: ranks + start, count: index - start)
          stack.sort()
          start = index
        }
        return TreeStorage(
          points: points, rows: storage.rows, pointCount: count, gaps: storage.gaps + task.first / 2,
          nodes: storage.nodes, nodeCount: 1, sums: storage.sums, spreads: storage.spreads,
          release: { [tree] in withExtendedLifetime(tree) {} })
      }
      let root = NodeRecord(box: task.extent.box, count: UInt32(count), childOffset: 0)
      return BuiltPiece(task, storage, root: root, rows, by: ranks, threads: threads, monitor)
    }
  }

  extension ScratchBuild {
    /// Returns the reason why a tree can be built only in memory; nil if the tree can be built beyond memory.
    package static func obstacle(to growth: Growth, isGrouped: Bool) -> String? {
      switch growth {
      case .splitting(let rule): BuildPlan.isBeyond(rule) ? "the weight of each point depends on all points" : nil
      case .merging(by: .scatter): "clusters anywhere on the map may be merged at any time"
      case .merging: isGrouped ? "the clusters of each group may lie anywhere on the map" : nil
      }
    }

    /// Grows a tree by merging. The large arrays of the tree are in files.
    func merge(by options: BuildOptions) throws(PieceError) -> MergedPieces {
      let mapped = MappedMemory(memory: self.options.memory) { [folder] () throws(PieceError) in
        try folder.unnamedFile()
      }
      nonisolated(unsafe) let progress = progress
      let pointCount = pointCount
      let monitor = BuildMonitor(partOf: monitor, pointCount: pointCount, mapped: mapped) { done in
        progress(.merging, Int(done.fraction * Double(pointCount)), pointCount)
      }
      let memory = BuildMemory(pointCount: pointCount, monitor)
      do throws(PieceError) {
        if let failure = mapped.failure { throw failure }
        let positions = try Positions(of: self)
        let target = UnsafeMutableBufferPointer(start: memory.arrays.points, count: pointCount)
        for block in (0..<pointCount).blocks(of: Self.blockSize) {
          try checkCancelled()
          _ = try positions.read(block, to: UnsafeMutableBufferPointer(rebasing: target[block]))
          monitor.noteWork(onPoints: block.count)
        }
      } catch {
        memory.deallocate()
        throw error
      }
      let build = TreeBuild(coordinates: [], projection: projection, options: options, monitor: monitor)
      let storage: TreeStorage
      do throws(BuildFailure) { storage = try build.storage(of: memory) } catch { throw mapped.failure ?? .cancelled }
      let tree = ClusterTree(
        storage: storage, plane: state.survey.plane, clippedPointCount: clippedPointCount, growth: options.growth)
      let pieces = MergedPieces(tree, pieceSize: pieceSize, monitor)
      if monitor.isCancelled { throw mapped.failure ?? .cancelled }
      return pieces
    }
  }
#endif

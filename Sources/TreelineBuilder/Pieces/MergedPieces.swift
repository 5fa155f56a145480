import Treeline

#if POSIX
  /// A tree that grew by merging, whose arrays are in files (see `MappedMemory`), and the division of its points into
  /// pieces.
  ///
  /// The pieces are ranges of points in tree order. They have only the rows and codes of the points, because the tree
  /// has everything else. While the pieces are built, each point is given by its *place*: its index in tree order, as
  /// the x coordinate of a position.
  package struct MergedPieces: @unchecked Sendable {
    let tree: ClusterTree
    package let plan: PiecePlan
    private let monitor: BuildMonitor
    /// For each point, in input order, its index in tree order.
    private let places: BuildArray<UInt32>

    /// - Parameter rows: For each point, in input order, its row; nil if the points are in the order of their rows.
    /// - Precondition: The rows of the tree are the numbers of points in input order.
    fileprivate init(_ tree: ClusterTree, rows: UnsafePointer<UInt64>?, pieceSize: Int, _ monitor: BuildMonitor) {
      (self.tree, self.monitor) = (tree, monitor)
      let places = BuildArray<UInt32>(count: tree.pointCount, monitor)
      self.places = places
      tree.withStorage { storage in
        monitor.pass(over: 0..<storage.pointCount) { block in
          for index in block { places.start[Int(truncatingIfNeeded: storage.rows[index])] = UInt32(index) }
        }
        if let rows { Self.sortStacks(of: storage, by: rows, places.start, monitor) }
      }
      plan = PiecePlan(ofMergedTree: tree.pointCount, pieceSize: pieceSize)
    }

    /// Changes the places of points at one position, so that these points are in the order of their rows.
    private static func sortStacks(
      of storage: TreeStorage, by rows: UnsafePointer<UInt64>, _ places: UnsafeMutablePointer<UInt32>,
      _ monitor: BuildMonitor
    ) {
      // Points of different groups never share a stack, even if they share a position.
      let ends = Set(storage.groups?.parts.map { Int($0.upperBound) } ?? [storage.pointCount])
      var start = 0
      monitor.pass(over: 1..<max(storage.pointCount + 1, 1)) { block in
        for index in block where ends.contains(index) || storage.points[index] != storage.points[start] {
          if index > start + 1 {
            var numbers = (start..<index).map { Int(truncatingIfNeeded: storage.rows[$0]) }
            numbers.sort(monitor) { rows[$0] < rows[$1] }
            for (place, number) in zip(start..<index, numbers) { places[number] = UInt32(place) }
          }
          start = index
        }
      }
    }

    /// Gives main memory back to the system from time to time.
    func giveBack(afterBytes count: Int) { monitor.noteWork(onPoints: count / 8) }

    /// Returns the places of points. The result is valid as long as the pieces exist.
    ///
    /// - Parameter range: Numbers of the points in input order.
    package func places(of range: Range<Int>) -> UnsafeBufferPointer<UInt32> {
      monitor.noteWork(onPoints: range.count / 8)
      return UnsafeBufferPointer(start: places.start + range.lowerBound, count: range.count)
    }
  }

  /// A tree that grows by merging. The large arrays of the tree are in files.
  package final class MappedMergeBuild {
    let survey: PointSurvey
    private let mapped: MappedMemory
    private let monitor: BuildMonitor
    private var memory: BuildMemory?
    /// The points if they have groups; nil if all points may share a cluster.
    private let grouped: GroupedPoints?
    private let rows: BuildArray<UInt64>?
    private var count = 0

    package var hasRows: Bool { rows != nil }

    /// - Parameters:
    ///   - survey: Survey of all points.
    ///   - hasRows: Whether rows are added with the points. If not, points are added in the order of their rows.
    ///   - memory: Approximate main memory that the build may use, in bytes.
    ///   - folder: Folder for the files, which have no names.
    package convenience init(
      _ survey: PointSurvey, hasRows: Bool, memory: Int, in folder: ScratchFolder,
      stoppingWith cancellation: BuildCancellation?, progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) throws(PieceError) {
      try self.init(
        survey, hasRows: hasRows, memory: memory, in: folder,
        groups: nil, partOf: cancellation?.monitor ?? BuildMonitor(pointCount: 0), progress: progress)
    }

    fileprivate init(
      _ survey: PointSurvey, hasRows: Bool, memory: Int, in folder: ScratchFolder, groups: TreeGroups?,
      partOf whole: BuildMonitor,
      progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) throws(PieceError) {
      self.survey = survey
      let pointCount = survey.pointCount
      mapped = MappedMemory(memory: memory) { () throws(PieceError) in try folder.unnamedFile() }
      monitor = BuildMonitor(partOf: whole, pointCount: pointCount, mapped: mapped) { done in
        progress(Int(done.fraction * Double(pointCount)), pointCount)
      }
      grouped = groups.map { [monitor] in GroupedPoints($0, monitor) }
      self.memory = groups == nil ? BuildMemory(pointCount: pointCount, monitor) : nil
      rows = hasRows ? BuildArray(count: pointCount, monitor) : nil
      if let failure = mapped.failure { throw failure }
    }

    deinit { memory?.deallocate() }

    /// Adds points.
    ///
    /// - Parameters:
    ///   - points: Positions on the plane of the survey.
    ///   - newRows: The row of each point if the build has rows.
    ///   - parts: If points have groups, the number of each point's part in `TreeGroups.parts`.
    package func add<Row: BinaryInteger>(
      _ points: UnsafeBufferPointer<PlanePoint>, rows newRows: UnsafeBufferPointer<Row>?,
      inParts parts: [UInt16] = []
    ) throws(PieceError) {
      guard points.count <= survey.pointCount - count else {
        throw .damaged(
          what: "the points of a merged tree", expected: "\(survey.pointCount) points",
          found: "\(count + points.count)")
      }
      grouped?.add(points, inParts: parts)
      if let memory, let source = points.baseAddress {
        (memory.arrays.points + count).update(from: source, count: points.count)
      }
      if let rows, let newRows {
        for (index, row) in newRows.enumerated() {
          guard let row = UInt64(exactly: row), row <= StoredRows.greatest else { throw .rowOutOfRange }
          rows.start[count + index] = row
        }
      }
      count += points.count
      monitor.noteWork(onPoints: points.count)
    }

    /// Grows the tree. All points must have been added.
    ///
    /// - Precondition: The tree has not grown yet.
    package func finish(_ options: BuildOptions, pieceSize: Int) throws(PieceError) -> MergedPieces {
      guard count == survey.pointCount else {
        throw .damaged(
          what: "the points of a merged tree", expected: "\(survey.pointCount) points", found: "\(count)")
      }
      let plane = survey.plane
      let build = TreeBuild(coordinates: [], projection: plane.projection, options: options, monitor: monitor)
      let storage: TreeStorage
      do throws(BuildFailure) {
        if let grouped {
          storage = try GroupedBuild(build: build, points: grouped).run()
        } else if let memory {
          // The build takes over the memory, even if it fails.
          self.memory = nil
          storage = try build.storage(of: memory)
        } else {
          preconditionFailure("Expected points that are not merged yet, found merged points")
        }
      } catch { throw mapped.failure ?? .cancelled }
      let tree = ClusterTree(
        storage: storage, plane: plane, clippedPointCount: survey.clippedPointCount, growth: options.growth)
      let pieces = MergedPieces(tree, rows: rows.map { UnsafePointer($0.start) }, pieceSize: pieceSize, monitor)
      if monitor.isCancelled { throw mapped.failure ?? .cancelled }
      return pieces
    }
  }

  extension IndexBuild {
    /// Returns the reason why a tree can be built only in memory; nil if the tree can be built beyond memory.
    package static func obstacle(to growth: Growth) -> String? {
      switch growth {
      case .splitting(let rule): BuildPlan.isBeyond(rule) ? "the weight of each point depends on all points" : nil
      case .merging(by: .scatter): "clusters anywhere on the map may be merged at any time"
      case .merging: nil
      }
    }

    /// Grows a tree by merging.
    func merge() throws(PieceError) -> MergedPieces {
      nonisolated(unsafe) let progress = progress
      let hasRows = options.hasGivenRows && !state.rowsAscend
      let build = try MappedMergeBuild(
        state.survey, hasRows: hasRows, memory: options.memory, in: folder, groups: state.groups?.header,
        partOf: monitor
      ) { progress(.merging, $0, $1) }
      let (positions, givenRows) = (try Positions(of: self), hasRows ? try folder.file(.givenRows) : nil)
      let parts = try state.groups.map { groups throws(PieceError) in try TreeNumbers(of: self, groups) }
      var block = [UInt64](repeating: 0, count: hasRows ? min(pointCount, Self.blockSize) : 0)
      try positions.forEachBlock(of: 0..<pointCount) { range, points throws(PieceError) in
        try checkCancelled()
        try block.withUnsafeMutableBufferPointer { block throws(PieceError) in
          let rows = hasRows ? UnsafeMutableBufferPointer(rebasing: block[..<range.count]) : nil
          if let rows { try givenRows!.read(rows, at: range.lowerBound) }
          try build.add(points, rows: rows.map { UnsafeBufferPointer($0) }, inParts: parts?.read(range) ?? [])
        }
      }
      return try build.finish(options.tree, pieceSize: pieceSize)
    }
  }
#endif

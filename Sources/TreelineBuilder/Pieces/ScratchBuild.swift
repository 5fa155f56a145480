import Treeline

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  /// A build on one machine whose points do not fit its memory: they lie in a scratch folder, and a piece of them at a
  /// time is in memory.
  ///
  /// ```swift
  /// let build = try ScratchBuild(in: folder, memory: memory, identity: name)
  /// if try !build.resumes(checksum: hash) {
  ///   for batch in batches { try build.append(batch, skippedRows: []) }
  ///   try build.finishReading(checksum: hash)
  /// }
  /// try build.finish(to: destination)
  /// ```
  package final class ScratchBuild {
    /// What a build does, in this order, but that the index is written on once separations are known.
    package enum Stage: String, Sendable {
      case projecting, planning, partitioning, building, writing, separating
    }

    package struct Options: Sendable {
      package var rule: SplitRule
      package var threads: Int
      /// In bytes: about what the build takes.
      package var memory: Int
      package var projection: Plane.Projection
      package var computesSeparations = false
      package var description = IndexDescription()

      package init(rule: SplitRule, threads: Int?, memory: Int, projection: Plane.Projection) {
        (self.rule, self.memory, self.projection) = (rule, memory, projection)
        self.threads = threads ?? processorCount
      }

      /// What is not for pieces: an eighth of the memory, and what the process takes anyway.
      var reserve: Int { min(memory / 8 + 32_000_000, memory / 2) }

      /// How many points a piece may have.
      var pieceSize: Int {
        max(
          BuildPlan.leastPieceSize,
          min((memory - reserve) / ScratchBuild.bytesPerPoint, IndexHeader.maximumPointCount))
      }
    }

    /// What the build of a piece takes: 36 bytes a point, measured, and some more where the data has many outliers.
    static let bytesPerPoint = 40

    private(set) var options: Options
    let folder: ScratchFolder
    let identity: String
    private(set) var monitor = BuildMonitor(pointCount: 0)
    var state: ScratchState
    /// What it took to compute the separations, once they are.
    package internal(set) var separationWork: SeparationPieces.Work?
    /// Told how many points of a stage are done.
    package var progress: (Stage, _ done: Int, _ total: Int) -> Void = { _, _, _ in }

    /// - Parameter identity: Tells this build, its input and its options from others that may have left something.
    package init(in folder: ScratchFolder, identity: String, _ options: Options) {
      (self.folder, self.identity, self.options) = (folder, identity, options)
      state = ScratchState(identity: identity, checksum: 0, survey: PointSurvey(projection: options.projection))
    }

    /// Goes on from where an earlier run of the same build stopped, with the projection that it had; nil if it had not
    /// read all of the same input.
    ///
    /// - Parameter checksum: Of the input's bytes, asked for only where there is something to go on from.
    package init?(
      resuming identity: String, in folder: ScratchFolder, _ options: Options, checksum: () throws -> UInt64
    ) rethrows {
      guard let found = ScratchState(savedIn: folder), found.identity == identity, try found.checksum == checksum()
      else {
        return nil
      }
      (self.folder, self.identity, self.options, state) = (folder, identity, options, found)
      self.options.projection = found.survey.projection
      if state.planned?.pieceSize != options.pieceSize, !state.isPartitioned { state.planned = nil }
      guard isWhole else { return nil }
    }

    /// Stops the build at the next block of points, with `PieceError.cancelled`. Any thread may call it.
    package func cancel() { monitor.cancel() }

    /// Has the build stop with others, in place of by itself alone.
    package func stops(with cancellation: BuildCancellation) {
      monitor = BuildMonitor(partOf: cancellation.monitor, pointCount: 0)
    }

    /// Whether the files have the lengths that the state promises.
    private var isWhole: Bool {
      func length(_ name: ScratchFolder.Name) -> Int { (try? folder.file(name).length) ?? 0 }
      if let plan = state.planned?.plan, state.isPartitioned {
        // Of pieces that are built the points are gone.
        guard let pieces = try? ScratchPieces(in: folder, of: plan) else { return false }
        let left = pieces.missingCount == 0 ? 0 : plan.pieces[pieces.missingCount - 1].end
        return length(.points) >= 8 * left && length(.rows) >= 4 * left
      }
      let isRead =
        length(.positions) == 8 * pointCount || options.projection == .planar && length(.coordinates) == 16 * pointCount
      return isRead && length(.skippedRows) == 4 * state.skippedRowCount
    }

    package var projection: Plane.Projection { options.projection }

    package var pointCount: Int { state.survey.pointCount }

    /// How many points were moved to the edge of Web Mercator.
    package var clippedPointCount: Int { state.survey.clippedPointCount }

    /// How many pieces there are, once they are known.
    package var pieceCount: Int? { state.planned?.plan.pieces.count }

    // MARK: - Reading

    private var reading: Reading?

    /// The files that points are read to.
    private struct Reading {
      let points: ScratchFile
      let skippedRows: ScratchFile
    }

    /// Takes in points, in their order, and the numbers of rows that were skipped, in theirs.
    ///
    /// - Parameter skippedRows: No greater than that of the last point so far.
    package func append(_ coordinates: [Coordinate], skippedRows: [Int]) throws(PieceError) {
      let first = pointCount
      if self.reading == nil { self.reading = try startReading() }
      guard let reading else { return }
      try coordinates.withUnsafeBufferPointer { coordinates throws(PieceError) in
        try state.survey.add(coordinates, firstRow: first)
        guard options.projection == .webMercator else {
          try reading.points.write(coordinates, at: first)
          return
        }
        let uncut = Plane.webMercator()
        var points: [PlanePoint] = []
        points.reserveCapacity(coordinates.count)
        for coordinate in coordinates { points.append(uncut.point(at: coordinate)) }
        try points.withUnsafeBufferPointer { points throws(PieceError) in try reading.points.write(points, at: first) }
      }
      guard skippedRows.last ?? 0 <= UInt32.max else { throw .tooManyRows }
      try skippedRows.map { UInt32($0) }.withUnsafeBufferPointer { rows throws(PieceError) in
        try reading.skippedRows.write(rows, at: state.skippedRowCount)
      }
      state.skippedRowCount += skippedRows.count
    }

    private func startReading() throws(PieceError) -> Reading {
      for name in [ScratchFolder.Name.state, .points, .rows, .pieces, .pieceEnds, .separations] { folder.remove(name) }
      let reading = Reading(
        points: try folder.file(options.projection == .webMercator ? .positions : .coordinates),
        skippedRows: try folder.file(.skippedRows))
      try reading.points.setLength(0)
      try reading.skippedRows.setLength(0)
      return reading
    }

    /// Notes that all points are there.
    ///
    /// - Parameter checksum: Of the input's bytes.
    package func finishReading(checksum: UInt64) throws(PieceError) {
      if reading == nil { reading = try startReading() }
      reading = nil
      state.checksum = checksum
      try state.save(in: folder)
    }

    // MARK: - The rest

    /// How many bytes the build takes at most from here on, in its folder and for the index: more than there are in
    /// most cases.
    package var space: (scratch: Int, index: Int) {
      // Positions, or coordinates, and then points with their rows; then those and the pieces that come of them. An
      // index takes 19 bytes a point as a rule, and 2 for separations, which are computed when points and rows are gone.
      ((projection == .webMercator ? 22 : 28) * pointCount, (options.computesSeparations ? 22 : 20) * pointCount)
    }

    /// Builds the index of the points that were taken in.
    package func finish(to destination: IndexDestination) throws(PieceError) {
      try project()
      let plan = try plan()
      if !state.isPartitioned { try partition(plan) }
      let pieces = try buildPieces(of: plan)
      try checkCancelled()
      var assembly = IndexAssembly(of: plan, state.survey, description: options.description)
      if options.computesSeparations { assembly.separate = { tree throws(PieceError) in try self.separate(tree) } }
      try assembly
        .write(to: destination, piecesFrom: pieces) { [progress, monitor] written, total in
          progress(.writing, Int(written), Int(total))
          return !monitor.isCancelled
        }
    }

    func checkCancelled() throws(PieceError) { if monitor.isCancelled { throw .cancelled } }

    /// Writes the positions of plain coordinates, whose plane is known only now.
    private func project() throws(PieceError) {
      guard options.projection == .planar, !state.isPartitioned else { return }
      let (coordinates, positions) = (try folder.file(.coordinates), try folder.file(.positions))
      if positions.length == 8 * pointCount { return }
      let plane = state.survey.plane
      var block = [Coordinate](repeating: Coordinate(x: 0, y: 0), count: min(pointCount, Self.blockSize))
      // It has its length once it is whole, for blocks are written in order.
      try positions.setLength(0)
      for range in (0..<pointCount).blocks(of: Self.blockSize) {
        try checkCancelled()
        try block.withUnsafeMutableBufferPointer { block throws(PieceError) in
          try coordinates.read(UnsafeMutableBufferPointer(rebasing: block[..<range.count]), at: range.lowerBound)
        }
        let points = block[..<range.count].map { plane.point(at: $0) }
        try points.withUnsafeBufferPointer { points throws(PieceError) in
          try positions.write(points, at: range.lowerBound)
        }
        progress(.projecting, range.upperBound, pointCount)
      }
    }

    /// How many points are read at once.
    static let blockSize = 1 << 17
  }
#endif

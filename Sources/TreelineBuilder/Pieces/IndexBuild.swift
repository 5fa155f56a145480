import Treeline

#if POSIX
  /// A build of an index on one machine, from points that arrive in batches. The points are in memory, or in a scratch
  /// folder on the disk. A build with a folder holds only the points of one piece at a time in memory. Both builds give
  /// the same index.
  ///
  /// ```swift
  /// let build = IndexBuild(identity: name, options)
  /// for batch in batches {
  ///   try build.append(batch, skippedRows: [])
  ///   if build.exceedsMemory { try build.move(to: folder) }
  /// }
  /// try build.finishReading(checksum: hash)
  /// try build.finish(to: destination)
  /// ```
  ///
  /// A later run can continue a build that was stopped after `finishReading`, if its points are in a folder:
  ///
  /// ```swift
  /// try IndexBuild(resuming: name, in: folder, options, checksum: { hash })?.finish(to: destination)
  /// ```
  package final class IndexBuild {
    /// Stages of a build in pieces, in the order in which they run, with one exception. Columns are prepared while the
    /// index is written, but this work is reported as encoding. A build in memory does not plan and partition pieces,
    /// and encodes columns after the tree is built.
    package enum Stage: String, Sendable {
      case encoding, projecting, merging, planning, partitioning, building, writing
    }

    package struct Options: Sendable {
      package var tree: BuildOptions
      /// Approximate memory of the build, in bytes.
      var memory: Int
      var projection: Plane.Projection
      package var description = IndexDescription()
      /// Columns of the index.
      package var columns: [RequestedColumn] = []
      /// Whether the input assigns row numbers to points.
      package var hasGivenRows = false
      /// Whether each point has a group. Points of different groups never share a cluster.
      package var isGrouped = false

      package init(_ tree: BuildOptions, memory: Int, projection: Plane.Projection) {
        (self.tree, self.memory, self.projection) = (tree, memory, projection)
      }

      var threads: Int { tree.threads }

      /// Whether the tree grows by merging.
      package var isMerged: Bool { tree.growth.mergeMetric != nil }

      /// Memory that is not available for pieces, in bytes: an eighth of the budget, plus the memory that the process
      /// always takes. The reserve is at most half of the budget.
      var reserve: Int { min(memory / 8 + 32_000_000, memory / 2) }

      /// Returns the greatest number of points of a piece.
      ///
      /// - Parameter codeLength: Length of the codes of all columns for one point, in bytes.
      func pieceSize(codeLength: Int) -> Int {
        let bytesPerPoint = IndexBuild.bytesPerPoint + 2 * codeLength
        // While the pieces of a merged tree are built, parts of the tree's arrays are in memory, too.
        let available = (memory - reserve) / (isMerged ? 4 : 1)
        return max(BuildPlan.leastPieceSize, min(available / bytesPerPoint, IndexHeader.maximumPointCount))
      }
    }

    /// A column that the index will have.
    package struct RequestedColumn: Sendable {
      let purpose: ColumnSurvey.Purpose
      let name: String
      let preparations: Set<IndexColumn.Preparation>
      let cells: DecimalMark?

      /// - Parameters:
      ///   - preparations: Aggregates and searches for which the column is prepared; empty for an attribute.
      ///   - cells: Decimal mark of the numbers in the cells of a CSV file; nil if the values come from another
      ///     format.
      package init(
        _ purpose: ColumnSurvey.Purpose, name: String, preparations: Set<IndexColumn.Preparation> = [],
        cells: DecimalMark? = nil
      ) {
        (self.name, self.preparations, self.cells) = (name, preparations, cells)
        self.purpose = purpose == .typed(nil) && preparations.contains(.search) ? .typed(.text) : purpose
      }
    }

    /// Memory for building a piece, in bytes per point: 44 bytes, plus a reserve for data with many outliers.
    static let bytesPerPoint = 48

    package private(set) var options: Options
    /// Folder with the points; nil while the points are in memory.
    private(set) var scratch: ScratchFolder?
    let identity: String
    private(set) var monitor = BuildMonitor(pointCount: 0)
    var state: ScratchState
    /// Called with the progress of a stage: the work that is done, and the total work. Most stages count points. The
    /// stage `writing` counts bytes, and `planning` counts passes over the points, without a total.
    package var progress: (Stage, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
    /// Called for each block of plain x and y. Receives the plane onto which the block is projected, and the block.
    package var onProjection: (Plane, ArraySlice<Coordinate>) -> Void = { _, _ in }

    /// Starts a build whose points are in memory.
    ///
    /// - Parameter identity: Name of this build, which identifies its input and its options. If the points are moved to
    ///   a folder, no other build that has used the folder may have the same name.
    package init(identity: String, _ options: Options) {
      (self.identity, self.options) = (identity, options)
      state = ScratchState(identity: identity, checksum: 0, survey: PointSurvey(projection: options.projection))
      surveys = options.columns.map { ColumnSurvey(of: $0.purpose, name: $0.name, cells: $0.cells) }
    }

    /// Starts a build whose points are in a folder.
    package convenience init(in folder: ScratchFolder, identity: String, _ options: Options) throws(PieceError) {
      self.init(identity: identity, options)
      try move(to: folder)
    }

    /// Continues an earlier run of the same build at the stage where that run stopped. The projection of that run is
    /// kept. Returns nil if no earlier run has read the same input to the end, or if a file of that run has changed.
    ///
    /// - Parameters:
    ///   - checksum: Returns the checksum of the input's bytes. Called only if an earlier run has left files.
    ///   - onDamage: Called if the build cannot continue because a file has changed since it was written. Receives the
    ///     error for this file.
    package init?(
      resuming identity: String, in folder: ScratchFolder, _ options: Options, checksum: () throws -> UInt64,
      onDamage: (PieceError) -> Void = { _ in }
    ) rethrows {
      guard let found = ScratchState(savedIn: folder, onDamage: onDamage), found.identity == identity,
        try found.checksum == checksum()
      else {
        return nil
      }
      (scratch, kept, self.identity, self.options, state) = (folder, nil, identity, options, found)
      self.options.projection = found.survey.projection
      do throws(PieceError) {
        try readColumns()
        if state.planned?.pieceSize != pieceSize, !state.isPartitioned { state.planned = nil }
        try checkFiles()
      } catch {
        onDamage(error)
        return nil
      }
    }

    /// Stops the build at the next block of points, with `PieceError.cancelled`. Any thread may call this method.
    func cancel() { monitor.cancel() }

    /// Makes `cancellation` stop this build, too. One cancellation may stop several builds.
    package func stops(with cancellation: BuildCancellation) {
      monitor = BuildMonitor(partOf: cancellation.monitor, pointCount: 0)
    }

    /// Pieces that an earlier run has built.
    var found: ScratchPieces?

    /// Encodings of the columns; empty until all points are read.
    package internal(set) var columns: [ColumnEncoding] = []
    /// Surveys of the columns. They are made while points are read.
    var surveys: [ColumnSurvey] = []
    /// Position of each column's values in a batch of `ScratchValues`.
    var columnNumbers: [Int] = []
    /// Preparations of each column.
    var preparations: [Set<IndexColumn.Preparation>] = []

    /// Layout of the codes of a point.
    var layout: CodeLayout { CodeLayout(columns) }

    var folder: ScratchFolder {
      guard let scratch else { preconditionFailure("The points of this build are in memory") }
      return scratch
    }

    var pieceSize: Int { options.pieceSize(codeLength: layout.length) }

    /// Width of a row number in the scratch folder, in bytes.
    var rowWidth: Int { state.greatestRow > UInt32.max ? 8 : 4 }

    package var projection: Plane.Projection { options.projection }

    package var pointCount: Int { kept?.coordinates.count ?? state.survey.pointCount }

    /// Number of points that were moved to the edge of Web Mercator. The number is known once the index is built.
    package internal(set) var clippedPointCount = 0

    /// Number of pieces; nil until the number is known.
    package var pieceCount: Int? { state.planned?.plan.pieces.count }

    /// Number of bytes that this run has read to plan the pieces.
    package internal(set) var planningReads = 0

    // MARK: - Reading

    /// The points; nil if they are in the folder.
    var kept: KeptPoints? = KeptPoints()
    /// Files to which points are written while the input is read; nil while the points are in memory.
    private var files: ScratchInput?
    private var tally = GroupTally()
    private var lastRow: UInt64?

    /// The error that prevented some points from being written to the disk. After such an error, the build cannot
    /// succeed.
    private var writingFailure: PieceError?

    /// Adds points, and notes which rows of the input were skipped. The points and the skipped rows are in input
    /// order.
    ///
    /// - Parameters:
    ///   - skippedRows: The row numbers of skipped rows. Each of these numbers must be greater than all numbers that
    ///     were passed to earlier calls.
    ///   - givenRows: The row number of each point, from 0 to 2^53, if the input assigns row numbers.
    ///   - groups: The group of each point, if points are grouped.
    ///   - values: For each column, the value of each point.
    /// - Throws: `PieceError`. If any point is refused, none of the given points is added.
    package func append(
      _ coordinates: [Coordinate], skippedRows: [Int], givenRows: [UInt64] = [], groups: [PointGroups.Group] = [],
      values: [ColumnValues] = []
    ) throws(PieceError) {
      precondition(values.count == options.columns.count, "Expected values of each column")
      precondition(
        !options.hasGivenRows || givenRows.count == coordinates.count, "Expected a row number for each point")
      precondition(groups.count == (options.isGrouped ? coordinates.count : 0), "Expected a group for each point")
      if let writingFailure { throw writingFailure }
      let first = pointCount
      if first == 0 { try checkColumns() }
      let rows = options.hasGivenRows ? try RowOrder(givenRows, after: lastRow) : nil
      var tally = tally
      let groupNumbers = try tally.add(groups)
      if kept == nil {
        let points = try survey(coordinates)
        do throws(PieceError) {
          try files!.append(coordinates, points, skippedRows, givenRows, groupNumbers)
          try files!.values.append(values, pointCount: coordinates.count)
        } catch {
          writingFailure = error
          throw error
        }
      } else {
        try state.survey.check(coordinates, after: first)
        kept!.append(coordinates, skippedRows, givenRows, groupNumbers, values)
      }
      self.tally = tally
      state.skippedRowCount += skippedRows.count
      if let rows {
        lastRow = rows.last
        state.greatestRow = max(state.greatestRow, rows.greatest)
        if !rows.ascend { state.rowsAscend = false }
      } else {
        state.greatestRow = UInt64(max(pointCount + state.skippedRowCount - 1, 0))
      }
      survey(values, firstPoint: first)
    }

    private func survey(_ values: [ColumnValues], firstPoint: Int) {
      surveys.withUnsafeMutableBufferPointer { surveys in
        guard let start = surveys.baseAddress else { return }
        nonisolated(unsafe) let first = start
        for columns in values.indices.blocks(of: options.threads) {
          concurrently(columns.count) { number in
            let column = columns.lowerBound + number
            first[column].add(values[column], firstPoint: firstPoint)
          }
        }
      }
    }

    package var isInMemory: Bool { kept != nil }

    /// Whether the points in memory need more memory than the build may use.
    package var exceedsMemory: Bool {
      guard let kept else { return false }
      return pointCount * options.bytesPerPoint + kept.additionalByteCount > options.memory
    }

    /// Moves all points to a folder. Points that are added later go to this folder, too. If this fails, the build
    /// cannot succeed.
    package func move(to folder: ScratchFolder) throws(PieceError) {
      guard let kept else { preconditionFailure("The points of this build are already in a folder") }
      do throws(PieceError) {
        var files = try ScratchInput(in: folder, options.projection)
        for range in kept.coordinates.indices.blocks(of: Self.blockSize) {
          let coordinates = Array(kept.coordinates[range])
          try files.append(coordinates, try survey(coordinates), [], [], [])
        }
        try files.append([], [], kept.skippedRows, kept.givenRows, kept.groups)
        for batch in kept.batches { try files.values.append(batch, pointCount: batch.first?.count ?? 0) }
        self.files = files
      } catch {
        writingFailure = error
        throw error
      }
      (scratch, self.kept) = (folder, nil)
    }

    /// Number of the point with the first unsuitable value so far, and the error for this value; nil if there is no
    /// such value. An unsuitable value does not suit the declared kind of its column.
    package var firstUnsuitableValue: (point: Int, error: ColumnError)? {
      firstProblem.map { ($0.value.point, $0.value.error(column: $0.column)) }
    }

    /// The unsuitable value of the first point so far, and its column.
    var firstProblem: (column: String, value: UnsuitableValue)? {
      surveys.compactMap { survey in survey.problem.map { (survey.name, $0) } }.min { $0.1.point < $1.1.point }
    }

    /// Returns the positions of points on Web Mercator. For plain x and y, returns no positions, because their plane is
    /// known only once all points are read.
    private func survey(_ coordinates: [Coordinate]) throws(PieceError) -> [PlanePoint] {
      try coordinates.withUnsafeBufferPointer { coordinates throws(PieceError) in
        guard projection == .webMercator else {
          try state.survey.add(coordinates, firstRow: pointCount)
          return []
        }
        var failure: PieceError?
        let points = [PlanePoint](unsafeUninitializedCapacity: coordinates.count) { points, count in
          do throws(PieceError) {
            try state.survey.add(
              coordinates, firstRow: pointCount, threads: options.threads, projectedTo: points)
            count = coordinates.count
          } catch { failure = error }
        }
        if let failure { throw failure }
        return points
      }
    }

    private func checkColumns() throws(PieceError) {
      let most = IndexSection.Kind.mostOfColumns
      let found = options.columns.reduce(0) { $0 + 1 + $1.preparations.count }
      guard found <= most else { throw .writing(.tooManyAttributes(found: found, maximum: most)) }
      for column in options.columns {
        guard case .typed(let kind) = column.purpose else { continue }
        do throws(ColumnError) { try kind.check(column.preparations, ofColumn: column.name) } catch {
          throw .column(error)
        }
      }
    }

    /// Finishes the reading of the input. All points must have been added.
    ///
    /// - Parameters:
    ///   - checksum: Checksum of the input's bytes.
    ///   - columns: The number and name of each column, in the order of the index; nil to keep the order and the names
    ///     in `Options.columns`.
    package func finishReading(checksum: UInt64, columns: [(column: Int, name: String)]? = nil) throws(PieceError) {
      if let writingFailure { throw writingFailure }
      if pointCount == 0 { try checkColumns() }
      if options.isGrouped { state.groups = ScratchGroups(tally) }
      if let files { state.files = try files.finish() }
      files = nil
      state.checksum = checksum
      try checkRows()
      try encodeColumns(arranged: columns ?? surveys.enumerated().map { ($0, $1.name) })
      if let scratch {
        try saveColumns()
        try state.save(in: scratch)
      }
    }

    // MARK: - Building

    /// For each column, the number of values that are not stored exactly. The numbers are known once the index is
    /// built.
    package var inexactCounts: [Int] { state.inexactCounts }

    /// Builds the index of all points that were added.
    package func finish(to destination: IndexDestination) throws(PieceError) {
      if let kept { return try finish(kept, to: destination) }
      clippedPointCount = state.survey.clippedPointCount
      try project()
      let merged = options.isMerged ? try merge() : nil
      let plan = if let merged { merged.plan } else { try plan() }
      if merged != nil || !state.isPartitioned { try partition(plan, merged) }
      let pieces = try buildPieces(of: plan)
      try checkCancelled()
      var assembly = IndexAssembly(of: plan, state.survey, columns: columns, description: options.description)
      assembly.merged = merged
      assembly.groups = state.groups?.header
      assembly.preparations = preparations
      assembly.workspace = ScratchMatrix.Workspace(
        folder: folder, memory: options.memory - options.reserve, monitor: monitor,
        progress: { [progress] in progress(.encoding, $0, $1) })
      try assembly
        .writeIndex(to: destination, piecesFrom: pieces) { [progress, monitor] written, total in
          progress(.writing, Int(written), Int(total))
          return !monitor.isCancelled
        }
    }

    func checkCancelled() throws(PieceError) { if monitor.isCancelled { throw .cancelled } }

    /// Replaces plain coordinates by positions. All points have been read, so the plane is known.
    private func project() throws(PieceError) {
      let name = ScratchFolder.Name.coordinates.rawValue
      guard options.projection == .planar, !state.isPartitioned, state.files.contains(where: { $0.name == name })
      else { return }
      let projected = try projected()
      state.files = state.files.filter { $0.name != name } + [projected]
      try state.save(in: folder)
      folder.remove(.coordinates)
    }

    private func projected() throws(PieceError) -> FileChecksum {
      var positions = try AppendedFile(.positions, in: folder)
      let coordinates = try folder.file(.coordinates)
      let plane = state.survey.plane
      var block = [Coordinate](repeating: Coordinate(x: 0, y: 0), count: min(pointCount, Self.blockSize))
      for range in (0..<pointCount).blocks(of: Self.blockSize) {
        try checkCancelled()
        try block.withUnsafeMutableBufferPointer { block throws(PieceError) in
          try coordinates.read(UnsafeMutableBufferPointer(rebasing: block[..<range.count]), at: range.lowerBound)
        }
        onProjection(plane, block[..<range.count])
        let points = block[..<range.count].map { plane.point(at: $0) }
        try positions.append(points)
        progress(.projecting, range.upperBound, pointCount)
      }
      return try positions.finish()
    }

    /// Number of points that are read at once.
    static let blockSize = 1 << 17
  }
#endif

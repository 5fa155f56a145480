import Foundation
@_spi(Server) import Treeline
import TreelineBuilder
@_spi(Server) import TreelineFormats

/// The build of an index from an input. If the points need more memory than allowed, the index is built in pieces, in
/// a scratch folder.
final class InputBuild {
  private let input: Input
  private let output: String
  private let memory: MemoryOptions
  private let limit: ByteCount
  private let plan: Plan
  private let obstacle: (reason: String, remedy: String)?
  private let progress: ProgressBar
  private var folder: ScratchFolder?
  /// The build; nil until the first batch is read.
  private var build: IndexBuild?
  private var columns: BuildColumns?
  private var groups: BuildGroups?
  /// The lines of the points of each batch, and the number of the first of these points. Empty without columns, and
  /// after the points have moved to the scratch folder, because the lines of some inputs take much memory.
  private var lines: [(firstPoint: Int, lines: RecordLines)] = []
  /// Summary of the input; nil if an earlier process read the input.
  private var summary: InputSummary?
  /// Checksum of the input.
  private var checksum: UInt64 = 0
  private let start = ContinuousClock.now

  /// The options of the index to build.
  struct Plan {
    let options: BuildOptions
    let description: IndexDescription
    let columns: ColumnOptionValues
    let groups: GroupColumns
  }

  init(of input: Input, to output: String, _ memory: MemoryOptions, _ plan: Plan, _ progress: ProgressBar) {
    (self.input, self.output, self.memory, self.progress) = (input, output, memory, progress)
    (self.plan, obstacle) = (plan, Self.obstacle(to: plan))
    // The default is 60 % of the free memory. A build that cannot run in pieces may use all free memory, because
    // otherwise it would be refused although it might fit. Some systems do not report their free memory.
    let free = ByteCount.free?.count ?? 1 << 60
    limit = memory.memory ?? ByteCount(obstacle == nil ? free / 10 * 6 : free)
  }

  /// Returns the reason why the build cannot run in pieces, and a remedy. The remedy names an option with which the
  /// build could run in pieces. Returns nil if the build can run in pieces.
  private static func obstacle(to plan: Plan) -> (reason: String, remedy: String)? {
    let growth = plan.options.growth
    guard let reason = IndexBuild.obstacle(to: growth) else { return nil }
    return (
      reason, growth.mergeMetric == nil ? "use '--split mean' or '--split least-scatter'" : "use '--for limit'"
    )
  }

  // MARK: - Reading

  /// Whether the coordinates are x and y without a map projection. All points must have been read.
  var isPlanar: Bool { build?.projection == .planar }

  /// Continues a killed build if the option `--resume` is given. Otherwise removes the files of a killed build.
  ///
  /// - Returns: Whether all points have already been read.
  func resume() throws -> Bool {
    let path = scratchPath
    guard FileManager.default.fileExists(atPath: path) else { return false }
    guard memory.resume, obstacle == nil else {
      try? ScratchFolder(path, keepsFiles: false).remove()
      return false
    }
    let folder = try ScratchFolder(path, keepsFiles: true)
    self.folder = folder
    build = try IndexBuild(
      resuming: identity, in: folder, options(.webMercator),
      checksum: { try PointReader.checksum(ofFile: input.path) },
      onDamage: { error in
        guard case .damaged(let what, let expected, let found) = error else { return }
        Notes.print("treelinemap: \(what): expected \(expected), found \(found); starting the build again")
      })
    if let build {
      Notes.print("treelinemap: continuing the earlier build, which read \(build.pointCount) points")
      return true
    }
    return false
  }

  /// Reads all points.
  ///
  /// - Returns: a table that has no points, but their number and facts for messages.
  func read() throws -> PointTable {
    let batches = PointBatches(memory: limit.count, bytesPerPoint: options(.webMercator).bytesPerPoint) {
      [unowned self] batch in try append(batch)
    }
    let check = ColumnCheck { [plan, input] table in
      _ = try BuildColumns(plan.columns, of: table, areAll: true, in: input)
      try plan.groups.refuseColumns(of: table, in: input)
    }
    let rest = try PointTable(
      input, keepsColumns: keepsColumns, progress, PointReceivers(batches: batches, check: keepsColumns ? check : nil))
    (summary, checksum) = (InputSummary(of: rest, in: input), batches.checksum.finalize())
    return rest
  }

  private func append(_ batch: PointBatch) throws {
    let build = try self.build ?? start(batch)
    let table = batch.table
    if keepsColumns, build.isInMemory { lines.append((build.pointCount, table.lines)) }
    columns?.note(table)
    var skippedRows = batch.skippedRows
    let blocks = Array(table.coordinates.indices.chunks(of: blockSize(ofPoints: table.coordinates.count)))
    var values = [[ColumnValues]]()[...]
    for (number, points) in blocks.enumerated() {
      let first = build.pointCount
      if let columns, values.isEmpty {
        values = columns.values(blocks[number...].prefix(threads), of: table)[...]
      }
      do {
        let rows = try columns?.rows(points, of: table) ?? []
        let groups = try groups?.groups(points, of: batch) ?? []
        try namingInput {
          try build.append(
            points == table.coordinates.indices ? table.coordinates : Array(table.coordinates[points]),
            skippedRows: skippedRows, givenRows: rows, groups: groups, values: values.popFirst() ?? [])
        }
      } catch let failure as Failure {
        throw columns?.typed.firstFailure(
          instead: failure, points, of: table, in: input, row: plan.columns.row, plan.groups) ?? failure
      }
      skippedRows = []
      if let (point, error) = build.firstUnsuitableValue {
        let line = table.line(ofPoint: points.lowerBound + point - first)
        throw input.refusal(of: error, line: line, areCells: table.cells != nil)
      }
      if build.exceedsMemory { try moveToFolder(build, batch) }
    }
    groups?.note(batch)
  }

  private var keepsColumns: Bool { !plan.columns.isEmpty || !plan.groups.isEmpty }

  /// Returns the number of points that are added together. If columns are kept, the blocks of a batch are about equal,
  /// so that all threads have the same work.
  private func blockSize(ofPoints count: Int) -> Int {
    guard keepsColumns else { return .max }
    let rounds = (count - 1) / (Self.blockSize * threads) + 1
    return max((count - 1) / (rounds * threads) + 1, Self.leastBlockSize)
  }

  /// Number of threads that read columns. Their values are in memory before the build counts them, so the number is
  /// limited.
  private var threads: Int { min(plan.options.threads, processorCount, 16) }

  /// Greatest number of points whose columns are read together. The number is small, so that the distinct values of
  /// these points stay in the processor's cache.
  private static let blockSize = 1 << 16
  private static let leastBlockSize = 1 << 14

  private func refuseObstacle() throws {
    if let obstacle {
      throw Failure.usage(
        "\(input.name): the points need more than \(limit) of memory, "
          + "and a tree \(plan.options.growth.phrase) cannot be built in pieces, because \(obstacle.reason); "
          + "\(obstacle.remedy) "
          + "or allow more memory with --memory")
    }
  }

  /// Starts the build of the points in memory.
  ///
  /// - Parameter batch: The first batch.
  private func start(_ batch: PointBatch) throws -> IndexBuild {
    columns = try BuildColumns(plan.columns, of: batch.table, areAll: batch.isAll, in: input)
    groups = try BuildGroups(plan.groups, of: batch.table, areAll: batch.isAll, in: input)
    let build = IndexBuild(identity: identity, options(batch.isPlanar ? .planar : .webMercator))
    self.build = build
    showProgress()
    return build
  }

  private func moveToFolder(_ build: IndexBuild, _ batch: PointBatch) throws {
    try refuseObstacle()
    let folder = try self.folder ?? ScratchFolder(scratchPath, keepsFiles: false)
    self.folder = folder
    if !memory.resume { for path in ScratchFolder.allPaths(in: folder.path).reversed() { Interruption.removes(path) } }
    try build.move(to: folder)
    lines = []
    announce(batch)
  }

  private func showProgress() {
    build?.progress = { [progress, unowned self] stage, done, total in
      switch stage {
      case .planning:
        let passCount = build.map { IndexBuild.passCount(ofPoints: $0.pointCount, $0.options) } ?? done
        progress.show(stage.verb, pass: done, ofAbout: passCount)
      case .writing: progress.show(stage.verb, done: Double(done), of: Double(total), unit: "B")
      default: progress.show(stage.verb, done: Double(done), of: Double(total), unit: "points")
      }
    }
  }

  private var scratchPath: String { ScratchFolder.path(forIndex: output, in: memory.scratch) }

  private func options(_ projection: Plane.Projection) -> IndexBuild.Options {
    var options = IndexBuild.Options(plan.options, memory: limit.count, projection: projection)
    options.description = plan.description
    options.columns = columns?.columns ?? []
    options.hasGivenRows = plan.columns.row != nil
    options.isGrouped = !plan.groups.isEmpty
    return options
  }

  /// Identity of a build. A later build can continue with the points of this build only if both builds have equal
  /// identities.
  private var identity: String {
    let path = URL(fileURLWithPath: input.path).standardizedFileURL.path
    let columns = plan.columns
    return "\(path) \(input.columns.choice) \(input.columns.decimal) \(input.columns.skipInvalid) "
      + "\(plan.options.growth) \(plan.options.anchor) \(plan.options.badgeCurve) \(columns.attributes) \(columns.columns) \(columns.search) \(columns.row?.name ?? "") "
      + "\([plan.groups.groupBy, plan.groups.neverCluster])"
  }

  // MARK: - Building

  /// Runs `work`. If `work` throws an error about bad data, adds the name of the input to the error.
  private func namingInput(_ work: () throws -> Void) throws {
    do { try work() } catch let error as PieceError {
      switch error {
      case .invalid(.tooManyGroups): throw Failure.usage("\(input.name): --group-by: \(error)")
      case .rowTwice(let row):
        throw plan.columns.row?.refusal(ofTwice: row, lines: lines(ofRow: row), in: input) ?? error
      case .column(let error):
        throw input.refusal(of: error, line: error.row.flatMap { lines(ofRow: $0).first })
      case .invalid, .rowOutOfRange: throw Failure.badData("\(input.name): \(error)")
      case .unsupported: throw Failure.usage("\(input.name): \(error)")
      default: throw error
      }
    }
  }

  /// Returns the lines of the points with a row number; empty if the lines are unknown.
  private func lines(ofRow row: Int) -> [Int] {
    let points = lines.isEmpty ? [] : build?.points(ofRow: row) ?? []
    return points.compactMap { point in
      lines.last { $0.firstPoint <= point }.map { $0.lines.line(ofRecord: point - $0.firstPoint) }
    }
  }

  /// Minimum number of bytes that must be read before a forecast. Buffered bytes that are not parsed yet are counted,
  /// too. Above this minimum, the buffered bytes hardly change the estimate.
  private static let leastForecastSize = 1 << 22

  /// Reports that the build runs in pieces. Also reports the cost of the build, which is estimated from the points
  /// read so far.
  private func announce(_ batch: PointBatch) {
    guard let folder, let build else { return }
    var text = ""
    if let forecast = forecast(build, batch) {
      let points = Quantity(amount: Double(build.pointCount), unit: "points")
      text = "; estimated from the first \(points): \(forecast)"
      if let free = folder.freeSpace, free < forecast.scratch { text += "; only \(ByteCount(free)) are free" }
    }
    progress.clear()
    Notes.print(
      "treelinemap: the points need more than \(limit) of memory, so the index is built in pieces in "
        + "\(folder.path)\(text)")
  }

  private func forecast(_ build: IndexBuild, _ batch: PointBatch) -> BuildForecast? {
    guard input.path != "-", batch.byteCount >= Self.leastForecastSize,
      let size = try? FileManager.default.attributesOfItem(atPath: input.path)[.size] as? Int
    else { return nil }
    let share = max(Double(size) / Double(batch.byteCount), 1)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return BuildForecast(
      pointCount: Int(Double(build.pointCount) * share), readingSeconds: seconds * share, build.options,
      recordLength: recordLength(of: batch.table))
  }

  /// Returns the mean size of a point's columns and row number in the scratch folder, in bytes. The mean is taken over
  /// some of the points of a batch.
  private func recordLength(of table: PointTable) -> Int {
    let some = 0..<min(table.coordinates.count, blockSize(ofPoints: table.coordinates.count))
    let length = (columns?.values(some, of: table) ?? []).reduce(0) { $0 + $1.bytes.count }
    return length / max(some.count, 1) + (plan.columns.row == nil ? 0 : 8)
  }

  /// Builds the index from the points, and writes it.
  func finish(to destination: IndexDestination) throws {
    guard let build else { preconditionFailure("All points must have been read") }
    if summary != nil { try finishReading(build) }
    if let missing = build.missingSpace(for: destination) {
      throw Failure.inputOutput(
        "\(missing.path): expected \(ByteCount(missing.expected)) of free space for a build in pieces, found "
          + "\(ByteCount(missing.free)); free some space or choose another folder"
          + (missing.isForScratch ? " with --scratch" : "")
      )
    }
    showProgress()
    var coarsePlane: Plane?
    build.onProjection = { plane, coordinates in
      if coarsePlane == nil, plane.isCoarse(for: coordinates) { coarsePlane = plane }
    }
    try namingInput { try build.finish(to: destination) }
    progress.clear()
    if let coarsePlane { Notes.reportCoarsePositions(on: coarsePlane) }
    Notes.reportClippedPoints(build.clippedPointCount)
    ColumnReport.print(
      zip(build.columns, build.inexactCounts).filter { !$0.0.isAttribute }.map {
        ColumnReport(column: $0.0, inexactCount: $0.1)
      }, summary)
    folder?.remove()
    folder = nil
  }

  /// Ends the reading. If the points are in the scratch folder, reports the cost of the rest of the build.
  private func finishReading(_ build: IndexBuild) throws {
    let arranged = try columns?.arranged()
    try groups?.finish(isEmpty: build.pointCount == 0)
    try namingInput { try build.finishReading(checksum: checksum, columns: arranged) }
    lines = []
    if build.isInMemory { return }
    let space = build.space
    let seconds = BuildForecast.buildingSeconds(ofPoints: build.pointCount, build.options)
    Notes.print(
      "treelinemap: \(Quantity(amount: Double(build.pointCount), unit: "points")) take up to \(ByteCount(space.scratch)) in "
        + "the scratch folder and \(ByteCount(space.index)) for the index; time left: \(BuildForecast.time(seconds))")
  }

  /// Removes the scratch folder, unless a later build may continue from it.
  func cleanUp() {
    if !memory.resume || build?.isInMemory ?? true { folder?.remove() }
  }
}

extension IndexBuild.Stage {
  fileprivate var verb: String {
    switch self {
    case .encoding: "Encoding columns"
    case .projecting: "Projecting"
    case .merging: "Merging"
    case .planning: "Planning"
    case .partitioning: "Partitioning"
    case .building: "Building"
    case .writing: "Writing"
    }
  }
}

extension Range<Int> {
  /// Splits the range into parts of the given size, in order. The last part may be shorter. An empty range is one part.
  fileprivate func chunks(of size: Int) -> [Range<Int>] {
    if isEmpty { return [self] }
    return stride(from: lowerBound, to: upperBound, by: Swift.min(size, Swift.max(count, 1))).map {
      $0..<$0 + Swift.min(size, upperBound - $0)
    }
  }
}

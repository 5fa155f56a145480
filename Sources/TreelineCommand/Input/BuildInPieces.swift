import Foundation
@_spi(Server) import Treeline
import TreelineBuilder
@_spi(Server) import TreelineFormats

/// A build that is continued in pieces, in a scratch folder, if the points need more memory than allowed.
final class BuildInPieces {
  private let input: Input
  private let output: String
  private let memory: MemoryOptions
  private let limit: ByteCount
  private let plan: Plan
  private let obstacle: (reason: String, remedy: String)?
  private let progress: ProgressBar
  private var folder: ScratchFolder?
  /// The build in pieces; nil while all points are in memory.
  private(set) var build: ScratchBuild?
  private var columns: ColumnsInPieces?
  private var groups: GroupsInPieces?
  private var reading: PointBatches?
  private let start = ContinuousClock.now

  /// The options of the index to build.
  struct Plan {
    let options: BuildOptions
    let description: IndexDescription
    let columns: ColumnOptionValues
    let groups: GroupColumns
  }

  /// Memory that a build without pieces takes, in bytes per point, rounded up. Coordinates and results are included.
  /// The second value is for builds that merge clusters.
  private static let (bytesPerPoint, bytesWithMore) = (72, 240)

  /// - Returns: nil if no memory limit was set and the system does not report the free memory.
  init?(of input: Input, to output: String, _ memory: MemoryOptions, _ plan: Plan, _ progress: ProgressBar) {
    guard let free = memory.memory ?? ByteCount.free else { return nil }
    (self.input, self.output, self.memory, self.progress) = (input, output, memory, progress)
    (self.plan, obstacle) = (plan, Self.obstacle(to: plan))
    // The default is 60 % of the free memory. A build that cannot run in pieces may use all free memory, because
    // otherwise it would be refused although it might fit.
    limit = memory.memory ?? ByteCount(obstacle == nil ? free.count / 10 * 6 : free.count)
  }

  /// Receives batches of the points. If all points fit into memory, there are no batches.
  var batches: PointBatches {
    let options = plan.options
    let perPoint =
      options.growth.splitRule == nil ? Self.bytesWithMore : Self.bytesPerPoint
    let batches = PointBatches(memory: limit.count, bytesPerPoint: perPoint) { [unowned self] in try self.take($0) }
    reading = batches
    return batches
  }

  /// Returns the reason why the build cannot run in pieces, and a remedy. The remedy names an option with which the
  /// build could run in pieces. Returns nil if the build can run in pieces.
  private static func obstacle(to plan: Plan) -> (reason: String, remedy: String)? {
    let growth = plan.options.growth
    guard let reason = ScratchBuild.obstacle(to: growth) else { return nil }
    return (
      reason, growth.mergeMetric == nil ? "use '--split mean' or '--split least-scatter'" : "use '--for limit'"
    )
  }

  // MARK: - Reading

  /// Whether the coordinates are x and y without a map projection; nil before the build in pieces begins.
  var isPlanar: Bool? { build.map { $0.projection == .planar } }

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
    build = try ScratchBuild(
      resuming: identity, in: folder, scratchOptions(.webMercator),
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

  private func take(_ batch: PointBatch) throws {
    let table = batch.table
    if build == nil {
      try refuseObstacle()
      columns = try ColumnsInPieces(plan.columns, of: table, in: input)
      groups = try GroupsInPieces(plan.groups, of: table, in: input)
      try start(isPlanar: batch.isPlanar)
      announce(first: table)
    }
    columns?.note(table)
    var skippedRows = batch.skippedRows
    for points in table.coordinates.indices.chunks(of: keepsColumns ? Self.blockSize : .max) {
      let first = build?.pointCount ?? 0
      do {
        let rows = try columns?.rows(points, of: table) ?? []
        let groups = try groups?.groups(points, of: batch) ?? []
        try namingInput {
          try build?.append(
            Array(table.coordinates[points]), skippedRows: skippedRows, givenRows: rows,
            groups: groups, values: columns?.values(points, of: table) ?? [])
        }
      } catch let failure as Failure {
        throw columns?.typed.firstFailure(
          instead: failure, points, of: table, in: input, row: plan.columns.row, plan.groups) ?? failure
      }
      skippedRows = []
      if let (point, error) = build?.firstUnsuitableValue {
        throw input.refusal(of: error, line: table.line(ofPoint: points.lowerBound + point - first), in: table)
      }
    }
    groups?.note(batch)
    if table.coordinates.isEmpty {
      try build?.append([], skippedRows: skippedRows, values: columns?.values(0..<0, of: table) ?? [])
    }
  }

  private var keepsColumns: Bool { !plan.columns.isEmpty || !plan.groups.isEmpty }

  /// Number of points whose columns are read together. The number is small, so that the distinct values of these
  /// points stay in the processor's cache.
  private static let blockSize = 1 << 16

  private func refuseObstacle() throws {
    if let obstacle {
      throw Failure.usage(
        "\(input.name): the points need more than \(limit) of memory, "
          + "and a tree \(plan.options.growth.phrase) cannot be built in pieces, because \(obstacle.reason); "
          + "\(obstacle.remedy) "
          + "or allow more memory with --memory")
    }
  }

  private func start(isPlanar: Bool) throws {
    let folder = try self.folder ?? ScratchFolder(scratchPath, keepsFiles: false)
    self.folder = folder
    if !memory.resume { for path in ScratchFolder.allPaths(in: folder.path) { Interruption.removes(path) } }
    build = ScratchBuild(in: folder, identity: identity, scratchOptions(isPlanar ? .planar : .webMercator))
    showProgress()
  }

  private func showProgress() {
    build?.progress = { [progress, unowned self] stage, done, total in
      switch stage {
      case .planning:
        let passCount = build.map { ScratchBuild.passCount(ofPoints: $0.pointCount, $0.options) } ?? done
        progress.show(stage.verb, pass: done, ofAbout: passCount)
      case .writing: progress.show(stage.verb, done: Double(done), of: Double(total), unit: "B")
      default: progress.show(stage.verb, done: Double(done), of: Double(total), unit: "points")
      }
    }
  }

  private var scratchPath: String { ScratchFolder.path(forIndex: output, in: memory.scratch) }

  private func scratchOptions(_ projection: Plane.Projection) -> ScratchBuild.Options {
    var scratch = ScratchBuild.Options(plan.options, memory: limit.count, projection: projection)
    scratch.description = plan.description
    scratch.columns = columns?.columns ?? []
    scratch.hasGivenRows = plan.columns.row != nil
    scratch.isGrouped = !plan.groups.isEmpty
    return scratch
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
      case .rowTwice: throw plan.columns.row?.refusal(of: error, in: input) ?? .badData("\(input.name): \(error)")
      case .invalid, .column: throw Failure.badData("\(input.name): \(error)")
      case .unsupported: throw Failure.usage("\(input.name): \(error)")
      default: throw error
      }
    }
  }

  /// Minimum number of bytes that must be read before a forecast. Buffered bytes that are not parsed yet are counted,
  /// too. Above this minimum, the buffered bytes hardly change the estimate.
  private static let leastForecastSize = 1 << 22

  /// Reports that the build runs in pieces. Also reports the cost of the build, which is estimated from the points
  /// read so far.
  private func announce(first table: PointTable) {
    guard let folder else { return }
    let count = table.coordinates.count
    var text = ""
    if let forecast = forecast(first: table) {
      text = "; estimated from the first \(Quantity(amount: Double(count), unit: "points")): \(forecast)"
      if let free = folder.freeSpace, free < forecast.scratch { text += "; only \(ByteCount(free)) are free" }
    }
    progress.clear()
    Notes.print(
      "treelinemap: the points need more than \(limit) of memory, so the index is built in pieces in "
        + "\(folder.path)\(text)")
  }

  private func forecast(first table: PointTable) -> BuildForecast? {
    guard let build, let reading, input.path != "-", reading.byteCount >= Self.leastForecastSize,
      let size = try? FileManager.default.attributesOfItem(atPath: input.path)[.size] as? Int
    else { return nil }
    let share = max(Double(size) / Double(reading.byteCount), 1)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return BuildForecast(
      pointCount: Int(Double(table.coordinates.count) * share), readingSeconds: seconds * share, build.options,
      recordLength: recordLength(of: table))
  }

  /// Returns the mean size of a point's columns and row number in the scratch folder, in bytes. The mean is taken over
  /// some of the first points.
  private func recordLength(of table: PointTable) -> Int {
    let some = 0..<min(table.coordinates.count, Self.blockSize)
    let length = (columns?.values(some, of: table) ?? []).reduce(0) { $0 + $1.bytes.count }
    return length / max(some.count, 1) + (plan.columns.row == nil ? 0 : 8)
  }

  /// Ends the reading and reports the cost of the rest of the build.
  ///
  /// - Parameter checksum: Checksum of the input.
  func finishReading(checksum: UInt64) throws {
    guard let build else { return }
    let arranged = try columns?.arranged()
    try groups?.finish()
    try namingInput { try build.finishReading(checksum: checksum, columns: arranged) }
    let space = build.space
    let seconds = BuildForecast.buildingSeconds(ofPoints: build.pointCount, build.options)
    Notes.print(
      "treelinemap: \(Quantity(amount: Double(build.pointCount), unit: "points")) take up to \(ByteCount(space.scratch)) in "
        + "the scratch folder and \(ByteCount(space.index)) for the index; time left: \(BuildForecast.time(seconds))")
  }

  /// Builds the index from the points in the scratch folder, and writes it.
  ///
  /// - Parameter summary: Summary of the input; nil if an earlier process read the input.
  func finish(to destination: IndexDestination, _ summary: InputSummary?) throws {
    guard let build else { return }
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
        ColumnReport($0.0, inexactCount: $0.1)
      }, summary)
    folder?.remove()
    folder = nil
  }

  /// Removes the scratch folder, unless a later build may continue from it.
  func cleanUp() {
    if !memory.resume || build == nil { folder?.remove() }
  }
}

extension ScratchBuild.Stage {
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
  /// Splits the range into parts of the given size, in order. The last part may be shorter.
  fileprivate func chunks(of size: Int) -> [Range<Int>] {
    stride(from: lowerBound, to: upperBound, by: Swift.min(size, Swift.max(count, 1))).map {
      $0..<$0 + Swift.min(size, upperBound - $0)
    }
  }
}

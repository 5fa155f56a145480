import Foundation
import Treeline
import TreelineBuilder
@_spi(Server) import TreelineFormats

/// A build that goes on in pieces, in a scratch folder, once there are more points than fit the memory that it may
/// take.
final class BuildInPieces {
  private let input: Input
  private let output: String
  private let memory: MemoryOptions
  private let limit: ByteCount
  private let plan: Plan
  private let obstacle: (reason: String, remedy: String)?
  private let progress: ProgressBar
  private var folder: ScratchFolder?
  /// Nil as long as all points are in memory.
  private(set) var build: ScratchBuild?
  private var columns: ColumnsInPieces?
  private var groups: GroupsInPieces?
  private var reading: PointBatches?
  private let start = ContinuousClock.now

  /// What is to be built.
  struct Plan {
    let options: BuildOptions
    let description: IndexDescription
    let columns: ColumnOptionValues
    let groups: GroupColumns
  }

  /// What a build in memory takes a point, coordinates and all that comes of them, rounded up; the latter with
  /// separations or by merging.
  private static let (bytesPerPoint, bytesWithMore) = (72, 240)

  /// - Returns: nil where there is no limit that could be exceeded.
  init?(of input: Input, to output: String, _ memory: MemoryOptions, _ plan: Plan, _ progress: ProgressBar) {
    guard let free = memory.memory ?? ByteCount.free else { return nil }
    (self.input, self.output, self.memory, self.progress) = (input, output, memory, progress)
    (self.plan, obstacle) = (plan, Self.obstacle(to: plan))
    // What cannot be built in pieces may take all that there is before it is refused, unless it was told to take less.
    limit = memory.memory ?? ByteCount(obstacle == nil ? free.count / 10 * 6 : free.count)
  }

  /// Takes the points that are read once they are too many.
  var batches: PointBatches {
    let options = plan.options
    let perPoint =
      options.growth.splitRule == nil || options.computesSeparations ? Self.bytesWithMore : Self.bytesPerPoint
    let batches = PointBatches(memory: limit.count, bytesPerPoint: perPoint) { [unowned self] in try self.take($0) }
    reading = batches
    return batches
  }

  /// Why a build cannot go on in pieces, and what can.
  private static func obstacle(to plan: Plan) -> (reason: String, remedy: String)? {
    let options = plan.options
    guard let rule = options.growth.splitRule else {
      return ("which clusters are merged first is known only where all of them are at hand", "use '--grow split'")
    }
    if BuildPlan.isBeyond(rule) {
      return ("its points are weighed by what only all of them tell", "use '--split mean' or '--split least-scatter'")
    }
    return nil
  }

  // MARK: - Reading

  /// Whether points are x and y, once there is a build in pieces.
  var isPlanar: Bool? { build.map { $0.projection == .planar } }

  /// Goes on with what a killed build has left, where that was asked for, and removes it otherwise.
  ///
  /// - Returns: Whether all points have been read.
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
        Notes.print("treeline: \(what): expected \(expected), found \(found); starting the build again")
      })
    if let build {
      Notes.print("treeline: going on with the \(build.pointCount) points that were read before")
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
      let rows = try columns?.rows(points, of: table) ?? []
      let groups = try groups?.groups(points, of: batch) ?? []
      try namingInput {
        try build?.append(
          Array(table.coordinates[points]), skippedRows: skippedRows, givenRows: rows,
          groups: groups, values: columns?.values(points, of: table) ?? [])
      }
      skippedRows = []
    }
    groups?.note(batch)
    if table.coordinates.isEmpty {
      try build?.append([], skippedRows: skippedRows, values: columns?.values(0..<0, of: table) ?? [])
    }
  }

  private var keepsColumns: Bool { !plan.columns.isEmpty || !plan.groups.isEmpty }

  /// How many points' columns are looked at at once: their different values stay in the cache.
  private static let blockSize = 1 << 16

  private func refuseObstacle() throws {
    if let obstacle {
      throw Failure.usage(
        "\(input.name): expected points whose tree takes at most \(limit) of memory, found more, and a tree "
          + "\(plan.options.growth.phrase) cannot be built in pieces as asked for: \(obstacle.reason); \(obstacle.remedy) "
          + "or allow more with --memory")
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
    var scratch = ScratchBuild.Options(
      rule: plan.options.splitRule, threads: plan.options.threads, memory: limit.count, projection: projection)
    scratch.description = plan.description
    scratch.computesSeparations = plan.options.computesSeparations
    scratch.columns = columns?.columns ?? []
    scratch.hasGivenRows = plan.columns.row != nil
    scratch.isGrouped = !plan.groups.isEmpty
    return scratch
  }

  /// What another build must share to go on with this one's points.
  private var identity: String {
    let path = URL(fileURLWithPath: input.path).standardizedFileURL.path
    let columns = plan.columns
    return "\(path) \(input.columns.choice) \(input.columns.decimal) \(input.columns.skipInvalid) "
      + "\(plan.options.splitRule) \(columns.attributes) \(columns.columns) \(columns.row?.name ?? "") "
      + "\([plan.groups.groupBy, plan.groups.neverCluster])"
  }

  // MARK: - Building

  /// Tells of bad data with the input that it is in.
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

  /// How many bytes must have been read for a forecast, so that what is read ahead of the points does not matter.
  private static let leastForecastSize = 1 << 22

  /// Says that the build goes on in pieces, and what is to come, as far as the first points tell.
  private func announce(first table: PointTable) {
    guard let folder else { return }
    let count = table.coordinates.count
    var text = ""
    if let forecast = forecast(first: table) {
      text = "; by the first \(Quantity(amount: Double(count), unit: "points")), \(forecast)"
      if let free = folder.freeSpace, free < forecast.scratch { text += "; only \(ByteCount(free)) are free there" }
    }
    progress.clear()
    Notes.print(
      "treeline: the points need more than \(limit) of memory: building in pieces, in \(folder.path)\(text)")
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

  /// What a point takes of the scratch folder besides its position, as some of the first points have it.
  private func recordLength(of table: PointTable) -> Int {
    let some = 0..<min(table.coordinates.count, Self.blockSize)
    let length = (columns?.values(some, of: table) ?? []).reduce(0) { $0 + $1.bytes.count }
    return length / max(some.count, 1) + (plan.columns.row == nil ? 0 : 8)
  }

  /// Notes that all points are read, and says what is to come.
  ///
  /// - Parameter checksum: Of the input.
  func finishReading(checksum: UInt64) throws {
    guard let build else { return }
    let arranged = try columns?.arranged()
    try groups?.finish()
    try namingInput { try build.finishReading(checksum: checksum, columns: arranged) }
    let space = build.space
    let seconds = BuildForecast.buildingSeconds(ofPoints: build.pointCount, build.options)
    Notes.print(
      "treeline: \(Quantity(amount: Double(build.pointCount), unit: "points")) take up to \(ByteCount(space.scratch)) in "
        + "the scratch folder and \(ByteCount(space.index)) for the index, and \(BuildForecast.time(seconds)) from here on"
    )
  }

  /// Writes the index.
  ///
  /// - Parameter summary: What the input was like; nil if it was read before.
  func finish(to destination: IndexDestination, _ summary: InputSummary?) throws {
    guard let build else { return }
    if let missing = build.missingSpace(for: destination) {
      throw Failure.inputOutput(
        "\(missing.path): expected \(ByteCount(missing.expected)) of free space for a build in pieces, found "
          + "\(ByteCount(missing.free)); free some or choose another place\(missing.isForScratch ? " with --scratch" : "")"
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

  /// Leaves nothing behind, unless another build is to go on from there.
  func cleanUp() {
    if !memory.resume || build == nil { folder?.remove() }
  }
}

extension ScratchBuild.Stage {
  fileprivate var verb: String {
    switch self {
    case .encoding: "Encoding columns"
    case .projecting: "Projecting"
    case .planning: "Planning"
    case .partitioning: "Partitioning"
    case .building: "Building"
    case .writing: "Writing"
    case .separating: "Separating"
    }
  }
}

extension Range<Int> {
  /// Parts of the range, one behind the other, each as long but the last.
  fileprivate func chunks(of size: Int) -> [Range<Int>] {
    stride(from: lowerBound, to: upperBound, by: Swift.min(size, Swift.max(count, 1))).map {
      $0..<$0 + Swift.min(size, upperBound - $0)
    }
  }
}

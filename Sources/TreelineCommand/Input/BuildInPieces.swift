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
  private let options: BuildOptions
  private let obstacle: (reason: String, remedy: String)?
  private let description: IndexDescription
  private let progress: ProgressBar
  private var folder: ScratchFolder?
  /// Nil as long as all points are in memory.
  private(set) var build: ScratchBuild?

  /// What a build in memory takes a point: coordinates and all that comes of them, rounded up.
  private static let (bytesPerPoint, bytesWithSeparations, bytesMerging) = (72, 240, 320)

  /// - Parameter keepsColumns: Whether the index is to have more than positions.
  /// - Returns: nil where there is no limit that could be exceeded.
  init?(
    of input: Input, to output: String, _ memory: MemoryOptions,
    _ plan: (BuildOptions, IndexDescription, keepsColumns: Bool),
    _ progress: ProgressBar
  ) {
    guard let free = memory.memory ?? ByteCount.free else { return nil }
    (self.input, self.output, self.memory, self.progress) = (input, output, memory, progress)
    (options, description, obstacle) = (plan.0, plan.1, Self.obstacle(to: plan.0, keepsColumns: plan.keepsColumns))
    // What cannot be built in pieces may take all that there is before it is refused, unless it was told to take less.
    limit = memory.memory ?? ByteCount(obstacle == nil ? free.count / 10 * 6 : free.count)
  }

  /// Takes the points that are read once they are too many.
  var batches: PointBatches {
    let perPoint =
      options.growth.splitRule == nil
      ? Self.bytesMerging : options.computesSeparations ? Self.bytesWithSeparations : Self.bytesPerPoint
    return PointBatches(firstSize: limit.count / perPoint) { [unowned self] in try self.take($0) }
  }

  /// Why a build cannot go on in pieces, and what can.
  private static func obstacle(to options: BuildOptions, keepsColumns: Bool) -> (reason: String, remedy: String)? {
    guard let rule = options.growth.splitRule else {
      return ("which clusters are merged first is known only where all of them are at hand", "use '--grow split'")
    }
    if BuildPlan.isBeyond(rule) {
      return ("its points are weighed by what only all of them tell", "use '--split mean' or '--split least-scatter'")
    }
    return keepsColumns
      ? ("columns are encoded where all their values are at hand", "leave out columns, attributes and groups") : nil
  }

  // MARK: - Reading

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
    guard input.path != "-" else {
      throw Failure.usage("'--resume' needs a file to compare with what was read, found standard input")
    }
    let folder = try ScratchFolder(path, keepsFiles: true)
    self.folder = folder
    build = try ScratchBuild(
      resuming: identity, in: folder, scratchOptions(.webMercator),
      checksum: { try PointReader.checksum(ofFile: input.path) })
    if let build {
      Notes.print("treeline: going on with the \(build.pointCount) points that were read before")
      return true
    }
    return false
  }

  private func take(_ batch: PointBatch) throws {
    if build == nil { try start(isPlanar: batch.isPlanar) }
    try build?.append(batch.coordinates, skippedRows: batch.skippedRows)
  }

  private func start(isPlanar: Bool) throws {
    if let obstacle {
      throw Failure.usage(
        "\(input.name): expected points whose tree takes at most \(limit) of memory, found more, and a tree "
          + "\(options.growth.phrase) cannot be built in pieces as asked for: \(obstacle.reason); \(obstacle.remedy) "
          + "or allow more with --memory")
    }
    let folder = try self.folder ?? ScratchFolder(scratchPath, keepsFiles: false)
    self.folder = folder
    if !memory.resume { for path in ScratchFolder.allPaths(in: folder.path) { Interruption.removes(path) } }
    build = ScratchBuild(in: folder, identity: identity, scratchOptions(isPlanar ? .planar : .webMercator))
  }

  private var scratchPath: String { ScratchFolder.path(forIndex: output, in: memory.scratch) }

  private func scratchOptions(_ projection: Plane.Projection) -> ScratchBuild.Options {
    var scratch = ScratchBuild.Options(
      rule: options.splitRule, threads: options.threads, memory: limit.count, projection: projection)
    scratch.description = description
    scratch.computesSeparations = options.computesSeparations
    return scratch
  }

  /// What another build must share to go on with this one's points.
  private var identity: String {
    let path = URL(fileURLWithPath: input.path).standardizedFileURL.path
    return "\(path) \(input.columns.choice) \(input.columns.decimal) \(input.columns.skipInvalid) \(options.splitRule)"
  }

  // MARK: - Building

  /// Notes that all points are read, and says what is to come.
  ///
  /// - Parameter checksum: Of the input.
  func finishReading(checksum: UInt64) throws {
    guard let build, let folder else { return }
    try build.finishReading(checksum: checksum)
    let (scratch, index) = build.space
    let points = Quantity(amount: Double(build.pointCount), unit: "points")
    Notes.print(
      "treeline: \(points) need more than \(limit) of memory: building in pieces, with up to \(ByteCount(scratch)) in "
        + "\(folder.path) and \(ByteCount(index)) for the index")
    // Some of it is there already.
    let missing = scratch - 8 * build.pointCount
    if let free = folder.freeSpace, free < missing {
      throw Failure.inputOutput(
        "\(folder.path): expected \(ByteCount(missing)) of free space for a build in pieces, found \(ByteCount(free)); "
          + "free some or choose another place with --scratch")
    }
  }

  /// Writes the index.
  func finish(to destination: IndexDestination) throws {
    guard let build else { return }
    build.progress = { [progress] stage, done, total in
      switch stage {
      case .planning: progress.show("Planning, pass", done: Double(done), of: nil, unit: "")
      case .writing: progress.show(stage.verb, done: Double(done), of: Double(total), unit: "B")
      default: progress.show(stage.verb, done: Double(done), of: Double(total), unit: "points")
      }
    }
    try build.finish(to: destination)
    progress.clear()
    Notes.reportClippedPoints(build.clippedPointCount)
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
    case .projecting: "Projecting"
    case .planning: "Planning"
    case .partitioning: "Partitioning"
    case .building: "Building"
    case .writing: "Writing"
    case .separating: "Separating"
    }
  }
}

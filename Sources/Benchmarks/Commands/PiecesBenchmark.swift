import ArgumentParser
import Dispatch
import Foundation
import Treeline
import TreelineBuilder

/// Measures how long it takes to generate points and to build their index, either in pieces or in memory. Nothing
/// else runs in the process.
struct PiecesBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pieces",
    abstract: "Times a build of generated points, in pieces or in memory, and measures its peak memory.")

  @Argument(help: "The points, such as clustered:100000000.") var points: PointFile

  @OptionGroup var grown: GrowthArguments

  @Option(help: "Number of threads.") var threads = 2

  @Option(help: "Memory limit in bytes; without it the build runs in memory.") var memory: Int?

  @Option(help: "The folder for scratch files and the index.") var folder: String

  @Flag(help: "Keep the index.") var keep = false

  func run() throws {
    let path = folder + "/\(memory == nil ? "whole" : "pieces").treeline"
    defer { if !keep { try? FileManager.default.removeItem(atPath: path) } }
    var stages: [String: Double] = [:]
    var (passCount, pieceCount, pointCount, planningReads) = (0, 1, 0, 0)
    let destination = try IndexDestination(path, overwriting: true)
    let options = BuildOptions(growth: grown.growth, threads: threads)
    let time = try seconds {
      guard let memory else {
        var coordinates: [Coordinate] = []
        stages["reading"] = try seconds { coordinates = try points.read() }
        pointCount = coordinates.count
        var tree: ClusterTree!
        stages["building"] = try seconds { tree = try ClusterTree(coordinates, options: options) }
        stages["writing"] = try seconds { try tree.write(to: destination) }
        return
      }
      let scratch = try ScratchFolder(ScratchFolder.path(forIndex: path, in: folder), keepsFiles: false)
      defer { scratch.remove() }
      let build = try IndexBuild(
        in: scratch, identity: points.name, IndexBuild.Options(options, memory: memory, projection: .webMercator))
      stages["reading"] = try seconds {
        try points.forEachBatch { try build.append($0, skippedRows: []) }
        try build.finishReading(checksum: 0)
      }
      var (stage, start) = (IndexBuild.Stage.projecting, ContinuousClock.now)
      build.progress = { next, done, _ in
        if next == .planning { passCount = done }
        if next == stage { return }
        stages[stage.rawValue, default: 0] += (ContinuousClock.now - start) / .seconds(1)
        (stage, start) = (next, ContinuousClock.now)
      }
      try build.finish(to: destination)
      stages[stage.rawValue, default: 0] += (ContinuousClock.now - start) / .seconds(1)
      (pieceCount, pointCount, planningReads) = (build.pieceCount ?? 0, build.pointCount, build.planningReads)
    }
    try printJSON([
      "points": pointCount, "threads": threads, "seconds": time, "stages": stages, "passes": passCount,
      "planningReads": planningReads,
      "pieces": pieceCount, "residentPeak": ResidentMemory.peak, "indexBytes": try fileSize(path),
      "contentHash": String(try IndexHeader(ofIndex: path).contentHash, radix: 16),
    ])
  }
}

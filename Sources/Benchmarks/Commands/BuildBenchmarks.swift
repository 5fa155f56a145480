import ArgumentParser
import Dispatch
import Foundation
import PointSets
import Treeline
import TreelineBuilder

/// Times builds of a tree from coordinates in memory. A build ends when its tree can answer queries.
struct BuildBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "build", abstract: "Times builds.")

  @OptionGroup var build: BuildArguments

  @OptionGroup var timing: TimedRuns

  func run() throws {
    let coordinates = try build.points.read()
    let (times, tree) = try timing.measure { try ClusterTree(coordinates, options: build.options) }
    require(tree.pointCount == coordinates.count, "a tree of \(tree.pointCount) points, not \(coordinates.count)")
    let shape = try tree.shape()
    try printJSON([
      "points": tree.pointCount, "threads": build.threads, "seconds": times, "positions": shape.positionCount,
      "depth": shape.depth, "contentHash": String(tree.contentHash, radix: 16),
    ])
  }
}

/// The points of a benchmark, and the options with which their tree is built.
struct BuildArguments: ParsableArguments {
  @Argument(help: "The points.") var points: PointFile

  @Option(help: "Number of threads.") var threads = 2

  @OptionGroup var grown: GrowthArguments

  var options: BuildOptions { BuildOptions(growth: grown.growth, threads: threads) }
}

struct GrowthArguments: ParsableArguments {
  @Option(help: "Where nodes are split.") var split = SplitRule.standard

  @Option(help: "Grow the tree by merging, with this metric.") var merge: MergeMetric?

  var growth: Growth { merge.map(Growth.merging) ?? .splitting(split) }
}

extension SplitRule: ExpressibleByArgument {}
extension MergeMetric: ExpressibleByArgument {}

/// Measures the memory of one build, and the size of its index. Nothing else runs in the process of this command.
struct MemoryBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "memory", abstract: "Measures the memory of one build and the size of its index.")

  @OptionGroup var build: BuildArguments

  @Option(help: "Where to write the index, which is removed afterwards.") var index: String

  func run() throws {
    let coordinates = try build.points.read()
    let before = ResidentMemory.now
    var tree: ClusterTree!
    let time = try seconds { tree = try ClusterTree(coordinates, options: build.options) }
    let peak = ResidentMemory.peak
    require(tree.root?.pointCount == coordinates.count, "a tree of \(tree.pointCount) points, not \(coordinates.count)")
    try tree.write(toFile: index)
    defer { try? FileManager.default.removeItem(atPath: index) }
    // The coordinates are already in memory before the build, so `residentBefore` includes them.
    try printJSON([
      "points": coordinates.count, "threads": build.threads, "seconds": time, "residentBefore": before,
      "residentPeak": peak, "indexBytes": try fileSize(index),
    ])
  }
}

/// Measures how long a build continues after its task is cancelled. Builds are cancelled at random moments.
struct CancelBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "cancel", abstract: "Times cancelled builds.")

  @OptionGroup var build: BuildArguments

  @Option(help: "Number of builds to cancel.") var runs = 20

  /// Runs synchronously, because valgrind counts the work of this command and cannot start asynchronous commands.
  func run() throws {
    let (coordinates, options, runs) = (try build.points.read(), build.options, runs)
    let done = DispatchSemaphore(value: 0)
    Task {
      try await Self.cancelBuilds(of: coordinates, options, runs: runs)
      done.signal()
    }
    done.wait()
  }

  private static func cancelBuilds(of coordinates: [Coordinate], _ options: BuildOptions, runs: Int) async throws {
    let clock = ContinuousClock()
    let whole = try await clock.measure { blackHole(try await ClusterTree.build(coordinates, options: options)) }
    var random = SplitMix64(seed: 8)
    var (times, finishedCount, residentHalfway): ([Double], Int, Int) = ([], 0, 0)
    for run in 0..<runs {
      if run == runs / 2 { residentHalfway = try await settledMemory() }
      let build = Task { try await ClusterTree.build(coordinates, options: options) }
      try await Task.sleep(for: whole * random.number(from: 0, to: 0.95))
      let start = clock.now
      build.cancel()
      do {
        _ = try await build.value
        finishedCount += 1
      } catch is CancellationError { times.append((clock.now - start) / .seconds(1)) }
    }
    require(!times.isEmpty, "no build was cancelled")
    let growth = try await settledMemory() - residentHalfway
    try printJSON([
      "points": coordinates.count,
      // Seconds from each cancellation to the end of the build. Some memory is deallocated only after this end.
      "seconds": times,
      // Bytes by which the process grew while the second half of all builds ran.
      "growth": growth,
      // Number of builds that ended before they could be cancelled.
      "finished": finishedCount,
    ])
  }

  /// Waits until two seconds pass in which the resident memory does not shrink. Returns the resident memory. Two
  /// seconds are enough to deallocate the memory of cancelled builds, even if other programs keep all cores busy.
  private static func settledMemory() async throws -> Int {
    var (least, unchanged) = (Int.max, 0)
    while unchanged < 40 {
      try await Task.sleep(for: .milliseconds(50))
      ResidentMemory.returnFreeMemory()
      let now = ResidentMemory.now
      unchanged = now < least - 1 << 20 ? 0 : unchanged + 1
      least = min(least, now)
    }
    return least
  }
}

import ArgumentParser
import Dispatch
import PointSets
import Treeline
import TreelineBuilder

/// Times how long a build goes on once its task is cancelled, at moments all over the build.
struct CancelBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "cancel", abstract: "Times cancelled builds.")

  @OptionGroup var build: BuildArguments

  @Option(help: "How many builds are cancelled.") var runs = 20

  /// The tool itself is not asynchronous: valgrind, which counts its work, does not bear how such a one starts.
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
      // From cancelling to the end of the build, whose memory is deallocated meanwhile and afterwards.
      "seconds": times,
      // By how many bytes the process is larger after all builds than after half of them.
      "growth": growth,
      // Builds that were done before they could be cancelled.
      "finished": finishedCount,
    ])
  }

  /// The memory held once that of cancelled builds is deallocated: once it has not fallen for half a second.
  private static func settledMemory() async throws -> Int {
    var (least, unchanged) = (Int.max, 0)
    while unchanged < 10 {
      try await Task.sleep(for: .milliseconds(50))
      let now = ResidentMemory.now
      unchanged = now < least - 1 << 20 ? 0 : unchanged + 1
      least = min(least, now)
    }
    return least
  }
}

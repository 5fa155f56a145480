import ArgumentParser
import Dispatch
import PointSets
import Treeline
import TreelineBuilder

/// Times how long a build goes on once its task is cancelled, at moments all over the build.
struct CancelBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "cancel", abstract: "Times cancelled builds.")

  @Argument(help: "The points.") var points: PointFile

  @Option(help: "How many builds are cancelled.") var runs = 20

  @Option(help: "Where nodes are split.") var split = SplitRule.mean

  @Flag(help: "Separations are computed too.") var separations = false

  struct Result: Encodable {
    var points: Int
    /// From cancelling to the end of the build, whose memory is deallocated meanwhile and afterwards.
    var seconds: [Double] = []
    /// By how many bytes the process is larger after half of the builds, and as many again, than after the first half.
    var growth = 0
    /// Builds that were done before they could be cancelled.
    var finished = 0
  }

  /// The tool itself is not asynchronous: valgrind, which counts its work, does not bear how such a one starts.
  func run() throws {
    let coordinates = try points.read()
    let (runs, options) = (runs, BuildOptions(splitRule: split, computesSeparations: separations))
    let done = DispatchSemaphore(value: 0)
    Task {
      try printJSON(await Self.cancelled(coordinates, options, runs: runs))
      done.signal()
    }
    done.wait()
  }

  private static func cancelled(_ coordinates: [Coordinate], _ options: BuildOptions, runs: Int) async throws -> Result
  {
    let clock = ContinuousClock()
    let whole = try await clock.measure { blackHole(try await ClusterTree.build(coordinates, options: options)) }
    var random = SplitMix64(seed: 8)
    var result = Result(points: coordinates.count)
    var residentHalfway = 0
    for run in 0..<runs {
      if run == runs / 2 { residentHalfway = try await settledMemory() }
      let build = Task { try await ClusterTree.build(coordinates, options: options) }
      try await Task.sleep(for: whole * random.number(from: 0, to: 0.95))
      let start = clock.now
      build.cancel()
      do {
        _ = try await build.value
        result.finished += 1
      } catch is CancellationError { result.seconds.append((clock.now - start) / .seconds(1)) }
    }
    require(!result.seconds.isEmpty, "no build was cancelled")
    result.growth = try await settledMemory() - residentHalfway
    return result
  }

  /// What is held once builds that were cancelled have let go of their memory: once it has not fallen for half a
  /// second.
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

import ArgumentParser
import Treeline
import TreelineBuilder

/// Times the way from coordinates in memory to a tree that answers queries.
struct BuildBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "build", abstract: "Times builds.")

  @Argument(help: "The points.") var points: PointFile

  @Option(help: "How many threads.") var threads = 2

  @Option(help: "Where nodes are split.") var split = SplitRule.mean

  @Flag(help: "Separations are computed too.") var separations = false

  @OptionGroup var timing: TimedRuns

  struct Result: Encodable {
    var points: Int
    var threads: Int
    /// One number a build.
    var seconds: [Double]
    var positions: Int
    var depth: Int
    var contentHash: String
  }

  func run() throws {
    let coordinates = try points.read()
    let options = BuildOptions(splitRule: split, threads: threads, computesSeparations: separations)
    let (times, tree) = try timing.measure { try ClusterTree(coordinates, options: options) }
    require(tree.pointCount == coordinates.count, "\(tree.pointCount) points of \(coordinates.count)")
    let shape = try tree.shape()
    try printJSON(
      Result(
        points: tree.pointCount, threads: threads, seconds: times, positions: shape.positionCount, depth: shape.depth,
        contentHash: String(tree.contentHash, radix: 16)))
  }
}

extension SplitRule: ExpressibleByArgument {}

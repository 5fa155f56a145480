import ArgumentParser
import Treeline
import TreelineBuilder

/// Times the way from coordinates in memory to a tree that answers queries.
struct BuildBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "build", abstract: "Times builds.")

  @OptionGroup var build: BuildArguments

  @OptionGroup var timing: TimedRuns

  func run() throws {
    let coordinates = try build.points.read()
    let (times, tree) = try timing.measure { try ClusterTree(coordinates, options: build.options) }
    require(tree.pointCount == coordinates.count, "\(tree.pointCount) points of \(coordinates.count)")
    let shape = try tree.shape()
    try printJSON([
      "points": tree.pointCount, "threads": build.threads, "seconds": times, "positions": shape.positionCount,
      "depth": shape.depth, "contentHash": String(tree.contentHash, radix: 16),
    ])
  }
}

/// Points, and how their tree is built.
struct BuildArguments: ParsableArguments {
  @Argument(help: "The points.") var points: PointFile

  @Option(help: "How many threads.") var threads = 2

  @Option(help: "Where nodes are split.") var split = SplitRule.mean

  @Flag(help: "Separations are computed too.") var separations = false

  var options: BuildOptions { BuildOptions(splitRule: split, threads: threads, computesSeparations: separations) }
}

extension SplitRule: ExpressibleByArgument {}

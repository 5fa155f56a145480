import ArgumentParser
import Treeline
import TreelineBuilder

/// Times the way from coordinates in memory to a tree that answers queries.
struct BuildBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "build", abstract: "Times builds.")

  @Argument(help: "The points.")
  var points: PointFile

  @Option(help: "How many threads.")
  var threads = 2

  @Option(help: "Where nodes are split.")
  var split = SplitRule.mean

  @Flag(help: "Separations are found too.")
  var separations = false

  @Option(help: "How many builds before those that are timed.")
  var warmups = 1

  @Option(help: "How many timed builds.")
  var runs = 3

  struct Result: Encodable {
    var points: Int
    var threads: Int
    /// One number a build.
    var seconds: [Double] = []
    var positions = 0
    var depth = 0
    var contentHash = ""
  }

  func run() throws {
    let places = try points.read()
    var result = Result(points: places.count, threads: threads)
    for run in 0..<warmups + runs {
      // The tree of the last run is let go before the clock starts.
      var tree: ClusterTree?
      let time = try seconds {
        let options = BuildOptions(splitRule: split, threads: threads, computesSeparations: separations)
        tree = try ClusterTree(places, options: options)
      }
      if run >= warmups { result.seconds.append(time) }
      if run == warmups + runs - 1 { try check(tree!, of: places, &result) }
    }
    try printJSON(result)
  }

  private func check(_ tree: ClusterTree, of places: [Coordinate], _ result: inout Result) throws {
    require(tree.root?.pointCount == places.count, "\(tree.root?.pointCount ?? 0) points of \(places.count)")
    let shape = try tree.shape()
    result.positions = shape.positionCount
    result.depth = shape.depth
    result.contentHash = String(tree.contentHash, radix: 16)
  }
}

extension SplitRule: ExpressibleByArgument {}

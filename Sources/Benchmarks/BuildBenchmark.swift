import ArgumentParser
import Treeline
import TreelineBuilder

/// Times the way from coordinates in memory to a tree that answers queries.
struct BuildBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "build", abstract: "Times builds.")

  @Argument(help: "The points.")
  var path: String

  @Option(help: "How many threads.")
  var threads = 1

  @Option(help: "How many timed builds, after one that is not.")
  var runs = 5

  struct Result: Encodable {
    var points: Int
    var threads: Int
    var seconds: Measurement
    var depth: Int
    var contentHash: String
  }

  func run() throws {
    let places = try PointFile.read(path)
    var tree = try build(places)
    var times: [Double] = []
    for _ in 0..<runs { times.append(try Benchmarks.seconds { tree = try build(places) }) }
    require(tree.root?.pointCount == places.count, "\(tree.root?.pointCount ?? 0) points of \(places.count)")
    try printJSON(
      Result(
        points: places.count, threads: threads, seconds: Measurement(times), depth: try tree.shape().depth,
        contentHash: String(tree.contentHash, radix: 16)))
  }

  private func build(_ places: [Coordinate]) throws -> ClusterTree {
    try ClusterTree(places, options: BuildOptions(threads: threads))
  }
}

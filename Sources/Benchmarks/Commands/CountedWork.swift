import ArgumentParser
import Treeline
import TreelineBuilder

/// Work without a clock, to be counted from outside: the difference of two runs is what the additional work costs.
struct CountedWork: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "work", abstract: "Builds and queries without timing, for valgrind to count.")

  @Argument(help: "The points.") var points: PointFile

  @Option(help: "Where nodes are split.") var split = SplitRule.mean

  @Option(help: "How often the tree is built, by one thread.") var builds = 1

  @Option(help: "How often each of 13 views is asked for.") var asks = 1

  @Option(help: "The most clusters of an answer.") var limit = 100

  func run() throws {
    let coordinates = try points.read()
    var tree: ClusterTree!
    for _ in 0..<builds {
      tree = nil
      tree = try ClusterTree(coordinates, options: BuildOptions(splitRule: split, threads: 1))
    }
    require(tree.pointCount == coordinates.count, "\(tree.pointCount) points of \(coordinates.count)")
    let queries = [Viewport].counted(around: coordinates).map { Query(.limit(limit), in: $0) }
    var clusters = 0
    for _ in 0..<asks { for query in queries { clusters += try query.answer(of: tree).count } }
    try printJSON(["points": coordinates.count, "queries": asks * queries.count, "clusters": clusters])
  }
}

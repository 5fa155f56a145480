import ArgumentParser
import PointSets
import Treeline
import TreelineBuilder

/// Runs builds and queries without timing them. Valgrind counts the instructions. Two runs with different options show
/// the cost of additional work as the difference between their counts.
struct CountedWork: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "work", abstract: "Builds and queries without timing, for valgrind to count.")

  @Argument(help: "The points.") var points: PointFile

  @Option(help: "Where nodes are split.") var split = SplitRule.standard

  @Option(help: "Number of builds of the tree, on one thread.") var builds = 1

  @Option(help: "Number of queries of each of 13 views.") var asks = 1

  @Option(help: "Maximum number of clusters of an answer.") var limit = 100

  func run() throws {
    let coordinates = try points.read()
    var tree: ClusterTree!
    for _ in 0..<builds {
      tree = nil
      tree = try ClusterTree(coordinates, options: BuildOptions(splitRule: split, threads: 1))
    }
    require(tree.pointCount == coordinates.count, "a tree of \(tree.pointCount) points, not \(coordinates.count)")
    let queries = [Viewport].counted(around: coordinates).map { Query(.limit(limit), in: $0) }
    var clusters = 0
    for _ in 0..<asks { for query in queries { clusters += try query.answer(of: tree).count } }
    try printJSON(["points": coordinates.count, "queries": asks * queries.count, "clusters": clusters])
  }
}

/// Counts how often answers break the promises of the engine, such as the promise that clusters are nested. Without a
/// defect, no promise is broken, and `panPersistence` is 1 for every cut with `isFixedOnPans`.
struct PromisesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "promises",
    abstract: "Counts broken promises on random screens: clusters nest, pans keep clusters, transitions keep points.")

  @Argument(help: "The points.") var points: PointFile

  @Option(help: "Number of pairs of screens for each cut.") var pairs = 10_000

  @OptionGroup var grown: GrowthArguments

  @Option(help: "Seed of the random screens.") var seed: UInt64 = 7

  struct Cut: Encodable {
    var name: String
    var pairs: Int
    var nestednessViolations: Int
    var conservationViolations: Int
    var limitViolations: Int
    var isFixedOnPans: Bool
    var panPersistence: Double
    var continuingDistortion: Double
  }

  func run() throws {
    let tree = try ClusterTree(
      points.read(), options: BuildOptions(growth: grown.growth))
    var cuts: [Cut] = []
    for kind in ScreenCut.Kind.all(of: tree) where tree.pointCount > 0 {
      var screens = ScreenMaker(over: tree, seed: seed)
      var count = PromiseCount()
      for _ in 0..<pairs { try count.add(kind, of: tree, &screens) }
      cuts.append(
        Cut(
          name: "\(kind)", pairs: count.pairs, nestednessViolations: count.nestednessViolations,
          conservationViolations: count.conservationViolations, limitViolations: count.limitViolations,
          isFixedOnPans: kind.isFixedOnPans, panPersistence: count.panPersistence,
          continuingDistortion: count.continuingDistortion))
    }
    try printJSON(["points": tree.pointCount, "seed": seed, "cuts": cuts])
  }
}

import ArgumentParser
import PointSets
import Treeline
import TreelineBuilder

/// Runs pieces of work. Valgrind counts the instructions of each piece separately: it counts only within
/// `countedCall`, and writes its counts after each call.
struct CountedCases: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cases", abstract: "Does work whose instructions valgrind counts, and prints the cases in order.")

  @Argument(help: "The points.") var points: PointFile

  @Argument(help: "The cases to run.") var cases: [CountedCase] = CountedCase.allCases

  func run() throws {
    let work = CountedWorkplace(try points.read())
    for name in cases {
      let task = try work.task(name)
      require(try countedCall(task) > 0, "\(name.rawValue) found nothing")
      print(name.rawValue)
    }
  }
}

/// Does work in a separate function, so that valgrind finds the work by the name of this function.
@inline(never) func countedCall(_ work: () throws -> Int) rethrows -> Int {
  let result = try work()
  // Without this statement, the compiler would turn the call into a jump, and the work would not return to this
  // function.
  blackHole(result)
  return result
}

/// Pieces of work whose instructions are counted. Each raw value is a name in Fixtures/golden/instructions.json.
enum CountedCase: String, CaseIterable, ExpressibleByArgument {
  case buildByMean = "build-by-mean"
  case buildByLeastScatter = "build-by-least-scatter"
  case mergeByDistance = "merge-by-distance"
  case mergeForBadges = "merge-for-badges"
  case mergeByScatter = "merge-by-scatter"
  /// Merging parts of the points alone, and then joining the parts.
  case mergeForBadgesInParts = "merge-for-badges-in-parts"
  case mergeByScatterInParts = "merge-by-scatter-in-parts"
  /// The answers to queries under a filter by two columns. The work includes the computation of data that the first
  /// answers keep for later answers.
  case filter
  /// Sums, means, counts and order statistics of an answer. The work includes the preparation of these aggregates.
  case aggregate
  /// The aggregates of the case `aggregate`, for an answer under a filter.
  case filteredAggregate = "filtered-aggregate"
  case limitBreadthFirst = "limit-breadth-first"
  case limitWidestFirst = "limit-widest-first"
  case limitSteepestFirst = "limit-steepest-first"
  case detail, spacing, badges
  /// Pans in small steps. Each query continues the answer that was shown before the step.
  case continuing
  case filteredLimit = "filtered-limit"
  case filteredDetail = "filtered-detail"

  /// Whether the work or its preparation takes seconds under valgrind.
  var isLong: Bool {
    switch self {
    case .mergeByDistance, .mergeForBadges, .mergeByScatter, .mergeForBadgesInParts,
      .mergeByScatterInParts, .badges:
      true
    default: false
    }
  }
}

/// The points, and the trees of these points. Each tree is built once.
private final class CountedWorkplace {
  private let coordinates: [Coordinate]
  private let views: [Viewport]

  private lazy var tree = Result { try build(.splitting(.standard)) }
  private lazy var treeWithColumns = Result {
    try tree.get().adding(columns: [
      IndexColumn(name: "price", kind: .number, value: FilterBenchmark.price).prepared(for: .percentiles, .distinct),
      IndexColumn(name: "kind", kind: .category, value: FilterBenchmark.kind),
    ])
  }
  private lazy var spacedTree = Result { try build(.merging(by: .distance)) }
  private lazy var badgeTree = Result { try build(.merging(by: .badges)) }

  init(_ coordinates: [Coordinate]) {
    self.coordinates = coordinates
    views = .counted(around: coordinates)
  }

  /// Builds a tree with one thread. Does not use LAPACK, because the instructions of LAPACK differ between machines.
  ///
  /// - Parameter leavesInPart: Merged parts have at most this number of positions. By default, 100,000 points are
  ///   merged without parts.
  private func build(
    _ growth: Growth, leavesInPart: Int? = nil
  ) throws -> ClusterTree {
    var options = BuildOptions(growth: growth, threads: 1)
    options.solver = .halfAngle
    options.leavesInPart = leavesInPart
    return try ClusterTree(coordinates, options: options)
  }

  /// Prepares a case, and returns the work to count. The result of the work is positive.
  func task(_ name: CountedCase) throws -> () throws -> Int {
    switch name {
    case .buildByMean: building(.splitting(.mean))
    case .buildByLeastScatter: building(.splitting(.leastScatter))
    case .mergeByDistance: building(.merging(by: .distance))
    // This build takes longer under valgrind than any other case. The queries of the case `badges` use its tree.
    case .mergeForBadges: { [self] in try badgeTree.get().pointCount }
    case .mergeByScatter: building(.merging(by: .scatter))
    case .mergeForBadgesInParts: building(.merging(by: .badges), leavesInPart: 8_000)
    case .mergeByScatterInParts: building(.merging(by: .scatter), leavesInPart: 8_000)
    case .filter:
      { [self, tree = try treeWithColumns.get()] in
        let filtered = try tree.filtered(by: FilterBenchmark.filter)
        return try answers(of: filtered, .limit(100)) { $0.coordinates.count }
      }
    case .aggregate: try aggregating(treeWithColumns.get())
    case .filteredAggregate: try aggregating(treeWithColumns.get().filtered(by: FilterBenchmark.filter))
    case .limitBreadthFirst: try asking(tree.get(), .limit(100))
    case .limitWidestFirst: try asking(tree.get(), .limit(100, order: .widestFirst))
    case .limitSteepestFirst: try asking(tree.get(), .limit(100, order: .steepestFirst))
    case .detail: try asking(tree.get(), .detail(20))
    case .spacing: try asking(spacedTree.get(), .spacing(44))
    case .badges: try asking(badgeTree.get(), .badges())
    case .continuing: try panning(tree.get())
    case .filteredLimit: try askingAgain(treeWithColumns.get().filtered(by: FilterBenchmark.filter), .limit(100))
    case .filteredDetail: try askingAgain(treeWithColumns.get().filtered(by: FilterBenchmark.filter), .detail(20))
    }
  }

  private func building(_ growth: Growth, leavesInPart: Int? = nil) -> () throws -> Int {
    { [self] in try build(growth, leavesInPart: leavesInPart).pointCount }
  }

  private func answers(of tree: ClusterTree, _ cut: Cut, _ count: (Clusters) throws -> Int) throws -> Int {
    try views.reduce(0) { try $0 + count(tree.clusters(cut, in: $1)) }
  }

  /// Returns work that queries every view ten times.
  private func asking(_ tree: ClusterTree, _ cut: Cut) -> () throws -> Int {
    { [self] in try (0..<10).reduce(0) { sum, _ in try sum + answers(of: tree, cut, \.count) } }
  }

  /// Returns work that queries every view ten times. Every view is also queried once before the work is counted,
  /// because the first answers prepare data for later answers.
  private func askingAgain(_ tree: ClusterTree, _ cut: Cut) throws -> () throws -> Int {
    blackHole(try answers(of: tree, cut, \.count))
    return asking(tree, cut)
  }

  private func panning(_ tree: ClusterTree) throws -> () throws -> Int {
    let cut = Cut.limit(100, continuity: .continuing)
    let pans = views.map { view in
      let box = view.bounds
      let (east, north) = ((box.east - box.west) / 8, (box.north - box.south) / 16)
      return (1...8).map { step in
        let (x, y) = (east * Double(step), north * Double(step))
        return Viewport(
          BoundingBox(west: box.west + x, south: box.south - y, east: box.east + x, north: box.north - y),
          zoom: view.zoom)
      }
    }
    return {
      var count = 0
      for views in pans {
        var shown = tree.noClusters
        for view in views {
          shown = try tree.clusters(cut, in: view, after: shown)
          count += shown.count
        }
      }
      return count
    }
  }

  private func aggregating(_ tree: ClusterTree) throws -> () throws -> Int {
    let clusters = try tree.clusters(.limit(100), in: .everything)
    let aggregates: [Aggregate] = [
      .sum("price"), .mean("price"), .counts("kind"), .median("price"), .top(3, of: "kind"), .distinct("price"),
    ]
    return { try clusters.values(of: aggregates).count }
  }
}

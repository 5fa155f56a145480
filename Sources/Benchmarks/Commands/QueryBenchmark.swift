import ArgumentParser
import Foundation
import PointSets
import Synchronization
import Treeline
import TreelineBuilder

/// Times queries of views, one by one and in two threads at the same time.
struct QueryBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "query", abstract: "Times queries.")

  @Argument(help: "The points.") var points: PointFile

  @Option(help: "The views, from a file written by 'views'. (default: random views)") var views: String?

  @Option(help: "A file with the maximum number of clusters for each view, one number per line.") var limits: String?

  @Option(help: "Maximum number of clusters of every view, if --limits is not given.") var limit = 100

  @Option(help: "Number of repeats of each view.") var repeats = 21

  @Flag(help: "Compare every answer with the points themselves, one by one.") var check = false

  @Flag(help: "Also time one and two threads that query without a pause.") var throughput = false

  func run() throws {
    let coordinates = try points.read()
    let views = try views.map { try [Viewport](readFrom: $0) } ?? .around(coordinates, perZoom: 25, seed: 5)
    let tree = try ClusterTree(coordinates)
    let limits = try limits.map(Self.readLimits) ?? views.map { _ in limit }
    precondition(limits.count == views.count, "\(limits.count) limits for \(views.count) views")
    let queries = zip(limits, views).map { Query(.limit($0), in: $1) }

    let cold = try Self.coldPass(queries, of: tree)
    let answers = try queries.map { try $0.answer(of: tree) }
    // Answers with fewer clusters than the limit. In these answers, all points of a cluster must share one position.
    let exhausted = zip(queries, answers).filter { $1.count < $0.cut.limit }
    for (_, answer) in exhausted {
      require(answer.allSatisfy(\.rect.isPoint), "one of \(answer.count) clusters can be split")
    }
    if check { try zip(queries, answers).forEach { try $0.check($1, of: tree) } }
    var result: [String: any Encodable] = [
      "points": coordinates.count, "zooms": views.map { Int($0.zoom!) }, "clusters": answers.map(\.count),
      "exhaustedViews": exhausted.count, "checkedViews": check ? queries.count : 0,
      // Seconds for each view. `cold` is the time of the first query, with views in random order and a cold cache.
      // `warm` is the median time of the repeats. `withCoordinates` is the median time of other repeats, which also
      // read the coordinates and counts of all clusters.
      "cold": cold, "warm": try medians(queries) { _ = try $0.answer(of: tree) },
      "withCoordinates": try medians(queries) {
        let answer = try $0.answer(of: tree)
        blackHole((answer.coordinates, answer.pointCounts))
      },
    ]
    if throughput {
      // Answers per second, and steps of plain arithmetic per second, on one thread and on two threads. Each rate is
      // measured several times. The arithmetic shows how much faster two threads can be than one thread on this
      // machine.
      let rates = Self.throughput(queries, of: tree)
      (result["answersPerSecond"], result["stepsPerSecond"]) = (rates[0], rates[1])
    }
    try printJSON(result)
  }

  private static func readLimits(_ path: String) throws -> [Int] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { Int($0)! }
  }

  /// Returns, for each query, the median time of the repeats.
  @inline(__always) private func medians(_ queries: [Query], _ work: (Query) throws -> Void) rethrows
    -> [Double]
  { try queries.map { query in median(try (0..<repeats).map { _ in try seconds { try work(query) } }) } }

  private static func coldPass(_ queries: [Query], of tree: ClusterTree) throws -> [Double] {
    // Reads more memory than fits into the caches. After this, the caches contain no data of the tree.
    blackHole([UInt64](repeating: 1, count: 32 << 20).reduce(0, &+))
    var random = SplitMix64(seed: 6)
    var times = [Double](repeating: 0, count: queries.count)
    for index in random.shuffled(Array(queries.indices)) {
      times[index] = try seconds { _ = try queries[index].answer(of: tree) }
    }
    return times
  }

  /// Returns answers per second, and steps of arithmetic per second.
  private static func throughput(_ queries: [Query], of tree: ClusterTree) -> [[[Double]]] {
    rates(
      ofThreads: [1, 2],
      [
        {
          for query in queries { blackHole(try! query.answer(of: tree)) }
          return queries.count
        },
        {
          // With a fixed seed or an unused result, the compiler would remove the work.
          var random = SplitMix64(seed: DispatchTime.now().uptimeNanoseconds)
          let steps = 1 << 20
          return (0..<steps).reduce(0) { sum, _ in sum ^ random.next() } == 0 ? 0 : steps
        },
      ])
  }

  /// Returns how often each kind of work is done per second, by threads that do nothing else. The work is measured in
  /// turns. Each turn measures every kind of work with every number of threads, each time for a twentieth of a second.
  /// So if the machine slows down temporarily, all kinds of work are slowed down equally. The result has a list for
  /// each kind of work. Each list has an entry for each turn. Each entry has one rate for each number of threads.
  private static func rates(ofThreads threads: [Int], _ works: [@Sendable () -> Int]) -> [[[Double]]] {
    var rates = works.map { _ in [[Double]]() }
    for turn in 0..<20 {
      for (kind, work) in works.enumerated() {
        // Every second turn goes through `threads` in reverse order, because a virtual machine may be slow for a while
        // after it has used both cores.
        rates[kind].append(
          turn % 2 == 0
            ? threads.map { rate(ofThreads: $0, work) }
            : threads.reversed().map { rate(ofThreads: $0, work) }.reversed())
      }
    }
    return rates
  }

  private static func rate(ofThreads threads: Int, _ work: @Sendable () -> Int) -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    // All threads end at the same time. So a thread that starts late has less time.
    let end = start + .milliseconds(50)
    let done = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      var own = 0
      while clock.now < end { own += work() }
      done.withLock { $0 += own }
    }
    return Double(done.withLock { $0 }) / ((clock.now - start) / .seconds(1))
  }
}

/// Times queries with a spacing. The times are divided by the number of clusters, because this number depends on how
/// the tree was built.
struct SpacingBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "spacing", abstract: "Times answers with a spacing or badges, per cluster.")

  @Argument(help: "The points.") var points: PointFile

  @OptionGroup var grown: GrowthArguments

  @Option(help: "Number of repeats of each view.") var repeats = 21

  func validate() throws {
    guard grown.growth.mergeMetric?.keepsApart ?? false else {
      throw ValidationError("The benchmark needs --merge distance or --merge badges.")
    }
  }

  func run() throws {
    let coordinates = try points.read()
    let tree = try ClusterTree(coordinates, options: BuildOptions(growth: grown.growth, threads: 2))
    let cut = tree.badgeCurve == nil ? Cut.spacing(44) : .badges()
    var (counts, times) = ([Int](), [Double]())
    for view in [Viewport].around(coordinates, perZoom: 25, seed: 5) {
      let query = Query(cut, in: view)
      let count = try query.answer(of: tree).count
      if count == 0 { continue }
      counts.append(count)
      times.append(
        median(try (0..<repeats).map { _ in try seconds { _ = try query.answer(of: tree) } }) / Double(count))
    }
    try printJSON(["points": coordinates.count, "clusters": counts, "secondsPerCluster": times])
  }
}

import ArgumentParser
import Foundation
import PointSets
import Synchronization
import Treeline
import TreelineBuilder

/// Times queries of views, one by one and by two threads at once.
struct QueryBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "query", abstract: "Times queries.")

  @Argument(help: "The points.") var points: PointFile

  @Option(help: "The views, as 'views' writes them. (default: drawn anew)") var views: String?

  @Option(help: "A file with the most clusters of each view's answer, one number a line.") var limits: String?

  @Option(help: "The most clusters of every view's answer, where no file says it.") var limit = 100

  @Option(help: "How often each view is asked for.") var repeats = 21

  @Flag(help: "Compare every answer with the points themselves, one by one.") var check = false

  @Flag(help: "Time one thread and two that ask all the time, too.") var throughput = false

  func run() throws {
    let coordinates = try points.read()
    let views = try views.map { try [Viewport](readFrom: $0) } ?? .around(coordinates, perZoom: 25, seed: 5)
    let tree = try ClusterTree(coordinates)
    let limits = try limits.map(Self.readLimits) ?? views.map { _ in limit }
    precondition(limits.count == views.count, "\(limits.count) limits for \(views.count) views")
    let queries = zip(limits, views).map { Query(.limit($0), in: $1) }

    let cold = try Self.coldPass(queries, of: tree)
    let answers = try queries.map { try $0.answer(of: tree) }
    // Those with fewer clusters than the limit, all of which are single positions.
    let exhausted = zip(queries, answers).filter { $1.count < $0.cut.limit }
    for (query, answer) in exhausted {
      require(answer.allSatisfy(\.rect.isPoint), "\(answer.count) clusters of \(query.cut.limit) could be split")
    }
    if check { try zip(queries, answers).forEach { try $0.check($1, of: tree) } }
    var result: [String: any Encodable] = [
      "points": coordinates.count, "zooms": views.map { Int($0.zoom!) }, "clusters": answers.map(\.count),
      "exhaustedViews": exhausted.count, "checkedViews": check ? queries.count : 0,
      // The seconds of each view: asked for once, in random order, out of a cold cache; the median of the repeats; and
      // the same with the coordinates and counts of all clusters taken.
      "cold": cold, "warm": try medians(queries) { _ = try $0.answer(of: tree) },
      "withCoordinates": try medians(queries) {
        let answer = try $0.answer(of: tree)
        blackHole((answer.coordinates, answer.pointCounts))
      },
    ]
    if throughput {
      // By one thread and by two, in each of some turns. Arithmetic shows what two can do here at best.
      let rates = Self.throughput(queries, of: tree)
      (result["answersPerSecond"], result["stepsPerSecond"]) = (rates[0], rates[1])
    }
    try printJSON(result)
  }

  private static func readLimits(_ path: String) throws -> [Int] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { Int($0)! }
  }

  /// The median of the repeats of each query.
  @inline(__always) private func medians(_ queries: [Query], _ work: (Query) throws -> Void) rethrows
    -> [Double]
  { try queries.map { query in median(try (0..<repeats).map { _ in try seconds { try work(query) } }) } }

  private static func coldPass(_ queries: [Query], of tree: ClusterTree) throws -> [Double] {
    // More than the caches hold.
    blackHole([UInt64](repeating: 1, count: 32 << 20).reduce(0, &+))
    var random = SplitMix64(seed: 6)
    var times = [Double](repeating: 0, count: queries.count)
    for index in random.shuffled(Array(queries.indices)) {
      times[index] = try seconds { _ = try queries[index].answer(of: tree) }
    }
    return times
  }

  /// Answers a second, and steps of arithmetic.
  private static func throughput(_ queries: [Query], of tree: ClusterTree) -> [[[Double]]] {
    rates(
      ofThreads: [1, 2],
      [
        {
          for query in queries { blackHole(try! query.answer(of: tree)) }
          return queries.count
        },
        {
          // Neither of a fixed seed nor for nothing, or all would be left out.
          var random = SplitMix64(seed: DispatchTime.now().uptimeNanoseconds)
          let steps = 1 << 20
          return (0..<steps).reduce(0) { sum, _ in sum ^ random.next() } == 0 ? 0 : steps
        },
      ])
  }

  /// How much of each kind of work gets done in a second by so many threads that do nothing else: for each kind one
  /// figure a turn and number of threads. All take turns of a twentieth of a second, so that a machine that slows down
  /// for a while slows down all.
  private static func rates(ofThreads threads: [Int], _ works: [@Sendable () -> Int]) -> [[[Double]]] {
    var rates = works.map { _ in [[Double]]() }
    for turn in 0..<20 {
      for (kind, work) in works.enumerated() {
        // Which goes first changes: a virtual machine that has had both cores may be slow for a while.
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
    // The same for all: a thread that comes late has less time.
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

/// Times answers by a spacing, cluster by cluster: trees of other growths show other numbers of them.
struct SpacingBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "spacing", abstract: "Times answers by a spacing or badges, for each cluster.")

  @Argument(help: "The points.") var points: PointFile

  @OptionGroup var grown: GrowthArguments

  @Option(help: "How often each view is asked for.") var repeats = 21

  func run() throws {
    let coordinates = try points.read()
    let tree = try ClusterTree(
      coordinates, options: BuildOptions(growth: grown.growth, threads: 2, computesSeparations: true))
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

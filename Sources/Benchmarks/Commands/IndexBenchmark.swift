import ArgumentParser
import PointSets
import Treeline

/// Times queries of an index that may be larger than the memory. The index is never read as a whole.
struct IndexBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "index", abstract: "Times opening an index, and answers of 100 clusters, and measures the memory.")

  @Argument(help: "The index.") var path: String

  @Option(help: "Number of repeats of each view.") var repeats = 21

  func run() throws {
    var opened: ClusterTree!
    let opening = try (0..<repeats).map { _ in try seconds { opened = try ClusterTree(contentsOfFile: path) } }
    let tree = opened!
    var random = SplitMix64(seed: 8)
    let centers = tree.withStorage { storage in
      (0..<10_000).map { _ in tree.plane.coordinate(at: storage.points[random.index(below: storage.pointCount)]) }
    }
    let queries = [Viewport].around(centers, perZoom: 25, seed: 5).map { Query(.limit(100), in: $0) }
    let cold = try queries.map { query in try seconds { _ = try query.answer(of: tree) } }
    let warm = try queries.map { query in
      median(try (0..<repeats).map { _ in try seconds { blackHole(try query.answer(of: tree).coordinates) } })
    }
    try printJSON([
      "points": tree.pointCount, "opening": median(opening), "cold": cold, "warm": warm,
      "residentPeak": ResidentMemory.peak,
    ])
  }
}

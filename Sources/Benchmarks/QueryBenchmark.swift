import ArgumentParser
import PointSets
import Treeline
import TreelineBuilder

/// Times queries of views of 1024 x 768 px centred on points, 25 at each zoom from 4 to 16.
struct QueryBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "query", abstract: "Times queries.")

  @Argument(help: "The points.")
  var path: String

  @Option(help: "The most clusters of an answer.")
  var limit = 100

  @Option(help: "How often each view is asked for; its median counts.")
  var runs = 21

  struct Result: Encodable {
    var points: Int
    var limit: Int
    var views: Int
    var meanClusters: Double
    var medianMicroseconds: Double
    var p95Microseconds: Double
    var zooms: [Zoom]
  }

  struct Zoom: Encodable {
    var zoom: Int
    var meanClusters: Double
    var medianMicroseconds: Double
    var greatestMicroseconds: Double
  }

  func run() throws {
    let places = try PointFile.read(path)
    let tree = try ClusterTree(places)
    var random = SplitMix64(seed: 5)
    var zooms: [Zoom] = []
    var all: [Double] = []
    var clusterCount = 0
    for zoom in 4...16 {
      var times: [Double] = []
      var clusters = 0
      for _ in 0..<25 {
        let box = Viewport(
          center: places[random.index(below: places.count)], zoom: Double(zoom), width: 1024, height: 768,
          on: tree.plane
        ).box
        let (time, count) = try time(of: box, in: tree)
        times.append(time * 1e6)
        clusters += count
      }
      times.sort()
      zooms.append(
        Zoom(
          zoom: zoom, meanClusters: Double(clusters) / 25,
          medianMicroseconds: percentile(0.5, ofSorted: times),
          greatestMicroseconds: times[24]))
      all += times
      clusterCount += clusters
    }
    all.sort()
    try printJSON(
      Result(
        points: places.count, limit: limit, views: all.count,
        meanClusters: Double(clusterCount) / Double(all.count),
        medianMicroseconds: percentile(0.5, ofSorted: all), p95Microseconds: percentile(0.95, ofSorted: all),
        zooms: zooms))
  }

  /// The median time of a view and how many clusters it has.
  private func time(of box: BoundingBox, in tree: ClusterTree) throws -> (Double, Int) {
    var answer: [Cluster] = []
    var times: [Double] = []
    for _ in 0..<runs { times.append(try seconds { answer = try tree.clusters(in: box, limit: limit) }) }
    require(!answer.isEmpty && answer.count <= limit, "\(answer.count) clusters around a point")
    return (Measurement(times).median, answer.count)
  }
}

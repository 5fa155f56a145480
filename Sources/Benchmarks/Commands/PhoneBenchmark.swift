import ArgumentParser
import Treeline
import TreelineBuilder

/// Times the work of an app on one core. The work is building cluster maps with columns, and projecting coordinates to
/// the plane and back.
struct PhoneBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "phone", abstract: "Times maps of values with columns on one thread, and the projection.")

  @Argument(help: "The points.") var points: PointFile

  @Option(help: "Number of repeats.") var repeats = 9

  private struct Place {
    let coordinate: Coordinate
    let price: Int
    let kind: String
  }

  func run() throws {
    let coordinates = try points.read()
    let places = coordinates.enumerated().map { row, coordinate in
      Place(coordinate: coordinate, price: row * 7919 % 1000, kind: "kind \(row % 12)")
    }
    func time(_ options: BuildOptions) throws -> Double {
      median(
        try (0..<repeats).map { _ in
          try seconds {
            blackHole(
              try ClusterMap(places, at: \.coordinate, columns: .number(\.price), .category(\.kind), options: options))
          }
        })
    }
    let tree = try ClusterTree(coordinates, options: BuildOptions(threads: 1))
    let answer = try tree.clusters(.limit(10_000), in: Viewport(.world))
    require(
      answer.coordinates == answer.map(\.coordinate),
      "coordinates computed together differ from those computed one by one")
    try printJSON([
      "points": coordinates.count,
      "mean": try time(BuildOptions(splitRule: .mean, threads: 1)),
      "merged": try time(BuildOptions(growth: .merging(by: .distance), threads: 1)),
      // Each time is the median of many passes, in seconds per point or per cluster.
      "forward": pass(over: coordinates.count) {
        blackHole(coordinates.reduce(into: UInt32(0)) { $0 &+= tree.plane.point(at: $1).y })
      },
      "back": pass(over: answer.count) { blackHole(answer.coordinates) },
      "oneByOne": pass(over: answer.count) { for cluster in answer { blackHole(cluster.coordinate) } },
    ])
  }

  /// Measures passes over `count` elements. Returns the median time, in seconds per element.
  private func pass(over count: Int, _ work: () -> Void) -> Double {
    median((0..<10 * repeats).map { _ in seconds(work) }) / Double(max(count, 1))
  }
}

import ArgumentParser
import Foundation
import Treeline
import TreelineBuilder

/// Measures the memory of one build, in a process that does nothing else, against the index that comes of it.
struct MemoryBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "memory", abstract: "Measures the memory of one build and the size of its index.")

  @Argument(help: "The points.") var points: PointFile

  @Option(help: "How many threads.") var threads = 2

  @Flag(help: "Separations are computed too.") var separations = false

  @Option(help: "Where to write the index, which is removed again.") var index: String

  struct Result: Encodable {
    var points: Int
    var threads: Int
    var seconds: Double
    /// With the coordinates, before the build.
    var residentBefore: Int
    var residentPeak: Int
    var indexBytes: Int
  }

  func run() throws {
    let coordinates = try points.read()
    let before = ResidentMemory.now
    var tree: ClusterTree?
    let options = BuildOptions(threads: threads, computesSeparations: separations)
    let time = try seconds { tree = try ClusterTree(coordinates, options: options) }
    let peak = ResidentMemory.peak
    require(tree!.root?.pointCount == coordinates.count, "\(tree!.pointCount) points of \(coordinates.count)")
    try tree!.write(index: index)
    defer { try? FileManager.default.removeItem(atPath: index) }
    let size = try FileManager.default.attributesOfItem(atPath: index)[.size] as! Int
    try printJSON(
      Result(
        points: coordinates.count, threads: threads, seconds: time, residentBefore: before, residentPeak: peak,
        indexBytes: size))
  }
}

import ArgumentParser
import Foundation
import Treeline
import TreelineBuilder

/// Measures the memory of one build, in a process that does nothing else, against the index that comes of it.
struct MemoryBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "memory", abstract: "Measures the memory of one build and the size of its index.")

  @OptionGroup var build: BuildArguments

  @Option(help: "Where to write the index, which is removed again.") var index: String

  func run() throws {
    let coordinates = try build.points.read()
    let before = ResidentMemory.now
    var tree: ClusterTree!
    let time = try seconds { tree = try ClusterTree(coordinates, options: build.options) }
    let peak = ResidentMemory.peak
    require(tree.root?.pointCount == coordinates.count, "\(tree.pointCount) points of \(coordinates.count)")
    try tree.write(index: index)
    defer { try? FileManager.default.removeItem(atPath: index) }
    // What is resident before the build is with the coordinates.
    try printJSON([
      "points": coordinates.count, "threads": build.threads, "seconds": time, "residentBefore": before,
      "residentPeak": peak, "indexBytes": try fileSize(index),
    ])
  }
}

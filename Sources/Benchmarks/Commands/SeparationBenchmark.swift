import ArgumentParser
import Treeline
import TreelineBuilder

/// Times the way from a tree to the separation of each of its nodes.
struct SeparationBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "separation", abstract: "Times computing at what distance each node is split into its children.")

  @Argument(help: "The points.") var points: PointFile

  @Option(help: "How many threads.") var threads = 2

  @OptionGroup var timing: TimedRuns

  func run() throws {
    let tree = try ClusterTree(points.read())
    let residentBefore = ResidentMemory.now
    let (times, (codes, work)) = timing.measure { tree.separations(threads: threads) }
    let residentPeak = ResidentMemory.peak
    // Every node with two children, whose positions differ by a unit or more, was split.
    let internalNodes = try tree.shape().positionCount - 1
    require(work.splits <= internalNodes, "\(work.splits) splits of \(internalNodes) nodes")
    let splits = Double(max(work.splits, 1))
    let hash = codes.reduce(0 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    try printJSON([
      "points": tree.pointCount, "threads": threads, "seconds": times, "splits": work.splits,
      "looksPerSplit": Double(work.looks) / splits, "cellsPerLook": Double(work.cells) / Double(max(work.looks, 1)),
      "grids": work.grids, "nodesOnGrids": Double(work.nodesOnGrids) / splits, "residentBefore": residentBefore,
      "residentPeak": residentPeak, "codesHash": String(hash, radix: 16),
    ])
  }
}

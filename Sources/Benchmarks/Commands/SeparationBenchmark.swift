import ArgumentParser
import Treeline
import TreelineBuilder

/// Times the way from a tree to the separation of each of its nodes.
struct SeparationBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "separation", abstract: "Times finding at what distance each node gives way to its children."
  )

  @Argument(help: "The points.")
  var points: PointFile

  @Option(help: "How many threads.")
  var threads = 2

  @Option(help: "How many times before those that are timed.")
  var warmups = 1

  @Option(help: "How many timed times.")
  var runs = 3

  struct Result: Encodable {
    var points: Int
    var threads: Int
    /// One number a run.
    var seconds: [Double] = []
    var splits = 0
    var looksPerSplit = 0.0
    var cellsPerLook = 0.0
    var grids = 0
    /// By split.
    var nodesOnGrids = 0.0
    var residentBefore = 0
    var residentPeak = 0
    var codesHash = ""
  }

  func run() throws {
    let tree = try ClusterTree(points.read())
    var result = Result(points: tree.pointCount, threads: threads, residentBefore: ResidentMemory.now)
    for run in 0..<warmups + runs {
      var found: (codes: ContiguousArray<UInt16>, work: SeparationWork)?
      let time = seconds { found = tree.separations(threads: threads) }
      if run >= warmups { result.seconds.append(time) }
      if run == warmups + runs - 1 { try check(found!, of: tree, &result) }
    }
    result.residentPeak = ResidentMemory.peak
    try printJSON(result)
  }

  private func check(
    _ found: (codes: ContiguousArray<UInt16>, work: SeparationWork), of tree: ClusterTree,
    _ result: inout Result
  ) throws {
    // Every node with two children, whose positions differ by a unit or more, was split.
    let parted = try tree.shape().positionCount - 1
    require(found.work.splits <= parted, "\(found.work.splits) splits of \(parted) nodes")
    result.splits = found.work.splits
    let splits = Double(max(found.work.splits, 1))
    result.looksPerSplit = Double(found.work.looks) / splits
    result.cellsPerLook = Double(found.work.cells) / Double(max(found.work.looks, 1))
    result.grids = found.work.grids
    result.nodesOnGrids = Double(found.work.nodesOnGrids) / splits
    var hash: UInt64 = 0
    for code in found.codes { hash = (hash ^ UInt64(code)) &* 0x100_0000_01b3 }
    result.codesHash = String(hash, radix: 16)
  }
}

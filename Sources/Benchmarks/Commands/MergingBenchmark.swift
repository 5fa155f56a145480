import ArgumentParser
import PointSets
import Treeline
import TreelineBuilder

/// Reports how clusters are merged if the positions are divided into parts. Then measures how long edits of the tree
/// take.
struct MergingBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merging", abstract: "Reports how clusters are merged in parts, and times edits of the tree.",
    discussion: """
      'inParts' is the share of all merges that happen within parts. Along the borders of parts, clusters are merged \
      again in 'areas' areas. 'retries' is the number of these areas that were too small at first. 'again' is the \
      number of clusters that are merged again, per position. 'expectedAgain' is the estimate of 'again' that the \
      choice of parts uses. 'ofSerial' is the total time of all parts. 'longestPath' is the time of the longest chain \
      of parts in which each part waits for the previous part. 'ofSerial' and 'longestPath' are divided by the time \
      of merging without parts, and are meaningful with one thread. Edits remove points and add them elsewhere.
      """)

  @OptionGroup var build: BuildArguments

  @Option(help: "Number of parts of equal size into which the positions are divided. (default: as in a build)")
  var parts: Int?

  @Option(help: "Number of timed edits.") var edits = 300

  func run() throws {
    let coordinates = try build.points.read()
    guard case .merging(let metric) = build.grown.growth, metric.keepsApart, coordinates.count > 1 else {
      throw ValidationError("The benchmark needs two points or more, and --merge distance or --merge badges.")
    }
    let options = build.options
    let tree = try ClusterTree(coordinates, options: options)
    try printJSON(try report(coordinates, tree, options).merging(try editTimes(of: tree)) { $1 })
  }

  private func report(
    _ coordinates: [Coordinate], _ tree: ClusterTree, _ options: BuildOptions
  ) throws -> [String: any Encodable] {
    var fields: [String: any Encodable] = ["points": coordinates.count]
    let positionCount = try tree.shape().positionCount
    var options = options
    options.leavesInPart = parts.map { positionCount / $0 + 1 }
    let report = try MergeReport(merging: coordinates, options: options)
    options.leavesInPart = positionCount
    let serial = try MergeReport(merging: coordinates, options: options)
    fields["parts"] = report.partCount
    fields["inParts"] = Double(report.mergesInParts) / Double(positionCount)
    fields["areas"] = report.mending.areas
    fields["retries"] = report.mending.retries
    fields["again"] = Double(report.mending.clusters) / Double(positionCount)
    fields["expectedAgain"] = report.expectedAgain / Double(positionCount)
    fields["ofSerial"] = report.duration / serial.duration
    fields["longestPath"] = report.longestPath / serial.duration
    return fields
  }

  /// Times edits. Points are removed one by one. Each removed point is then added near another point. Both edits are
  /// timed.
  private func editTimes(of tree: ClusterTree) throws -> [String: any Encodable] {
    guard let history = MergeHistory(tree) else { throw ValidationError("Expected a tree with merge scales") }
    var random = SplitMix64(seed: 1)
    var times: [Double] = []
    if edits == 0 { return [:] }
    for index in stride(from: 0, to: tree.pointCount, by: max(2 * tree.pointCount / edits, 1)) {
      let (from, near) = (
        tree.position(atTreeIndex: index), tree.position(atTreeIndex: random.index(below: tree.pointCount))
      )
      let row = UInt32(tree.row(atTreeIndex: index))
      let target = PlanePoint(
        x: near.x &+ UInt32(random.index(below: 4096)), y: near.y &+ UInt32(random.index(below: 4096)))
      times.append(seconds { history.update(removing: [.init(row: row, position: from)]) })
      times.append(seconds { history.update(adding: [.init(row: row, position: target)]) })
    }
    times.sort()
    return [
      "editMedian": times[times.count / 2], "editP95": times[times.count * 95 / 100],
      "clustersInEdit": history.counts.clusters / times.count,
    ]
  }
}

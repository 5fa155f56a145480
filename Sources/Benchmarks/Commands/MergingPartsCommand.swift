import ArgumentParser
import PointSets
import Treeline
import TreelineBuilder

/// Measures what a merged tree beyond memory would have to go by: into which parts its clusters fall, none of which
/// matters to another up to some scale, and how far around a part its merges depend on others.
struct MergingPartsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merging-parts",
    abstract: "Measures the parts into which merging by distance falls, and how far merges reach.")

  @Argument(help: "The points.") var points: PointFile

  @Option(help: "How many windows are compared at each scale.") var windows = 8

  /// At one scale, when one in so many of the positions is left.
  struct Scale: Encodable {
    var clusters: Int
    /// The share of all positions that is in the largest part, if all is merged up to here in one round.
    var largestFromPositions: Double
    /// The margin, in units of the scale, with which merges in half, all but a tenth and all of the windows come out as
    /// in the whole; no number where none was wide enough.
    var margins: [Double?]
  }

  /// Rounds of one width, from where nine in ten of the positions are left to where one in a hundred is.
  struct Rounds: Encodable {
    var width: Double
    var rounds = 0
    /// How many clusters were looked at in all rounds, for each position.
    var looks = 0.0
    /// Clusters in the largest part of any round, and what share it was of those that there were.
    var largest = 0
    var share = 0.0
  }

  func run() throws {
    let coordinates = try points.read()
    let tree = try mergedTree(coordinates)
    var (scales, rounds): ([Scale], [Rounds]) = ([], [])
    try tree.withStorage { storage in
      let cut = MergedCut(storage)
      let positions = cut.clusters(at: 1)
      for share in [2, 4, 10, 30, 100] {
        let code = cut.code(leaving: positions.count / share)
        scales.append(
          Scale(
            clusters: cut.clusters(at: code).count,
            largestFromPositions: Double(MergeParts(positions, within: squaredDistance(code)).largest)
              / Double(max(positions.count, 1)),
            margins: try margins(at: code, cut, coordinates, tree.plane)))
      }
      for width in [1.19, 1.05, 1.02] { rounds.append(self.rounds(width: width, cut, positions.count)) }
    }
    try printJSON(["points": coordinates.count, "scales": scales, "rounds": rounds])
  }

  /// On a plane of degrees, which has no seam.
  private func mergedTree(_ coordinates: [Coordinate]) throws -> ClusterTree {
    try ClusterTree(
      coordinates, as: .planar, options: BuildOptions(growth: .merging(by: .distance), computesSeparations: true))
  }

  private func squaredDistance(_ code: UInt16) -> UInt64 { SeparationCode(rawValue: code).squaredDistance }

  // MARK: - Parts

  private func rounds(width: Double, _ cut: MergedCut, _ positionCount: Int) -> Rounds {
    var rounds = Rounds(width: width)
    var code = cut.code(leaving: positionCount / 10 * 9)
    let last = cut.code(leaving: positionCount / 100)
    while code > 0, code < last {
      let clusters = cut.clusters(at: code)
      let end = UInt64(Double(squaredDistance(code)) * width * width)
      let next = max(code + 1, SeparationCode(roundingDown: end).rawValue)
      let parts = MergeParts(clusters, within: squaredDistance(next))
      // What is merged in the round is of one part.
      let merged = cut.clusters(at: next)
      var first = 0
      for cluster in merged {
        let start = first
        while first < clusters.count, clusters[first].node.first < cluster.node.first + cluster.node.count {
          first += 1
        }
        require((start..<first).allSatisfy { parts.part(of: $0) == parts.part(of: start) }, "parts are not apart")
      }
      rounds.rounds += 1
      rounds.looks += Double(clusters.count) / Double(max(positionCount, 1))
      rounds.largest = max(rounds.largest, parts.largest)
      rounds.share = max(rounds.share, Double(parts.largest) / Double(clusters.count))
      guard merged.count > 1 else { break }
      code = cut.scales[merged.count - 2]
    }
    return rounds
  }

  // MARK: - Margins

  private static let triedMargins = [0, 1, 2, 4, 8, 16, 32]

  /// Compares squares around random clusters, 32 times as wide as the scale, with what is built of them and a margin.
  private func margins(at code: UInt16, _ cut: MergedCut, _ coordinates: [Coordinate], _ plane: Plane) throws
    -> [Double?]
  {
    let clusters = cut.clusters(at: code)
    let points = coordinates.map { plane.point(at: $0) }
    // With them any part has the same plane.
    let corners = Set(
      [
        points.indices.min { points[$0].x < points[$1].x }, points.indices.max { points[$0].x < points[$1].x },
        points.indices.min { points[$0].y < points[$1].y }, points.indices.max { points[$0].y < points[$1].y },
      ].compactMap { $0 })
    let scale = Int64(Double(squaredDistance(code)).squareRoot())
    var random = SplitMix64(seed: 11)
    var needed: [Double] = []
    for _ in 0..<windows {
      let center = clusters[random.index(below: clusters.count)].position
      // Beyond the edge of the plane there is nothing.
      func square(_ margin: Int) -> PlaneRect {
        let half = (16 + Int64(margin)) * scale
        let (x, y) = (Int64(center.x), Int64(center.y))
        return PlaneRect(
          minX: UInt32(clamping: x - half), minY: UInt32(clamping: y - half), maxX: UInt32(clamping: x + half),
          maxY: UInt32(clamping: y + half))
      }
      let core = square(0)
      let expected = clusters.identities(in: core)
      var enough: Int?
      for margin in Self.triedMargins {
        let box = square(margin)
        let rows = points.indices.filter { box.touches(PlaneRect(points[$0])) || corners.contains($0) }
        let part = try mergedTree(rows.map { coordinates[$0] })
        let found = part.withStorage { MergedCut($0).clusters(at: code).identities(in: core) }
        if found == expected { enough = enough ?? margin } else { enough = nil }
      }
      needed.append(enough.map { Double($0) } ?? .infinity)
    }
    needed.sort()
    func at(_ share: Double) -> Double? {
      guard !needed.isEmpty else { return nil }
      let margin = needed[Int(share * Double(needed.count - 1))]
      return margin.isFinite ? margin : nil
    }
    return [at(0.5), at(0.9), at(1)]
  }
}

/// A merged tree at any scale.
private struct MergedCut {
  let storage: TreeStorage
  /// The scales of all merges, the greatest first.
  let scales: [UInt16]

  struct Cluster {
    let node: Node
    let position: PlanePoint
    let box: PlaneRect
  }

  init(_ storage: TreeStorage) {
    self.storage = storage
    var scales: [UInt16] = []
    Self.visit(storage) { _, scale in
      if let scale { scales.append(scale) }
      return true
    }
    self.scales = scales.sorted(by: >)
  }

  /// The scale at which no more than so many clusters are left.
  func code(leaving count: Int) -> UInt16 { scales.isEmpty ? 1 : scales[min(max(count, 1), scales.count) - 1] + 1 }

  /// The clusters before the first merge of a scale, in tree order.
  func clusters(at code: UInt16) -> [Cluster] {
    var clusters: [Cluster] = []
    Self.visit(storage) { node, scale in
      if let scale, scale >= code { return true }
      clusters.append(Cluster(node: node, position: storage.meanPosition(of: node), box: storage.box(of: node)))
      return false
    }
    return clusters
  }

  /// Calls with each node, in tree order, and its scale, which single positions have none of.
  private static func visit(_ storage: TreeStorage, _ goesDown: (Node, _ scale: UInt16?) -> Bool) {
    guard let root = storage.root else { return }
    var stack = [root]
    while let node = stack.popLast() {
      let children = try! storage.children(of: node)
      let scale = children.map { storage.separations![Int($0.right.first)] }
      if goesDown(node, scale), let children { stack += [children.right, children.left] }
    }
  }
}

/// Sets of clusters that come no closer to each other than a distance as long as nothing farther apart is merged: of
/// two of them the boxes around all positions are that far apart, and means never leave the box.
private struct MergeParts {
  private var parents: [Int]
  private(set) var largest = 0

  init(_ clusters: [MergedCut.Cluster], within squaredDistance: UInt64) {
    parents = Array(clusters.indices)
    let reach = UInt32(min(Double(squaredDistance).squareRoot() + 1, 0x1p31))
    // All in a cell are within reach of each other.
    var cells: [UInt64: Int] = [:]
    let side = max(reach / 2, 1)
    for (index, cluster) in clusters.enumerated() where reach > 4 {
      let key = UInt64(cluster.position.x / side) << 32 | UInt64(cluster.position.y / side)
      if let other = cells.updateValue(index, forKey: key) { parents[index] = other }
    }
    while true {
      var boxes = clusters.map { PlaneRect($0.position) }
      for index in clusters.indices { boxes[root(index)].formUnion(clusters[index].position) }
      let roots = clusters.indices.filter { parents[$0] == $0 }
      if !unite(roots.map { ($0, boxes[$0]) }, reach, squaredDistance) { break }
    }
    var counts = [Int](repeating: 0, count: clusters.count)
    for index in clusters.indices { counts[root(index)] += 1 }
    largest = counts.max() ?? 0
  }

  func part(of index: Int) -> Int {
    var index = index
    while parents[index] != index { index = parents[index] }
    return index
  }

  private mutating func root(_ index: Int) -> Int {
    let part = part(of: index)
    var index = index
    while parents[index] != part { (parents[index], index) = (part, parents[index]) }
    return part
  }

  /// Unites parts whose boxes are too close, row by row and from west to east.
  private mutating func unite(_ boxes: [(part: Int, box: PlaneRect)], _ reach: UInt32, _ squaredDistance: UInt64)
    -> Bool
  {
    let height = max(2 * UInt64(reach), 1 << 16)
    var entries: [(row: UInt32, index: Int)] = []
    for (index, (_, box)) in boxes.enumerated() {
      for row in UInt64(box.minY) / height...(UInt64(box.maxY) + UInt64(reach)) / height {
        entries.append((UInt32(row), index))
      }
    }
    entries.sort { ($0.row, boxes[$0.index].box.minX) < ($1.row, boxes[$1.index].box.minX) }
    var (isAny, row, active) = (false, UInt32.max, [Int]())
    for entry in entries {
      if entry.row != row { (row, active) = (entry.row, []) }
      let (part, box) = boxes[entry.index]
      active.removeAll { UInt64(boxes[$0].box.maxX) + UInt64(reach) < UInt64(box.minX) }
      for other in active where boxes[other].box.squaredGap(to: box) < squaredDistance {
        let (a, b) = (root(part), root(boxes[other].part))
        if a != b {
          parents[max(a, b)] = min(a, b)
          isAny = true
        }
      }
      active.append(entry.index)
    }
    return isAny
  }
}

extension PlaneRect {
  fileprivate func squaredGap(to other: PlaneRect) -> UInt64 {
    func gap(_ a: (UInt32, UInt32), _ b: (UInt32, UInt32)) -> UInt64 {
      a.1 < b.0 ? UInt64(b.0 - a.1) : b.1 < a.0 ? UInt64(a.0 - b.1) : 0
    }
    let (x, y) = (gap((minX, maxX), (other.minX, other.maxX)), gap((minY, maxY), (other.minY, other.maxY)))
    let (sum, overflow) = (x &* x).addingReportingOverflow(y &* y)
    return overflow ? .max : sum
  }

  fileprivate func touches(_ other: PlaneRect) -> Bool { squaredGap(to: other) == 0 }
}

extension [MergedCut.Cluster] {
  /// What tells those apart that touch a box.
  fileprivate func identities(in box: PlaneRect) -> [[UInt32]] {
    filter { $0.box.touches(box) }
      .map { [$0.box.minX, $0.box.minY, $0.box.maxX, $0.box.maxY, $0.position.x, $0.position.y, $0.node.count] }
      .sorted { $0.lexicographicallyPrecedes($1) }
  }
}

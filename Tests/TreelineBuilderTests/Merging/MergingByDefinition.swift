import PointSets
import Treeline

@testable import TreelineBuilder

/// Computes the merges and their scales from the definition alone: see `TouchMerging` and `ScatterMerging`. Takes
/// O(n^3) steps.
struct MergingByDefinition {
  /// Scale of each cluster. The keys are the numbers of the cluster's leaves, in ascending order.
  private(set) var scales: [[Int]: UInt16] = [:]
  private(set) var leftParts: [[Int]: [Int]] = [:]
  private(set) var anchors: [[Int]: PlanePoint] = [:]
  /// The distinct positions, in Z-order.
  let leaves: [PlanePoint]

  private let counts: [Int]
  private let isCyclic: Bool
  private let metric: MergeMetric
  private let curve: BadgeCurve

  private struct Part {
    var leaves: [Int]
    var position: PlanePoint
    var scale: UInt16
  }

  init(
    _ positions: [PlanePoint], isCyclic: Bool, by metric: MergeMetric, badges curve: BadgeCurve, anchor: ClusterAnchor
  ) {
    (self.metric, self.curve) = (metric, curve)
    let groups = Dictionary(grouping: positions) { Self.zOrder($0) }.sorted { $0.key < $1.key }.map(\.value)
    leaves = groups.map { $0[0] }
    counts = groups.map(\.count)
    self.isCyclic = isCyclic && metric != .scatter
    var parts = leaves.indices.map { Part(leaves: [$0], position: leaves[$0], scale: 0) }
    while parts.count > 1 {
      // Parts are in the order of their least members. So, if several pairs are equally close, the first of them is the
      // right pair.
      var closest: (cost: Cost, first: Int, second: Int)?
      for first in parts.indices {
        for second in parts.indices.dropFirst(first + 1) {
          let cost = cost(parts[first], parts[second])
          if closest.map({ cost < $0.cost }) ?? true { closest = (cost, first, second) }
        }
      }
      let (cost, first, second) = closest!
      let (a, b) = (parts[first], parts[second])
      let leaves = (a.leaves + b.leaves).sorted()
      let code = SeparationCode(roundingDown: UInt64(clamping: cost.dividend / cost.divisor)).rawValue
      let center = mean(of: leaves)
      let isAcross = isCyclic && westEdge(of: leaves) != nil
      func distance(_ part: Part) -> UInt64 {
        (isAcross ? Plane.Projection.webMercator : .planar).squaredDistance(center, part.position)
      }
      let member = distance(b) < distance(a) ? b.position : a.position
      let merged = Part(
        leaves: leaves, position: anchor == .mean ? center : member, scale: max(code, a.scale, b.scale))
      anchors[leaves] = merged.position
      scales[leaves] = merged.scale
      leftParts[leaves] = a.leaves.sorted()
      parts[first] = merged
      parts.remove(at: second)
    }
  }

  /// Cost of a merge, as a quotient. For up to a few hundred points, the products in comparisons fit in 128 bits.
  private struct Cost: Comparable {
    var dividend: UInt128
    var divisor: UInt128 = 1

    static func < (a: Cost, b: Cost) -> Bool { a.dividend * b.divisor < b.dividend * a.divisor }
  }

  private func cost(_ a: Part, _ b: Part) -> Cost {
    switch metric {
    case .distance: Cost(dividend: UInt128(squaredDistance(a, b)))
    case .badges: Cost(dividend: UInt128(scaledDistance(a, b)))
    case .scatter: addedScatter(a, b)
    }
  }

  /// Returns n1 n2 / (n1 + n2) times the squared distance of the means s1 / n1 and s2 / n2.
  private func addedScatter(_ a: Part, _ b: Part) -> Cost {
    let (n, m) = (UInt128(pointCount(a)), UInt128(pointCount(b)))
    let squares = [\PlanePoint.x, \.y].map { axis in
      func sum(_ part: Part) -> UInt128 {
        part.leaves.reduce(0) { $0 + UInt128(leaves[$1][keyPath: axis]) * UInt128(counts[$1]) }
      }
      let (p, q) = (sum(a) * m, sum(b) * n)
      return (max(p, q) - min(p, q)) * (max(p, q) - min(p, q))
    }
    return Cost(dividend: squares[0] + squares[1], divisor: n * m * (n + m))
  }

  private func pointCount(_ part: Part) -> Int { part.leaves.reduce(0) { $0 + counts[$1] } }

  static func zOrder(_ point: PlanePoint) -> UInt64 {
    var code: UInt64 = 0
    for bit: UInt32 in (0..<32).reversed() {
      code = code << 2 | UInt64(point.y >> bit & 1) << 1 | UInt64(point.x >> bit & 1)
    }
    return code
  }

  /// Returns the squared distance in units of the touching distance. Computes it exactly in 128 bits, and clamps it to
  /// 64 bits.
  private func scaledDistance(_ a: Part, _ b: Part) -> UInt64 {
    let diameters = [a, b].map { part in
      UInt128(curve.steps.last { $0.pointCount <= pointCount(part) }!.diameter)
    }
    let touching = diameters[0] + diameters[1] + 2 * UInt128(curve.gap)
    return UInt64(clamping: UInt128(squaredDistance(a, b)) * 1024 * 1024 / (touching * touching))
  }

  private func squaredDistance(_ a: Part, _ b: Part) -> UInt64 {
    let plain = Plane.Projection.planar.squaredDistance(a.position, b.position)
    guard isCyclic, max(a.position.x, b.position.x) - min(a.position.x, b.position.x) > 1 << 31 else { return plain }
    return westEdge(of: a.leaves + b.leaves) == nil
      ? plain : Plane.Projection.webMercator.squaredDistance(a.position, b.position)
  }

  /// Returns the western end of the narrowest arc of longitudes that contains some leaves; nil if the arc is half the
  /// world wide or wider.
  private func westEdge(of leaves: [Int]) -> UInt32? {
    let xs = leaves.map { self.leaves[$0].x }.sorted()
    return xs.first { west in xs.allSatisfy { $0 &- west < 1 << 31 } }
  }

  private func mean(of leaves: [Int]) -> PlanePoint {
    let west = isCyclic ? westEdge(of: leaves) ?? 0 : 0
    var (x, y, count) = (UInt128(0), UInt128(0), UInt128(0))
    for leaf in leaves {
      x += UInt128(self.leaves[leaf].x &- west) * UInt128(counts[leaf])
      y += UInt128(self.leaves[leaf].y) * UInt128(counts[leaf])
      count += UInt128(counts[leaf])
    }
    func rounded(_ sum: UInt128) -> UInt32 { UInt32(truncatingIfNeeded: (2 * sum + count) / (2 * count)) }
    return PlanePoint(x: west &+ rounded(x), y: rounded(y))
  }
}

extension ClusterTree {
  /// Returns how the tree differs from the definition. A tree that keeps clusters apart must have merge scales.
  func differencesFromMerging() throws -> [String] {
    let positions = positions
    let expected = MergingByDefinition(
      positions, isCyclic: plane.projection == .webMercator, by: growth.mergeMetric!, badges: badgeCurve ?? .standard,
      anchor: anchor)
    let numbers = Dictionary(uniqueKeysWithValues: expected.leaves.enumerated().map { ($1, $0) })
    func leaves(_ range: Range<Int>) -> [Int] { Set(range.map { numbers[positions[$0]]! }).sorted() }
    var (differences, nodeCount) = ([String](), 0)
    try withStorage { storage in
      var stack = [storage.root].compactMap { $0 }
      while let node = stack.popLast() {
        guard let (left, right) = try storage.children(of: node) else { continue }
        nodeCount += 1
        let found = storage.separations?[Int(right.first)]
        let members = leaves(node.range)
        if growth.mergeMetric!.keepsApart && expected.scales[members] != found {
          differences.append(
            "\(node.range): expected \(String(describing: expected.scales[members])), found \(String(describing: found))"
          )
        } else if expected.anchors[members] != storage.anchorPosition(of: node) {
          differences.append("\(node.range): expected \(expected.anchors[members]!) as its anchor")
        } else if expected.leftParts[members] != leaves(left.range) {
          differences.append("\(node.range): expected another left part than \(left.range)")
        }
        stack += [right, left]
      }
    }
    if nodeCount != expected.scales.count { differences.append("\(nodeCount) nodes of \(expected.scales.count)") }
    return differences
  }
}

extension PointSet {
  func mergedTree(
    by metric: MergeMetric = .distance, badges curve: BadgeCurve = .standard, anchor: ClusterAnchor = .mean,
    threads: Int = 1, maximumDepth: Int = MergeTree.maximumDepth, leavesInPart: Int? = nil
  ) throws -> ClusterTree {
    var options = BuildOptions(
      growth: .merging(by: metric), threads: threads, badgeCurve: curve,
      anchor: anchor)
    options.maximumMergeDepth = maximumDepth
    options.leavesInPart = leavesInPart
    return try ClusterTree(coordinates, as: projection, options: options)
  }
}

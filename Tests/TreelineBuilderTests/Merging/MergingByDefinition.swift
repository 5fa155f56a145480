import PointSets
import Treeline

@testable import TreelineBuilder

/// Which clusters are merged at which scale, by the definition and nothing else: see `MergeSequence` and
/// `BadgeMerging`.
///
/// O(n^3).
struct MergingByDefinition {
  /// By the numbers of its leaves in rising order.
  private(set) var scales: [[Int]: UInt16] = [:]
  private(set) var leftParts: [[Int]: [Int]] = [:]
  /// The distinct positions in Z-order.
  let leaves: [PlanePoint]

  private let counts: [Int]
  private let isCyclic: Bool
  private let curve: BadgeCurve?

  private struct Part {
    var leaves: [Int]
    var position: PlanePoint
    var scale: UInt16
  }

  init(_ positions: [PlanePoint], isCyclic: Bool, badges curve: BadgeCurve? = nil) {
    self.curve = curve
    let groups = Dictionary(grouping: positions) { Self.zOrder($0) }.sorted { $0.key < $1.key }.map(\.value)
    leaves = groups.map { $0[0] }
    counts = groups.map(\.count)
    self.isCyclic = isCyclic
    var parts = leaves.indices.map { Part(leaves: [$0], position: leaves[$0], scale: 0) }
    while parts.count > 1 {
      var closest = (squaredDistance: UInt64.max, first: 0, second: 1)
      // Parts are in the order of their least members, so the first pair of several as close is the one.
      for first in parts.indices {
        for second in parts.indices.dropFirst(first + 1) {
          let distance = scaledDistance(parts[first], parts[second])
          if distance < closest.squaredDistance { closest = (distance, first, second) }
        }
      }
      let (a, b) = (parts[closest.first], parts[closest.second])
      let leaves = (a.leaves + b.leaves).sorted()
      let code = SeparationCode(roundingDown: closest.squaredDistance).rawValue
      let merged = Part(leaves: leaves, position: mean(of: leaves), scale: max(code, a.scale, b.scale))
      scales[leaves] = merged.scale
      leftParts[leaves] = a.leaves.sorted()
      parts[closest.first] = merged
      parts.remove(at: closest.second)
    }
  }

  static func zOrder(_ point: PlanePoint) -> UInt64 {
    var code: UInt64 = 0
    for bit: UInt32 in (0..<32).reversed() {
      code = code << 2 | UInt64(point.y >> bit & 1) << 1 | UInt64(point.x >> bit & 1)
    }
    return code
  }

  /// Exact in 128 bits, but for what is beyond 64.
  private func scaledDistance(_ a: Part, _ b: Part) -> UInt64 {
    let squaredDistance = squaredDistance(a, b)
    guard let curve else { return squaredDistance }
    let diameters = [a, b].map { part in
      let count = part.leaves.reduce(0) { $0 + counts[$1] }
      return UInt128(curve.steps.last { $0.pointCount <= count }!.diameter)
    }
    let touching = diameters[0] + diameters[1] + 2 * UInt128(curve.gap)
    return UInt64(clamping: UInt128(squaredDistance) * 1024 * 1024 / (touching * touching))
  }

  private func squaredDistance(_ a: Part, _ b: Part) -> UInt64 {
    let plain = Plane.Projection.planar.squaredDistance(a.position, b.position)
    guard isCyclic, max(a.position.x, b.position.x) - min(a.position.x, b.position.x) > 1 << 31 else { return plain }
    return westEdge(of: a.leaves + b.leaves) == nil
      ? plain : Plane.Projection.webMercator.squaredDistance(a.position, b.position)
  }

  /// Where the narrowest arc of longitudes around some leaves begins, if it is narrower than half the world.
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
  /// What differs from the definition, of a tree with separations.
  func differencesFromMerging() throws -> [String] {
    let positions = positions
    let expected = MergingByDefinition(positions, isCyclic: plane.projection == .webMercator, badges: badgeCurve)
    let numbers = Dictionary(uniqueKeysWithValues: expected.leaves.enumerated().map { ($1, $0) })
    func leaves(_ range: Range<Int>) -> [Int] { Set(range.map { numbers[positions[$0]]! }).sorted() }
    var (differences, nodeCount) = ([String](), 0)
    try withStorage { storage in
      var stack = [storage.root].compactMap { $0 }
      while let node = stack.popLast() {
        guard let (left, right) = try storage.children(of: node) else { continue }
        nodeCount += 1
        let found = storage.separations![Int(right.first)]
        let members = leaves(node.range)
        if expected.scales[members] != found {
          differences.append("\(node.range): expected \(String(describing: expected.scales[members])), found \(found)")
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
    by metric: MergeMetric = .distance, badges curve: BadgeCurve = .standard, threads: Int = 1,
    maximumDepth: Int = Merges.maximumDepth, sizes: MergeSizes = MergeSizes()
  ) throws -> ClusterTree {
    var options = BuildOptions(
      growth: .merging(by: metric), threads: threads, computesSeparations: true, badgeCurve: curve)
    options.maximumMergeDepth = maximumDepth
    options.mergeSizes = sizes
    return try ClusterTree(coordinates, as: projection, options: options)
  }
}

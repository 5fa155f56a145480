import PointSets
import TestSupport
import Testing
@testable import Treeline

@testable import TreelineBuilder

/// Compares each merge of many small trees with the definition.
@Suite struct MergingExhaustiveTests {
  @Test(arguments: PointSet.nasty) func mergesAreThoseOfTheDefinition(_ set: PointSet) throws {
    try check(set.sample(Trials.count(150, atLeast: 25), seed: 41))
  }

  @Test(arguments: Trials.seeds(300).map { PointSet.random(seed: $0, upTo: 70) })
  func mergesOfRandomPointsAreThoseOfTheDefinition(_ set: PointSet) throws { try check(set) }

  /// Tests all subsets of a lattice of 3 by 3 points, in which most distances tie.
  @Test func mergesOfAllPartsOfALatticeAreThoseOfTheDefinition() throws {
    for chosen in stride(from: 1, to: 512, by: 512 / Trials.count(512) | 1) {
      var points: [PlanePoint] = []
      for cell in UInt32(0)..<9 where chosen >> Int(cell) & 1 == 1 {
        points.append(PlanePoint(x: 1_000_000 + 3 * (cell % 3), y: 1_000_000 + 3 * (cell / 3)))
      }
      try check(PointSet("part \(chosen) of a lattice", onPlane: points))
    }
  }

  @Test(arguments: Trials.seeds(60)) func tiesGoByTheLeastMembers(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let side = 2 + random.index(below: 9)
    try check(PointSet.coarse(1 + random.index(below: 90), side: side, seed: seed))
    let step = UInt32(1) << UInt32(random.index(below: 28))
    try check(PointSet.lattice(columns: 1 + random.index(below: 8), rows: side, step: step))
  }

  /// Some squared distances are 25 and others are 26. Rounding makes them equal, so the least members decide which pair
  /// is merged.
  @Test func tiesByRoundingGoByTheLeastMembers() throws {
    let points = [(0, 2), (5, 3), (8, 0), (-4, -6), (-5, 4), (13, 18)].map { x, y in
      PlanePoint(x: UInt32(953_133_840 + x), y: UInt32(2_147_482_341 + y))
    }
    try check(PointSet("ties by rounding", onPlane: points))
    let others = [(0, 0), (5, 1), (5, -4), (-7, 3), (17, -10)].map { x, y in
      PlanePoint(x: UInt32(953_133_518 + x), y: UInt32(2_147_484_039 + y))
    }
    try check(PointSet("ties by rounding, below", onPlane: others))
  }

  /// Tests points on a narrow band around the world. Clusters are merged across the seam, wherever the seam is.
  @Test(arguments: Trials.seeds(60)) func clustersAreMergedAcrossTheSeam(seed: UInt64) throws {
    try check(PointSet.band(10 + Int(seed % 60), seed: seed))
  }

  @Test(arguments: Trials.seeds(60)) func plainPlanesHaveNoSeam(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    try check(PointSet.planar(10 + Int(seed % 60), x: 0...1, y: 0...random.number(from: 0, to: 2), seed: seed))
    try check(PointSet("band \(seed), plain", PointSet.band(60, seed: seed).coordinates, as: .planar))
  }

  @Test(arguments: Trials.seeds(100)) func badgesOfAnyCurveAreThoseOfTheDefinition(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var (count, diameter) = (UInt32(1), UInt16(64 + random.index(below: 1000)))
    let steps = (0...random.index(below: 8)).map { _ in
      defer {
        count += 1 + UInt32(random.index(below: 9))
        diameter += UInt16(random.index(below: 3000))
      }
      return BadgeCurve.Step(pointCount: count, diameter: diameter)
    }
    let curve = BadgeCurve(steps: steps, gap: UInt16(random.index(below: 2) * random.index(below: 1000)))
    let set = PointSet.random(seed: seed, upTo: 70)
    let tree = try set.mergedTree(by: .badges, badges: curve)
    let differences = try tree.differencesFromMerging()
    #expect(differences.isEmpty, "\(set), \(curve): \(differences.prefix(3))")
    let inParts = try set.mergedTree(by: .badges, badges: curve, leavesInPart: set.coordinates.count / 4 + 1)
    #expect(inParts.hasSameContent(as: tree), "\(set), \(curve), in parts")
  }

  /// A cluster of two points has the smallest possible badge. A cluster of three points has the largest possible badge,
  /// which may be wider than the world.
  @Test(arguments: Trials.seeds(20)) func badgesMayBeWiderThanTheWorld(seed: UInt64) throws {
    for gap in [0, BadgeCurve.greatestGap] {
      let curve = BadgeCurve(
        steps: [.init(pointCount: 1, diameter: 64), .init(pointCount: 3, diameter: BadgeCurve.greatestDiameter)],
        gap: gap)
      for set in [PointSet.random(seed: seed, upTo: 300), .band(100, seed: seed)] {
        let tree = try set.mergedTree(by: .badges, badges: curve)
        for leavesInPart in [10, 60] {
          let other = try set.mergedTree(by: .badges, badges: curve, threads: 2, leavesInPart: leavesInPart)
          #expect(other.hasSameContent(as: tree), "\(set), a gap of \(gap), in parts of \(leavesInPart)")
        }
      }
    }
  }

  private func check(_ set: PointSet) throws {
    for (metric, anchor) in [
      (.distance, .mean), (.badges, .mean), (.scatter, .mean), (.distance, .member), (.badges, .member),
    ] as [(MergeMetric, ClusterAnchor)] {
      let tree = try set.mergedTree(by: metric, anchor: anchor)
      let differences = try tree.differencesFromMerging()
      #expect(differences.isEmpty, "\(set), \(metric), at a \(anchor): \(differences.prefix(3))")
      for parts in [2, 3, 9] {
        let leavesInPart = set.coordinates.count / parts + 1
        let other = try set.mergedTree(by: metric, anchor: anchor, threads: 2, leavesInPart: leavesInPart)
        #expect(other.hasSameContent(as: tree), "\(set), \(metric), at a \(anchor), in \(parts) parts")
      }
    }
  }
}

extension ClusterTree {
  /// Returns whether two trees have the same points and rows in tree order, the same nodes and merge scales, and the
  /// same positions of clusters.
  func hasSameContent(as other: ClusterTree) -> Bool {
    contentHash == other.contentHash && scales == other.scales && anchor == other.anchor
      && badgeCurve == other.badgeCurve && hasSeparations == other.hasSeparations
      && (0..<pointCount).allSatisfy { row(atTreeIndex: $0) == other.row(atTreeIndex: $0) }
      && withStorage { own in
        other.withStorage { others in
          (0..<(own.anchors == nil ? 0 : (pointCount + 7) / 8)).allSatisfy { own.anchors![$0] == others.anchors![$0] }
        }
      }
  }
}

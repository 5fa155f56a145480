import PointSets
import Synchronization
import TestSupport
import Testing
import Treeline
@testable import TreelineBuilder

/// Computes separations in parts and at once. Both results must be equal, bit for bit.
@Suite struct SeparationPartsExhaustiveTests {
  @Test(arguments: PointSet.nasty, [SplitRule.mean, .leastScatter])
  func nastyPointsGiveTheSameCodes(_ set: PointSet, _ rule: SplitRule) throws {
    for capacity in [16, 60, 500] { try check(set, rule, capacity: capacity) }
  }

  @Test(arguments: Trials.seeds(300)) func randomPointsGiveTheSameCodes(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let set = PointSet.random(seed: seed, upTo: 2000)
    try check(set, seed % 2 == 0 ? .mean : .leastScatter, capacity: 16 + random.index(below: 600))
  }

  /// Tests sets with only a few different distances. Equal distances give long chains of nodes that block each other.
  @Test(arguments: Trials.seeds(40)) func tiesGiveTheSameCodes(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let side = 2 + random.index(below: 40)
    try check(
      PointSet.coarse(1 + random.index(below: 3000), side: side, seed: seed), capacity: 16 + random.index(below: 200))
    let step = UInt32(1) << UInt32(random.index(below: 26))
    try check(
      PointSet.lattice(columns: 1 + random.index(below: 40), rows: side, step: step),
      capacity: 16 + random.index(below: 200))
  }

  /// Tests points all around the world, so that the margins of parts cross the seam.
  @Test(arguments: Trials.seeds(40)) func theSeamIsNoEdge(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    try check(PointSet.band(400 + 20 * Int(seed % 40), seed: seed), capacity: 16 + random.index(below: 100))
  }

  @Test(arguments: [
    PointSet.uniformWorld(60_000, seed: 41), .cities(60_000, seed: 42), .roads(40_000, seed: 43),
    .planar(40_000, x: -3...9, y: 0...1, seed: 44), .coarse(40_000, side: 60, seed: 45),
    .nullIsland(stack: 15_000, noise: 25_000, seed: 46), .lattice(columns: 150, rows: 150), .twoTowns(40_000, seed: 47),
  ]) func manyPointsGiveTheSameCodes(_ set: PointSet) throws {
    for (capacity, threads) in Trials.some(of: [(9000, 2), (3000, 1), (20_000, 3)]) {
      try check(set, capacity: capacity, threads)
    }
  }

  private func check(_ set: PointSet, _ rule: SplitRule = .mean, capacity: Int, _ threads: Int = 1) throws {
    let tree = try set.tree(rule)
    let expected = tree.separations(threads: 1).codes
    let found = Mutex(ContiguousArray<UInt16>(repeating: 0, count: tree.pointCount))
    let work = try tree.withStorage { storage throws(PieceError) in
      let pieces = SeparationParts(
        of: SeparatedTree(storage, tree.plane.projection), capacity: capacity, threads: threads,
        BuildMonitor(pointCount: 1)
      ) { number, code in found.withLock { $0[Int(number)] = code } }
      try pieces.run()
      return pieces.work
    }
    let difference = found.withLock { found in found.indices.first { found[$0] != expected[$0] } }
    #expect(difference == nil, "\(set), \(rule), \(capacity) nodes at once: number \(difference ?? 0) of \(work)")
    // If a part exceeds the limit, it is the only part in memory, together with the margin that it needs.
    #expect(work.mostNodes <= max(max(capacity, 16) * threads, work.largestPart), "\(set), \(rule): \(work)")
    if set.coordinates.count >= 10_000 {
      #expect(work.mostNodes <= capacity * threads * 2, "\(set), \(rule): \(work)")
      print("\(set), \(capacity) nodes at once: \(work)")
    }
  }
}

extension PointSet {
  /// Returns two towns on opposite sides of the world, and nothing else.
  static func twoTowns(_ count: Int, seed: UInt64) -> PointSet {
    var random = SplitMix64(seed: seed)
    let coordinates = (0..<count).map { index in
      Coordinate(
        longitude: (index % 3 == 0 ? -91 : 89.5) + random.bell() / 100, latitude: 40 + random.bell() / 100)
    }
    return PointSet("two towns of \(count), seed \(seed)", coordinates)
  }
}

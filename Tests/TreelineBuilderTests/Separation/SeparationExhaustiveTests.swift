import PointSets
import TestSupport
import Testing
import Treeline

import TreelineBuilder

/// Compares each split of many small trees with the definition.
@Suite struct SeparationExhaustiveTests {
  @Test(arguments: PointSet.nasty) func splitsAreThoseOfTheDefinition(_ set: PointSet) throws {
    try check(set.sample(300, seed: 31))
  }

  @Test(arguments: Trials.seeds(300).map { PointSet.random(seed: $0, upTo: 90) })
  func splitsOfRandomPointsAreThoseOfTheDefinition(_ set: PointSet) throws { try check(set) }

  /// Tests sets with only a few different distances. Most distances are equal, so the order of the tree decides.
  @Test(arguments: Trials.seeds(100)) func tiesGoByTheOrderOfTheTree(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let side = 2 + random.index(below: 9)
    try check(PointSet.coarse(1 + random.index(below: 120), side: side, seed: seed))
    let step = UInt32(1) << UInt32(random.index(below: 28))
    try check(PointSet.lattice(columns: 1 + random.index(below: 8), rows: side, step: step))
  }

  /// Tests points on a narrow band around the world. Some have neighbors across the seam, wherever the seam is.
  @Test(arguments: Trials.seeds(60)) func distancesCrossTheSeam(seed: UInt64) throws {
    try check(PointSet.band(40 + Int(seed % 60), seed: seed))
  }

  @Test func theSeamOfAPlainPlaneIsAnEdge() throws {
    let coordinates = PointSet.band(80, seed: 7).coordinates
    try check(PointSet("band on a plain plane", coordinates, as: .planar))
  }

  @Test(arguments: Trials.seeds(60)) func plainPlanesHaveTheirOwnDistances(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let height = random.number(from: 0, to: 2)
    try check(PointSet.planar(10 + Int(seed % 60), x: 0...1, y: 0...height, seed: seed))
  }

  private func check(_ set: PointSet) throws {
    let tree = try set.tree()
    let expected = SeparationByDefinition(try TreeOutline(tree)).splits
    let found = tree.splits()
    #expect(found.splits.count == expected.count, "\(set)")
    let difference = zip(found.splits, expected).first { $0 != $1 }
    #expect(difference == nil, "\(set): \(String(describing: difference))")
    var codes = ContiguousArray<UInt16>(repeating: 0, count: tree.pointCount)
    for split in expected { codes[split.node] = SeparationCode(roundingDown: split.squaredDistance).rawValue }
    #expect(found.codes == codes, "\(set)")
    #expect(tree.separations(threads: 1).codes == codes, "\(set)")
  }
}

extension PointSet {
  /// Returns `count` of the points, drawn at random.
  func sample(_ count: Int, seed: UInt64) -> PointSet {
    guard coordinates.count > count else { return self }
    return PointSet("\(count) of \(name)", Array(shuffled(seed: seed).coordinates.prefix(count)), as: projection)
  }

  /// Returns points all around the world near the equator.
  static func band(_ count: Int, seed: UInt64) -> PointSet {
    var random = SplitMix64(seed: seed)
    let coordinates = (0..<count).map { _ in
      Coordinate(longitude: random.number(from: -180, to: 180), latitude: random.number(from: -1, to: 1))
    }
    return PointSet("band of \(count), seed \(seed)", coordinates)
  }
}

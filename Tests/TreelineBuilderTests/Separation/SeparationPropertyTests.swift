import PointSets
import Testing
import Treeline

@testable import TreelineBuilder

/// Checks the promises of separations on sets that are too large for the definition itself.
@Suite struct SeparationPropertyTests {
  static let sets: [PointSet] = [
    .uniformWorld(3000, seed: 61), .cities(4000, seed: 62), .roads(3000, seed: 63), .band(2500, seed: 64),
    .planar(2500, x: -3...9, y: 0...1, seed: 65), .coarse(10_000, side: 50, seed: 66),
    .nullIsland(stack: 2000, noise: 2000, seed: 67), .antimeridian(2000, seed: 68), .lattice(columns: 50, rows: 50),
    .geometricSpread(.spiral, growth: 1.1),
  ]

  @Test(arguments: sets) func holdAtAnyDistance(_ set: PointSet) throws {
    let tree = try set.tree()
    let cuts = SeparationCuts(try TreeOutline(tree), tree.separations(threads: 1).codes)
    #expect(cuts.growing == [])
    var random = SplitMix64(seed: 69)
    let anywhere = (0..<10).map { _ in 0x1p32 / Double(1 << random.index(below: 28)) * (1 + random.fraction()) }
    for distance in anywhere + [1e-200, 0.5, 1, 2, 0x1p40] {
      #expect(cuts.violations(at: distance).prefix(5) == [], "\(distance)")
    }
    // Tests distances that occur in the tree, and the doubles just below and just above them.
    for _ in 0..<4 {
      let code = cuts.codes[random.index(below: cuts.codes.count)]
      let distance = Double(SeparationCode(rawValue: code).squaredDistance).squareRoot()
      for distance in [distance.nextDown, distance, distance.nextUp] where distance > 0 {
        #expect(cuts.violations(at: distance).prefix(5) == [], "\(distance)")
      }
    }
  }

  @Test(arguments: PointSet.nasty) func areTheSameForAnyOrderOfThePoints(_ set: PointSet) throws {
    let codes = try set.tree().separations(threads: 1).codes
    for seed: UInt64 in 1...3 { #expect(try set.shuffled(seed: seed).tree().separations(threads: 1).codes == codes) }
  }

  @Test(arguments: [
    PointSet.uniformWorld(100_000, seed: 71), .cities(100_000, seed: 72), .coarse(100_000, side: 200, seed: 73),
  ]) func areTheSameForAnyOrderOfManyPointsAndAnyNumberOfThreads(_ set: PointSet) throws {
    let tree = try set.tree(threads: 2)
    let (codes, work) = tree.separations(threads: 1)
    for threads in [2, 3] {
      #expect(tree.separations(threads: threads).codes == codes, "\(threads) threads")
      #expect(tree.separations(threads: threads).work.looks == work.looks, "\(threads) threads")
    }
    #expect(try set.shuffled(seed: 74).tree(threads: 2).separations(threads: 2).codes == codes)
  }

  /// Rotates the world under the points. Checks that the meridian of the seam does not matter, as long as the positions
  /// are equal.
  @Test(arguments: [PointSet.band(3000, seed: 75), .uniformWorld(5000, seed: 76)]) func areTheSameWhereverTheSeamIs(
    _ set: PointSet
  ) throws {
    let tree = try set.tree()
    let codes = tree.separations(threads: 1).codes
    for turn: UInt32 in [1, 1 << 20, 1 << 31, 0xC000_0001] {
      #expect(tree.splits(turnedBy: turn).codes == codes, "turned by \(turn)")
    }
  }

  @Test func theShorterWayRoundCounts() throws {
    let tree = try PointSet.uniformWorld(5000, seed: 76).tree()
    #expect(tree.splits(turnedBy: 0, as: .planar).codes != tree.separations(threads: 1).codes)
  }

  /// Checks that the work grows with the number of points, not with its square: the number of nodes that are read for
  /// each point does not grow.
  @Test func workByPointDoesNotGrow() throws {
    let sets = [5000, 80_000].map { PointSet.cities($0, seed: 77) }
    let work = try sets.map { try $0.tree(threads: 2).separations(threads: 2).work }
    #expect(work.allSatisfy { $0.looks < 2 * $0.splits && $0.cells < 5 * $0.looks })
    #expect(work.allSatisfy { $0.nodesOnGrids < 4 * $0.splits })
  }

  @Test func nothingToSplitHasNoSeparation() throws {
    #expect(try PointSet.none.tree().separations(threads: 2).codes == [])
    #expect(try PointSet.one.tree().separations(threads: 2).codes == [0])
    #expect(try PointSet.coincident(40).tree().separations(threads: 2).codes.allSatisfy { $0 == 0 })
  }

  /// Checks two positions one unit apart, whose separation is one unit, and two positions at the greatest possible
  /// distance.
  @Test func extremeDistancesAreSeparations() throws {
    let next = PointSet("next", onPlane: [PlanePoint(x: 5, y: 5), PlanePoint(x: 5, y: 6)])
    #expect(try next.tree().separations(threads: 1).codes == [0, 1])
    let corners = PointSet("corners", [Coordinate(x: 0, y: 0), Coordinate(x: 1, y: 1)], as: .planar)
    #expect(try corners.tree().separations(threads: 1).codes == [0, SeparationCode(roundingDown: .max).rawValue])
  }
}

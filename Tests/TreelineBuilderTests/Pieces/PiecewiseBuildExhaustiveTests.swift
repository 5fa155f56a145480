import PointSets
import TestSupport
import Testing
import Treeline
@testable import TreelineBuilder

/// Checks that a build in pieces writes the same file, byte for byte, as a build in memory.
@Suite struct PiecewiseBuildExhaustiveTests {
  private static let rules: [SplitRule] = [.mean, .leastScatter]

  /// Returns points exactly on a diagonal. Rounding may tilt the axis through them to either side.
  private static func fallingLine(_ count: Int) -> PointSet {
    var random = SplitMix64(seed: 9)
    return PointSet(
      "falling line of \(count)",
      onPlane: (0..<count).map { _ in
        let along = UInt32(random.index(below: 1 << 22))
        return PlanePoint(x: 1 << 30 + along, y: 1 << 31 - along)
      })
  }

  @Test(arguments: PointSet.nasty, rules) func nastyPointsGiveTheSameBytes(_ set: PointSet, _ rule: SplitRule) throws {
    let expected = try set.indexBytes(rule)
    for pieceSize in Trials.some(of: [18, 17, 100, 1000, 1_000_000], atLeast: 2) {
      let found = try PiecewiseBuild(set: set, rule: rule, pieceSize: pieceSize).run().index
      #expect(found == expected, "pieces of \(pieceSize)")
    }
  }

  @Test(
    arguments: [
      PointSet.uniformWorld(40_000, seed: 41), .cities(40_000, seed: 42), .roads(30_000, seed: 43),
      .planar(30_000, x: -3...9, y: 0...1, seed: 44), .coarse(30_000, side: 40, seed: 45),
      .nullIsland(stack: 15_000, noise: 15_000, seed: 46), fallingLine(20_000),
      .lattice(columns: 150, rows: 150),
    ], rules)
  func manyPointsGiveTheSameBytes(_ set: PointSet, _ rule: SplitRule) throws {
    let expected = try set.indexBytes(rule)
    for (pieceSize, threads) in Trials.some(of: [(1000, 1), (17, 1), (100, 1), (9000, 2), (1_000_000, 3)]) {
      let found = try PiecewiseBuild(set: set, rule: rule, pieceSize: pieceSize, threads: threads).run().index
      #expect(found == expected, "pieces of \(pieceSize), \(threads) threads")
    }
    for threads in Trials.some(of: [2, 7]) {
      #expect(try set.indexBytes(rule, threads: threads) == expected, "\(threads) threads")
    }
  }

  @Test(arguments: rules) func randomPointsGiveTheSameBytes(_ rule: SplitRule) throws {
    for seed in Trials.seeds(150, from: 1) {
      let set = PointSet.random(seed: seed, upTo: 2000)
      var random = SplitMix64(seed: seed)
      let build = PiecewiseBuild(
        set: set, rule: rule, pieceSize: 17 + random.index(below: 300), parts: 1 + random.index(below: 5),
        shufflesPieces: seed % 2 == 0)
      #expect(try build.run().index == set.indexBytes(rule), "\(set), seed \(seed), pieces of \(build.pieceSize)")
    }
  }

  /// Checks that shuffled points give the same content hash. Shuffling only permutes the rows within stacks.
  @Test(arguments: rules) func anyOrderGivesTheSameContentHash(_ rule: SplitRule) throws {
    for seed in Trials.seeds(20, from: 1) {
      let set = PointSet.random(seed: seed, upTo: 2000)
      let hash = try set.tree(rule).contentHash
      let shuffled = set.shuffled(seed: seed)
      let build = PiecewiseBuild(set: shuffled, rule: rule, pieceSize: 40)
      let bytes = try build.run().index
      #expect(bytes == (try shuffled.indexBytes(rule)))
      #expect(bytes.withUnsafeBytes { $0.read(at: 72) as UInt64 } == hash, "\(set), seed \(seed)")
    }
  }

  /// Checks the number of passes. Each level needs one pass, for the extents. With the rule `leastScatter`, each level
  /// also needs passes that find the line.
  @Test func passesAreFew() throws {
    let set = PointSet.cities(60_000, seed: 3)
    let mean = try PiecewiseBuild(set: set, pieceSize: 10_000).run().passCount
    let least = try PiecewiseBuild(set: set, rule: .leastScatter, pieceSize: 10_000).run().passCount
    #expect(4...12 ~= mean, "\(mean) passes")
    #expect(mean + 3...100 ~= least, "\(least) passes")
    print("passes: \(mean) by mean, \(least) by least scatter")
  }
}

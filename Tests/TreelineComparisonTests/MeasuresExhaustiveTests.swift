import PointSets
import GridBaseline
import TestSupport
import Testing
import Treeline
import TreelineBuilder

@_spi(Server) @testable import TreelineComparison

/// Compares each measure with its definition, which is computed with loops over all points and all clusters.
@Suite struct MeasuresExhaustiveTests {
  private static let seeds = Trials.seeds(6, from: 1, atLeast: 2)

  private func views(seed: UInt64, on plane: Plane) throws -> [ComparisonView] {
    var random = SplitMix64(seed: seed &* 7919)
    return try (0..<6).map { index in
      let west = Double.random(in: -180...180, using: &random)
      let box = BoundingBox(
        west: index == 0 ? -180 : index == 1 ? 165 : west, south: Double.random(in: -70 ... -5, using: &random),
        east: index == 0 ? 180 : index == 1 ? -150 : west + Double.random(in: 20...200, using: &random),
        north: Double.random(in: 5...70, using: &random))
      return try ComparisonView(Viewport(box, width: 1024, height: 768), on: plane)
    }
  }

  @Test(arguments: seeds) func measuresAreWhatTheyAreDefinedToBe(seed: UInt64) throws {
    let points = SamplePoints.towns(seed: seed)
    let compared = try Compared(points)
    let tree = compared.tree
    let positions = tree.positions
    for view in try views(seed: seed, on: tree.plane) {
      let report = try ComparisonReport(of: compared.methods, over: tree, and: compared.grid, in: [view])
      let comparison = report.views[0]
      let inside = positions.filter { view.window.contains($0) }
      #expect(comparison.pointCount == inside.count, "seed \(seed)")
      let lonePoints = MeasuresByDefinition.lonePoints(among: positions, in: view)
      for result in comparison.results {
        let expected = MeasuresByDefinition(
          result.clusters, in: view, points: positions, lonePoints: lonePoints)
        let measures = result.measures
        #expect(result.pointCount == result.clusters.reduce(0) { $0 + $1.treeIndices().count })
        #expect(isClose(measures[.distortion], expected.distortion), "seed \(seed), \(view.box)")
        #expect(measures[.overlap] == expected.overlap, "seed \(seed), \(view.box)")
        #expect(isClose(measures[.closestPair], expected.closestPair), "seed \(seed), \(view.box)")
        #expect(measures[.axisShare] == expected.axisShare, "seed \(seed), \(view.box)")
        #expect(isClose(measures[.neighbourSpread], expected.neighbourSpread), "seed \(seed), \(view.box)")
        #expect(isClose(measures[.dataDistance], expected.dataDistance), "seed \(seed), \(view.box)")
        #expect(isClose(measures[.singleShare], expected.singleShare), "seed \(seed), \(view.box)")
        #expect(isClose(measures[.lonePointsKept], expected.lonePointsKept), "seed \(seed), \(view.box)")
        #expect(isClose(measures[.densityCorrelation], expected.densityCorrelation), "seed \(seed), \(view.box)")
        #expect(measures[.fill] == Double(result.clusters.count) / Double(comparison.limit))
        #expect(result.conservation.isExact, "seed \(seed), \(view.box)")
      }
    }
  }

  @Test(arguments: SamplePoints.nasty.map(\.name)) func nastySetsAreMeasured(name: String) throws {
    for comparison in try Compared(SamplePoints.nasty.first { $0.name == name }!.points).report().views {
      for result in comparison.results {
        let measures = result.measures
        #expect(result.conservation.isExact)
        #expect(measures[.distortion]?.isFinite ?? true)
        #expect(0...1 ~= measures[.overlap]!)
        #expect(0...1 ~= measures[.axisShare] ?? 0)
        #expect(measures[.neighbourSpread]?.isFinite ?? true)
        #expect(0...1 ~= measures[.singleShare]!)
        #expect(0...1 ~= measures[.lonePointsKept] ?? 0)
        #expect(-1.000_001...1.000_001 ~= measures[.densityCorrelation] ?? 0)
      }
    }
  }

  private func isClose(_ a: Double?, _ b: Double?) -> Bool {
    guard let a, let b else { return a == nil && b == nil }
    return abs(a - b) <= 1e-6 * max(1, abs(a))
  }
}

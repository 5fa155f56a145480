import GridBaseline
import PointSets
import TestSupport
import Testing
@_spi(Server) import Treeline

@_spi(Server) @testable import TreelineComparison

/// Compares the measures of samples with the measures of a report.
@Suite struct SampledMeasuresTests {
  /// Checks that the measures are equal if all points are sampled.
  @Test(arguments: PointSet.nasty + Trials.seeds(10, from: 910).map { PointSet.random(seed: $0) })
  func allPointsGiveTheMeasuresOfAReport(_ set: PointSet) throws {
    guard set.coordinates.count <= 16_384 else { return }
    let compared = try Compared(set.coordinates, as: set.projection)
    let (tree, grid) = (compared.tree, compared.grid)
    for view in try ViewChoice(tree: tree, grid: grid, size: .standard).views() {
      let points = ViewPoints(of: tree, in: view)
      func check(_ sampled: SampledMeasures, _ shown: [ShownCluster]) throws {
        let exact = try measures(of: shown, in: view, points: points, tree: tree)
        #expect(sampled.clusterCount == shown.count)
        #expect(sampled.pointCount == shown.reduce(0) { $0 + $1.pointCount })
        #expect(sampled.sampledPoints == points.count && sampled.pointsInView == points.count)
        #expect(sampled.overlap == exact[.overlap] && sampled.closestPair == exact[.closestPair])
        #expect(sampled.axisShare == exact[.axisShare] && sampled.neighbourSpread == exact[.neighbourSpread])
        #expect(sampled.dataDistance == exact[.dataDistance])
        let distortion = exact[.distortion] ?? 0
        #expect((sampled.distortion == nil) == (exact[.distortion] == nil))
        #expect(abs((sampled.distortion ?? 0) - distortion) < 1e-9 * (1 + distortion))
      }
      let clusters = try tree.clusters(.limit(30), in: view.window)
      try check(
        SampledMeasures(of: clusters, cut: .limit(30), over: tree, in: view),
        clusters.map { ShownCluster($0, of: ComparedTree(tree), cut: .limit(30), in: view) })
      try check(
        SampledMeasures(
          of: grid.clusters(in: view.window, cellSize: .pixels(64), zoom: view.zoom), over: tree, in: view),
        grid.shownClusters(in: view, cellSize: .pixels(64)))
    }
  }

  /// Checks that the measures of a sample are close to the measures of all points.
  @Test func aSampleIsNearTheWhole() throws {
    var random = SplitMix64(seed: 181)
    let points = (0..<200_000).map { _ in
      Coordinate(
        longitude: .random(in: 0...5, using: &random) + .random(in: 0...5, using: &random),
        latitude: .random(in: 40...50, using: &random))
    }
    let compared = try Compared(points)
    let view = try #require(try ViewChoice(tree: compared.tree, grid: compared.grid, size: .standard).whole())
    let clusters = try compared.tree.clusters(.limit(100), in: view.window)
    let sampled = try SampledMeasures(of: clusters, cut: .limit(100), over: compared.tree, in: view)
    let distortion = try measures(
      of: clusters.map { ShownCluster($0, of: ComparedTree(compared.tree), cut: .limit(100), in: view) }, in: view,
      points: ViewPoints(of: compared.tree, in: view), tree: compared.tree)[.distortion]!
    #expect(sampled.sampledPoints <= 20_000 && abs(sampled.pointsInView - 200_000) < 2000)
    #expect(abs(sampled.distortion! - distortion) < 0.02 * distortion)
  }

  /// Returns the measures that a report would contain.
  private func measures(of clusters: [ShownCluster], in view: ComparisonView, points: ViewPoints, tree: ClusterTree)
    throws -> MeasureValues<MeasuredView>
  {
    try MeasureValues(
      ViewMeasure.all,
      of: MeasuredView(clusters, limit: 30, in: view, of: tree, distortion: points.distortion(of: clusters, in: view)))
  }
}

import GridBaseline
import PointSets
import Testing
@_spi(Server) import Treeline
import TreelineBuilder

@_spi(Server) @testable import TreelineComparison

@Suite struct MeasuresTests {
  private func shown(_ x: Double, _ y: Double, _ count: Int, rows: [Int] = []) -> ShownCluster {
    ShownCluster(position: PixelPoint(x: x, y: y), pointCount: count, treeIndices: { rows })
  }

  @Test func badgesFollowTheCurve() {
    #expect(abs(BadgeSize.diameter(pointCount: 1) - 25.2749) < 1e-3)
    #expect(BadgeSize.diameter(pointCount: 1_000_000) <= 44)
    #expect(BadgeSize.diameter(pointCount: 10) > BadgeSize.diameter(pointCount: 9))
  }

  @Test func aLatticeLooksLikeOne() {
    let clusters = (0..<100).map { shown(Double($0 % 10) * 64, Double($0 / 10) * 64, 1) }
    let index = PixelIndex(clusters.map(\.position))
    let neighbours = NeighbourDistances(clusters, index)
    #expect(neighbours.axisShare == 1)
    #expect(neighbours.spread == 0)
    #expect(index.overlap(of: clusters) == 0)
  }

  @Test func pointsStrewnAtRandomLookLikeChance() {
    var random = SplitMix64(seed: 11)
    let clusters = (0..<20_000).map { _ in
      shown(.random(in: 0...9000, using: &random), .random(in: 0...9000, using: &random), 1)
    }
    let neighbours = NeighbourDistances(clusters, PixelIndex(clusters.map(\.position)))
    #expect(abs(neighbours.axisShare! - 4 * 10 / 360) < 0.01)
    #expect(abs(neighbours.spread! - 0.5227) < 0.01)
  }

  @Test func oneClusterHasNoNeighbour() {
    let neighbours = NeighbourDistances([shown(3, 4, 9)], PixelIndex([PixelPoint(x: 3, y: 4)]))
    #expect(neighbours.axisShare == nil && neighbours.spread == nil)
  }

  @Test func faultsOfAMethodAreFound() throws {
    let points = (0..<10).map { Coordinate(longitude: Double($0), latitude: 0) }
    let tree = try ClusterTree(points)
    let view = try ComparisonView(
      Viewport(
        BoundingBox(west: -1, south: -5, east: 20, north: 5), width: 1024, height: 768), on: tree.plane)
    let faulty = ClusteringMethod(name: "faulty", title: "Faulty", summary: "loses points") { _, _, _ in
      .init(clusters: [shown(10, 10, 6, rows: [0, 1, 2, 3, 4]), shown(90, 10, 4, rows: [4, 5, 6, 7])])
    }
    let report = try ComparisonReport(of: [faulty], over: tree, and: Grid(over: tree), in: [view])
    let conservation = report.views[0].results[0].conservation
    #expect(conservation.faults.map(\.count) == [2, 1, 1])
    #expect(conservation.text == "2 missing, 1 repeated, 1 miscounted")
  }

  @Test func bestGoesByWhatIsRead() {
    #expect(ViewMeasure.distortion.best(of: [10.01, 10.04]) == [false, false])
    #expect(ViewMeasure.distortion.best(of: [10.1, 10.04, nil]) == [false, true, false])
    #expect(ViewMeasure.neighbourSpread.best(of: [0.2, 0.5]) == [false, true])
    #expect(ViewMeasure.fill.best(of: [1.4, 0.9]) == [false, true])
    #expect(ViewMeasure.overlap.best(of: [nil, 0.1]) == [false, false])
    #expect(ViewMeasure.singleShare.best(of: [0, 0.0005]) == [false, false])
  }
}

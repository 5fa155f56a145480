import GridBaseline
import PointSets
import TestSupport
import Testing
import Treeline
import TreelineBuilder

@_spi(Server) @testable import TreelineComparison

/// Compares the measures of single points, and of the surroundings of clusters, with loops over all points and
/// clusters.
@Suite struct SinglePointsExhaustiveTests {
  private static let sets = PointSet.nasty + Trials.seeds(20, from: 930).map { PointSet.random(seed: $0) }
  private static let growths: [Growth] = [
    .splitting(.mean), .merging(by: .distance), .merging(by: .badges),
  ]

  /// Returns sparse points all around the world, and some stacks. Many points are isolated, and boxes cross the seam.
  private static func sparse(seed: UInt64) -> [Coordinate] {
    var random = SplitMix64(seed: seed)
    return (0..<400).flatMap { index in
      let point = Coordinate(
        longitude: .random(in: -180...180, using: &random), latitude: .random(in: -80...80, using: &random))
      return Array(repeating: point, count: index % 7 == 0 ? index % 40 : 1)
    }
  }

  private func tree(_ coordinates: [Coordinate], as projection: Plane.Projection, _ growth: Growth) throws
    -> ClusterTree
  {
    try ClusterTree(
      coordinates, as: projection, options: BuildOptions(growth: growth, threads: 1))
  }

  @Test(arguments: growths) func lonePointsAreThoseWithNoOtherAround(growth: Growth) throws {
    let sets = (1...6).map { PointSet("sparse", Self.sparse(seed: $0)) } + Self.sets
    for set in Trials.some(of: sets.filter { $0.coordinates.count < 5_000 }, atLeast: 8) {
      let tree = try tree(set.coordinates, as: set.projection, growth)
      for view in try ViewChoice(tree: tree, grid: Grid(over: tree), size: .standard).views() {
        let expected = MeasuresByDefinition.lonePoints(among: Array(tree.positions), in: view)
        #expect(try tree.lonePoints(in: view) == expected, "\(set.name), \(view.box)")
      }
    }
  }

  @Test(arguments: growths) func pointsAroundAPositionAreCounted(growth: Growth) throws {
    var random = SplitMix64(seed: 947)
    for projection in [Plane.Projection.webMercator, .planar] {
      let tree = try tree(Self.sparse(seed: 11), as: projection, growth)
      for _ in 0..<Trials.count(300) {
        let x = Double.random(in: 0..<0x1p32, using: &random)
        let y = Double.random(in: -0x1p30..<0x1p33, using: &random)
        let radius = Double.random(in: 0...1, using: &random) * 0x1p31
        let expected = tree.positions.count { point in
          var dx = abs(x - Double(point.x))
          if projection == .webMercator { dx = min(dx, 0x1p32 - dx) }
          let dy = y - Double(point.y)
          return dx * dx + dy * dy <= radius * radius
        }
        #expect(try tree.pointCount(within: radius, ofX: x, y) == expected)
        #expect(try tree.pointCount(within: radius, ofX: x, y, upTo: 2) == min(expected, 2))
      }
    }
  }

  @Test(arguments: growths) func nearestPointsAreFoundAcrossTheSeam(growth: Growth) throws {
    var random = SplitMix64(seed: 948)
    let tree = try tree(Self.sparse(seed: 12), as: .webMercator, growth)
    for _ in 0..<Trials.count(300) {
      let x = Double.random(in: 0...0x1p28, using: &random) * (Bool.random(using: &random) ? 1 : -1)
      let (turned, y) = (x < 0 ? x + 0x1p32 : x, Double.random(in: 0..<0x1p32, using: &random))
      let expected = tree.positions.map { point in
        let dx = abs(turned - Double(point.x))
        return squaredLength(min(dx, 0x1p32 - dx), y - Double(point.y)).squareRoot()
      }.min()!
      #expect(abs(try tree.distanceToNearestPoint(x: turned, y: y)! - expected) < 1e-3)
    }
  }

  @Test(arguments: Trials.seeds(40, from: 1)) func correlationIsThatOfRanks(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    // If there are only a few distinct values, ranks are tied. If there is only one value, there is no variance.
    let range = 0...[0, 1, 3, 1000].randomElement(using: &random)!
    let pairs = (0..<Int.random(in: 0...40, using: &random)).map { _ in
      (Int.random(in: range, using: &random), Int.random(in: range, using: &random))
    }
    let found = rankCorrelation(pairs.map { Double($0.0) }, pairs.map { Double($0.1) })
    let expected = MeasuresByDefinition.rankCorrelation(pairs)
    #expect((found == nil) == (expected == nil), "seed \(seed)")
    #expect(abs((found ?? 0) - (expected ?? 0)) < 1e-9, "seed \(seed)")
  }

  @Test func whatRisesTogetherIsCorrelated() {
    #expect(rankCorrelation([1, 2, 3], [10, 100, 1000]) == 1)
    #expect(rankCorrelation([1, 2, 3], [9, 4, 1]) == -1)
    #expect(rankCorrelation([1, 2], [1, 2]) == nil)
    #expect(rankCorrelation([5, 5, 5], [1, 2, 3]) == nil)
    #expect(rankCorrelation([], []) == nil)
  }

  @Test func onePointIsLoneAndAStackIsNot() throws {
    func results(_ name: String) throws -> [ViewComparison.MethodResult] {
      try Compared(SamplePoints.nasty.first { $0.name == name }!.points).report().views.flatMap(\.results)
    }
    for result in try results("one") {
      #expect(result.measures[.singleShare] == 1 && result.measures[.lonePointsKept] == 1)
      #expect(result.measures[.densityCorrelation] == nil)
    }
    for result in try results("all coincident") {
      #expect(result.measures[.singleShare] == 0 && result.measures[.lonePointsKept] == nil)
      #expect(result.measures[.densityCorrelation] == nil)
    }
    #expect(try results("none").isEmpty)
  }

  @Test func aLonePointShownElsewhereIsNotKept() throws {
    let tree = try ClusterTree([Coordinate(longitude: 0, latitude: 0), Coordinate(longitude: 90, latitude: 0)])
    let view = try ComparisonView(
      Viewport(BoundingBox(west: -10, south: -40, east: 100, north: 40), width: 1024, height: 768), on: tree.plane)
    func measures(right: Double) throws -> MeasureValues<MeasuredView> {
      let method = ClusteringMethod(name: "moved", title: "Moved", summary: "moves a point") { view, _, _ in
        .init(
          clusters: (0..<2).map { index in
            var position = view.pixel(of: tree.position(atTreeIndex: index))
            if index == 0 { position.x += right }
            return ShownCluster(position: position, pointCount: 1, treeIndices: { [index] })
          })
      }
      return try ComparisonReport(of: [method], over: tree, and: Grid(over: tree), in: [view]).views[0].results[0]
        .measures
    }
    #expect(try measures(right: 0)[.lonePointsKept] == 1)
    #expect(try measures(right: 3)[.lonePointsKept] == 0.5)
    #expect(try measures(right: 3)[.singleShare] == 1)
  }
}

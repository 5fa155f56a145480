import PointSets
import TestSupport
import Testing
import Treeline
import TreelineBuilder

@_spi(Server) @testable import TreelineComparison

@Suite struct NearestPointExhaustiveTests {
  @Test(arguments: UInt64(1)...10) func distanceIsTheLeastOfAll(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let isSphere = seed % 3 != 0
    let tree = try ClusterTree(SamplePoints.towns(seed: seed, count: 2_000), as: isSphere ? .webMercator : .planar)
    for _ in 0..<Trials.count(200) {
      let x = Double.random(in: 0..<0x1p32, using: &random)
      let y = Double.random(in: -0x1p30..<0x1p33, using: &random)
      let expected = (0..<tree.pointCount).map { index in
        let point = tree.position(atTreeIndex: index)
        var dx = abs(x - Double(point.x))
        if isSphere { dx = min(dx, 0x1p32 - dx) }
        let dy = y - Double(point.y)
        return (dx * dx + dy * dy).squareRoot()
      }.min()
      #expect(try tree.distanceToNearestPoint(x: x, y: y) == expected, "seed \(seed)")
    }
  }

  @Test func pointsAreOnTheData() throws {
    let tree = try ClusterTree(SamplePoints.towns(seed: 4, count: 300))
    let point = tree.position(atTreeIndex: 17)
    #expect(try tree.distanceToNearestPoint(x: Double(point.x), y: Double(point.y)) == 0)
    #expect(try ClusterTree([]).distanceToNearestPoint(x: 0, y: 0) == nil)
  }
}

import PointSets
import TestSupport
import Testing
import Treeline
import TreelineBuilder

@Suite struct ConvexHullTests {
  private typealias Position = (x: Int128, y: Int128)

  /// Returns a positive number if `c` is to the left of the line from `a` to `b`, where y points south.
  private func turn(_ a: Position, _ b: Position, _ c: Position) -> Int128 {
    (b.y - a.y) * (c.x - a.x) - (b.x - a.x) * (c.y - a.y)
  }

  @Test(arguments: Trials.seeds(20, from: 810)) func everyPointLiesWithinCornersThatAllCount(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    // If there are only a few different numbers, many points are on one line.
    let side = [3, 9, 1000][random.index(below: 3)]
    let tree = try ClusterTree(
      (0..<60).map { _ in Coordinate(x: Double(random.index(below: side)), y: Double(random.index(below: side))) },
      as: .planar)
    var waiting = [tree.root!]
    while let cluster = waiting.popLast() {
      waiting += try tree.children(of: cluster.id)
      let corners = tree.convexHull(of: cluster).map { tree.plane.point(at: $0) }.map { (Int128($0.x), Int128($0.y)) }
      let points = cluster.range.map { tree.position(atTreeIndex: $0) }.map { (Int128($0.x), Int128($0.y)) }
      for corner in corners { #expect(points.contains { $0 == corner }, "seed \(seed)") }
      let isFlat = corners.count < 3
      for index in corners.indices {
        let (a, b) = (corners[index], corners[(index + 1) % corners.count])
        for point in points { #expect(isFlat ? turn(a, b, point) == 0 : turn(a, b, point) >= 0, "seed \(seed)") }
        if !isFlat { #expect(turn(a, b, corners[(index + 2) % corners.count]) > 0, "seed \(seed)") }
      }
      #expect(corners.count == 1 ? cluster.rect.isPoint : corners.count > 1)
      // The first corner of the hull is a westernmost point.
      #expect(corners.first!.0 == points.map(\.0).min())
    }
  }

  @Test func aHullMayLieAcrossTheAntimeridian() throws {
    let tree = try ClusterTree([
      Coordinate(longitude: 179, latitude: 1), Coordinate(longitude: -179, latitude: 1),
      Coordinate(longitude: 180, latitude: 2), Coordinate(longitude: 180, latitude: 1.2),
    ])
    let hull = tree.convexHull(of: tree.root!).map { Int($0.longitude.rounded()) }
    #expect(hull == [179, -179, -180])
  }
}

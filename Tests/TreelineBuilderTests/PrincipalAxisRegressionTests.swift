import Foundation
import PointSets
import TestSupport
import Testing
import Treeline
@testable import TreelineBuilder

/// Tests shapes on which the original clustering library and its forks fail: they tilt the axis, or cut the points in
/// the order of the input.
@Suite struct PrincipalAxisRegressionTests {
  /// These libraries used the eigenvalue of (Sxx + Syy)^2 instead of (Sxx - Syy)^2. They turned an axis from 1 degree
  /// to 75 degrees.
  @Test(arguments: [0.1, 1, 5, 10, 44, 46, 80, 89, 91, 100, 136, 175, 179]) func anAxisIsNotTiltedTowardsY(
    degrees: Double
  ) throws {
    let angle = degrees * .pi / 180
    let axis = try #require(PrincipalAxis(of: .ellipse(angle: angle, aspect: 10)))
    #expect(axis.turn(from: (cos(angle), sin(angle))) < 0x1p-28)
  }

  @Test(arguments: [true, false], [1 as UInt64, 2, 3]) func pointsOnOneLineAreCutAtTheirMeanInAnyOrder(
    alongMeridian: Bool, seed: UInt64
  ) throws {
    let set = PointSet.straight(101, alongMeridian: alongMeridian, seed: 61).shuffled(seed: seed)
    let tree = try set.tree()
    let root = try #require(tree.root)
    let children = try tree.children(of: root.id)
    let (left, right) = (try #require(children.first), try #require(children.last))
    if alongMeridian {
      #expect(Double(left.rect.maxY) <= root.meanY && Double(right.rect.minY) > root.meanY)
    } else {
      #expect(Double(left.rect.maxX) <= root.meanX && Double(right.rect.minX) > root.meanX)
    }
  }

  @Test func equalEigenvaluesHaveNoAxis() {
    #expect(PrincipalAxis(of: Scatter(xx: 7, xy: 0, yy: 7)) == nil)
    #expect(PrincipalAxis(of: Scatter(xx: 0, xy: 0, yy: 0)) == nil)
    #expect(PrincipalAxis(of: Scatter(xx: 1 << 124, xy: 0, yy: 1 << 124)) == nil)
    #expect(PrincipalAxis(of: Scatter(xx: 1 << 124 + 1, xy: 0, yy: 1 << 124)) == .horizontal)
    #expect(PrincipalAxis(of: Scatter(xx: 1 << 124, xy: 0, yy: 1 << 124 + 1)) == .vertical)
    #expect(PrincipalAxis(of: Scatter(xx: 5, xy: 5, yy: 5)) == PrincipalAxis(x: 1 << 29, y: 1 << 29))
    #expect(PrincipalAxis(of: Scatter(xx: 5, xy: -5, yy: 5)) == PrincipalAxis(x: 1 << 29, y: -1 << 29))
  }

  /// Tests two points at the ends of one axis, and eight points near the middle on the other axis. The points spread
  /// equally in all directions.
  @Test(arguments: [1, 3], [true, false]) func equalEigenvaluesAreCutAcrossTheLongerSide(times: Int, isTall: Bool)
    throws
  {
    let middle: [(Int, Int)] = Array(repeating: (0, -1), count: 4) + Array(repeating: (0, 1), count: 4)
    let cross = [(-2, 0), (2, 0)] + middle
    let turned = cross.map { isTall ? (x: $0.1, y: $0.0) : (x: $0.0, y: $0.1) }
    let points = turned.map { PlanePoint(x: UInt32(1 << 31 + $0.x), y: UInt32(1 << 31 + $0.y)) }
    let tree = try PointSet("cross", onPlane: Array(repeating: points, count: times).flatMap { $0 }).tree()
    let children = try tree.children(of: #require(tree.root).id)
    // The mean is on the line. Points on the line belong to the left child.
    #expect(children.map(\.pointCount) == [9 * times, times])
  }

  @Test func equalEigenvaluesOfASquareAreCutAcrossX() throws {
    let tree = try PointSet.lattice(columns: 6, rows: 6).tree()
    let children = try tree.children(of: #require(tree.root).id)
    #expect(children.map(\.rect.width) == [2 << 20, 2 << 20])
    #expect(children.map(\.rect.height) == [5 << 20, 5 << 20])
  }

  /// Moments are exact. So the corner from which they are measured has no effect on the axis, not even in its last bit.
  @Test(arguments: Trials.seeds(20)) func theAxisDoesNotDependOnTheCorner(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let points = (0..<200).map { _ in
      PlanePoint(x: .random(in: 1 << 20 ... .max, using: &random), y: .random(in: 1 << 20 ... .max, using: &random))
    }
    let scatter = Scatter(of: points)
    #expect(Scatter(of: points.reversed(), from: PlanePoint(x: 1 << 20, y: 12_345)) == scatter)
    #expect(
      PrincipalAxis(of: Scatter(xx: scatter.xx << 2, xy: scatter.xy << 2, yy: scatter.yy << 2))
        == PrincipalAxis(of: scatter))
  }
}

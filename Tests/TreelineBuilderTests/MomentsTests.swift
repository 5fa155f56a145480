import PointSets
import TestSupport
import Testing
import Treeline

@testable import TreelineBuilder

@Suite struct MomentsTests {
  @Test(arguments: Trials.seeds(60)) func areExactSums(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let side = UInt32.max >> UInt32(random.index(below: 32))
    let corner = PlanePoint(x: .max - side, y: random.index(below: 2) == 0 ? 0 : .max - side)
    let points = (0..<1 + random.index(below: 100)).map { _ in
      PlanePoint(
        x: corner.x + .random(in: 0...side, using: &random), y: corner.y + .random(in: 0...side, using: &random))
    }
    let wide = moments(points, from: corner, UInt128.self)
    #expect(wide.agrees(with: points, from: corner))
    if side < 1 << 28 {
      #expect(moments(points, from: corner, UInt64.self).agrees(with: points, from: corner))
      #expect(Scatter(moments(points, from: corner, UInt64.self)) == Scatter(wide))
      #expect(Moments<UInt64>(converting: wide).agrees(with: points, from: corner))
    }
    let cut = random.index(below: points.count + 1)
    let (front, back) = (Array(points[..<cut]), Array(points[cut...]))
    #expect((moments(front, from: corner, UInt128.self) + moments(back, from: corner, UInt128.self)).isSame(as: wide))
    #expect((wide - moments(front, from: corner, UInt128.self)).agrees(with: back, from: corner))
    let (right, down) = (points.map(\.x).min()! - corner.x, points.map(\.y).min()! - corner.y)
    let moved = wide.moved(right: right, down: down)
    #expect(moved.agrees(with: points, from: PlanePoint(x: corner.x + right, y: corner.y + down)))
    #expect(Scatter(moved) == Scatter(wide))
  }

  @Test func scatterOfOnePositionIsZero() {
    let far = PlanePoint(x: .max, y: .max)
    let scatter = Scatter(moments(Array(repeating: far, count: 1000), from: PlanePoint(x: 0, y: 0), UInt128.self))
    #expect(scatter.isZero && scatter.xy == 0)
    #expect(scatter.spread(count: 1000) == NodeSpread(xx: 0, xy: 0, yy: 0))
  }

  /// Tests 2^31 points: half of them in one corner of the plane, and half in the opposite corner.
  @Test func theLargestTreeFits() {
    var moments = Moments<UInt128>()
    let (half, far) = (UInt64(1) << 30, UInt64(UInt32.max))
    moments.count = half * 2
    (moments.x, moments.y) = (half * far, half * far)
    moments.xx = UInt128(half) * UInt128(far * far)
    (moments.xy, moments.yy) = (moments.xx, moments.xx)
    let scatter = Scatter(moments)
    #expect(scatter.xx == Int128(half) * Int128(half) * Int128(far * far))
    #expect(scatter.xy == scatter.xx && scatter.yy == scatter.xx)
    #expect(scatter.spread(count: moments.count).xx == Float(0x1p62))
  }

  private func moments<Sum>(_ points: [PlanePoint], from corner: PlanePoint, _: Sum.Type) -> Moments<Sum> {
    points.withUnsafeBufferPointer { Moments<Sum>($0, from: corner) }
  }
}

extension Moments {
  fileprivate func isSame(as other: Moments) -> Bool {
    count == other.count && x == other.x && y == other.y && xx == other.xx && xy == other.xy && yy == other.yy
  }

  fileprivate func agrees(with points: [PlanePoint], from corner: PlanePoint) -> Bool {
    let offsets = points.map { (x: Int128($0.x) - Int128(corner.x), y: Int128($0.y) - Int128(corner.y)) }
    return count == UInt64(points.count) && Int128(x) == offsets.reduce(0) { $0 + $1.x }
      && Int128(y) == offsets.reduce(0) { $0 + $1.y } && Int128(xx) == offsets.reduce(0) { $0 + $1.x * $1.x }
      && Int128(xy) == offsets.reduce(0) { $0 + $1.x * $1.y } && Int128(yy) == offsets.reduce(0) { $0 + $1.y * $1.y }
  }
}

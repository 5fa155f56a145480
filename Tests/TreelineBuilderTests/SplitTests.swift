import PointSets
import TestSupport
import Testing
import Treeline
@testable import TreelineBuilder

/// Checks on which side of a line a point lies, by exact comparisons of fractions.
@Suite struct SplitTests {
  @Test(arguments: Trials.seeds(100)) func aPointIsLeftUpToTheMean(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let side = UInt32.max >> UInt32(random.index(below: 31))
    let points = (0..<2 + random.index(below: 50)).map { _ in
      PlanePoint(x: .random(in: 0...side, using: &random), y: .random(in: 0...side, using: &random))
    }
    let corner = PlanePoint(x: points.map(\.x).min()!, y: points.map(\.y).min()!)
    let moments = points.withUnsafeBufferPointer { Moments<UInt128>($0, from: corner) }
    let shorter = Int64.random(in: -PrincipalAxis.length...PrincipalAxis.length, using: &random)
    for axis in [
      PrincipalAxis(x: PrincipalAxis.length, y: shorter), PrincipalAxis(x: shorter, y: PrincipalAxis.length),
      .horizontal, .vertical,
    ] {
      let split = SplitLine(atMeanOf: moments, from: corner, across: axis)
      let sumX = points.reduce(Int128(0)) { $0 + Int128($1.x) }
      let sumY = points.reduce(Int128(0)) { $0 + Int128($1.y) }
      for point in points {
        let x = Int128(point.x) * Int128(points.count) - sumX
        let y = Int128(point.y) * Int128(points.count) - sumY
        #expect(split.isLeft(point) == (Int128(axis.x) * x + Int128(axis.y) * y <= 0), "\(point) across \(axis)")
      }
    }
  }

  /// Tests two stacks whose dot products differ by 1, the smallest possible difference. Their mean lies between these
  /// products. It must be rounded down, even if it is negative.
  @Test(arguments: Trials.seeds(100)) func theLeastDifferenceIsSeen(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let length = PrincipalAxis.length
    let shorter = Int64.random(in: -length..<length, using: &random) | 1
    // Computes an inverse modulo a power of two by Newton's method. Each step doubles the number of correct bits.
    var inverse = shorter
    for _ in 0..<5 { inverse = inverse &* (2 &- shorter &* inverse) }
    let across = inverse & (length - 1)
    let along = (1 - shorter * across) / length
    let counts = (1 + random.index(below: 9), 1 + random.index(below: 9))
    for isFlat in [true, false] {
      let axis = PrincipalAxis(x: isFlat ? length : shorter, y: isFlat ? shorter : length)
      let near = PlanePoint(x: 1 << 30, y: 1 << 30)
      let far = PlanePoint(
        x: UInt32(1 << 30 + (isFlat ? along : across)), y: UInt32(1 << 30 + (isFlat ? across : along)))
      let points = Array(repeating: near, count: counts.0) + Array(repeating: far, count: counts.1)
      let corner = PlanePoint(x: min(near.x, far.x), y: min(near.y, far.y))
      let moments = points.withUnsafeBufferPointer { Moments<UInt128>($0, from: corner) }
      let split = SplitLine(atMeanOf: moments, from: corner, across: axis)
      #expect(split.isLeft(near) && !split.isLeft(far), "\(counts) across \(axis)")
    }
  }

  /// Tests the largest possible sums of 2^31 points. Nothing may overflow.
  @Test func extremesFit() {
    var moments = Moments<UInt128>()
    moments.count = 1 << 31
    moments.x = (1 << 31) * UInt64(UInt32.max) - 1
    moments.y = (1 << 31) * UInt64(UInt32.max) - 1
    let corner = PlanePoint(x: 0, y: 0)
    let far = PlanePoint(x: .max, y: .max)
    for axis in [PrincipalAxis(x: 1 << 29, y: 1 << 29), .horizontal, .vertical] {
      let split = SplitLine(atMeanOf: moments, from: corner, across: axis)
      #expect(split.isLeft(corner) && split.isLeft(PlanePoint(x: .max - 1, y: .max - 1)) && !split.isLeft(far))
    }
    let falling = SplitLine(atMeanOf: moments, from: corner, across: PrincipalAxis(x: 1 << 29, y: -1 << 29))
    #expect(
      falling.isLeft(far) && falling.isLeft(PlanePoint(x: 0, y: .max)) && !falling.isLeft(PlanePoint(x: .max, y: 0)))
  }

  @Test(arguments: [
    PlaneRect(minX: 0, minY: 0, maxX: .max, maxY: .max), PlaneRect(minX: 0, minY: 0, maxX: 1, maxY: 0),
    PlaneRect(minX: .max - 1, minY: 7, maxX: .max, maxY: 8), PlaneRect(minX: 3, minY: 0, maxX: 3, maxY: .max),
    PlaneRect(minX: 10, minY: 10, maxX: 12, maxY: 13), PlaneRect(minX: 5, minY: .max - 1, maxX: 5, maxY: .max),
  ]) func theMiddleHasPointsOnBothSides(_ box: PlaneRect) {
    for corner in [PlanePoint(x: 0, y: 0), PlanePoint(x: box.minX, y: box.minY)] {
      let split = SplitLine(inTheMiddleOf: box, measuredFrom: corner)
      let isWide = box.width >= box.height
      #expect(split.axis == (isWide ? .horizontal : .vertical))
      #expect(split.isLeft(PlanePoint(x: box.minX, y: box.minY)))
      #expect(!split.isLeft(PlanePoint(x: box.maxX, y: box.maxY)))
    }
  }
}

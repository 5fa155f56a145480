import Testing

@testable import Treeline

/// Values at the edges of their ranges, as damaged indexes and extreme data have them.
@Suite struct EdgeValueTests {
  /// The mean of a cluster may lie between the last unit of the plane and the seam.
  @Test func theWholePlaneContainsEveryMean() {
    for x in [0, 0x1p31, 0x1p32 - 1, 0x1p32 - 0.5, 0x1p32 + 0.5] {
      #expect(PlaneWindow.everything.contains(x: x, y: 0x1p31), "\(x)")
    }
    let narrow = PlaneWindow(x: 0, width: .max - 1, minY: 0, maxY: .max)
    #expect(!narrow.contains(x: 0x1p32 - 0.5, y: 0))
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, -1, .greatestFiniteMagnitude])
  func anEllipseIsNotLargerThanThePlane(_ number: Float) {
    for spread in [
      NodeSpread(xx: number, xy: 0, yy: 0), NodeSpread(xx: 0, xy: number, yy: 0), NodeSpread(xx: 1, xy: 1, yy: number),
      NodeSpread(xx: number, xy: number, yy: number),
    ] {
      let ellipse = Ellipse(covariance: spread)
      let numbers = [ellipse.semiMajor, ellipse.semiMinor, ellipse.axisX, ellipse.axisY]
      #expect(numbers.allSatisfy { abs($0) <= 0x1p32 }, "\(spread)")
    }
  }

  @Test func theLastDayEndsWithTheLastSecond() {
    for seconds in [Int64.max, Int64.max - 86_399, Int64.max - 86_400] {
      let interval = Treeline.TimeInterval(ofDay: Instant(seconds: seconds, nanoseconds: 0))
      #expect(interval.end.map { $0.seconds >= seconds } ?? false, "\(seconds)")
    }
  }
}

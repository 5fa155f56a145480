import Foundation
import PointSets
import TestSupport
import Testing
import Treeline
@testable import TreelineBuilder

@Suite struct PrincipalAxisExhaustiveTests {
  /// Compares the axis with the closed form of the angle and with repeated squaring of the matrix, at every quarter of
  /// a degree. The coordinates of the axis are multiples of 2^-29 of its length, which determines the tolerance.
  @Test(arguments: [1.0001, 1.01, 1.1, 1.5, 2, 3, 5, 10, 30, 100, 300, 1000]) func agreesWithOtherSolvers(
    aspect: Double
  ) throws {
    for step in 0..<720 {
      let angle = Double(step) / 4 * .pi / 180
      let scatter = Scatter.ellipse(angle: angle, aspect: aspect)
      let axis = try #require(PrincipalAxis(of: scatter))
      #expect(max(abs(axis.x), abs(axis.y)) == PrincipalAxis.length)
      let closed = atan2(2 * Double(scatter.xy), Double(scatter.xx - scatter.yy)) / 2
      #expect(axis.turn(from: (cos(closed), sin(closed))) < 0x1p-28, "\(step) quarters of a degree")
      #expect(axis.turn(from: powerIteration(scatter)) < 0x1p-26 * aspect / (aspect - 1), "\(step) quarters")
      #expect(axis.turn(from: (cos(angle), sin(angle))) < 1e-7, "\(step) quarters")
    }
  }

  /// Comparisons of integers determine the axis, so it does not depend on LAPACK's rounding.
  @Test func isTheGreatestThatIsNotPastTheTrueDirection() {
    for difference in Int64(-24)...24 {
      for double in Int64(-24)...24 where (difference, double) != (0, 0) {
        #expect(
          PrincipalAxis(difference: difference, double: double) == exactAxis(difference, double),
          "(\(difference), \(double))")
      }
    }
  }

  @Test(arguments: 0..<64) func isExactForMatricesOfAnySize(bits: Int) {
    var random = SplitMix64(seed: UInt64(bits))
    for _ in 0..<Trials.count(400) {
      // The builder keeps 62 bits of the larger number. The smaller number may be arbitrarily small.
      let difference = Int64(truncatingIfNeeded: random.next()) >> Int64(2 + bits / 4)
      let double = Int64(truncatingIfNeeded: random.next()) >> Int64(2 + bits % 62)
      if (difference, double) == (0, 0) { continue }
      #expect(PrincipalAxis(difference: difference, double: double) == exactAxis(difference, double))
      #expect(PrincipalAxis(difference: double, double: difference) == exactAxis(double, difference))
    }
  }

  /// `TREELINE_AXES` sets the number of random matrices. The default is one million.
  @Test(arguments: Trials.seeds(16)) func everySolverLeadsToTheSameAxis(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func check(_ difference: Int64, _ double: Int64) {
      if (difference, double) == (0, 0) { return }
      let axes = Set(
        PrincipalAxis.Solver.allCases.map { PrincipalAxis(difference: difference, double: double, by: $0) })
      #expect(axes.count == 1, "(\(difference), \(double)): \(axes)")
    }
    let count = ProcessInfo.processInfo.environment["TREELINE_AXES"].flatMap(Int.init) ?? 1_000_000
    for _ in 0..<count / 16 {
      check(
        Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 2...63, using: &random),
        Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 2...63, using: &random))
    }
    // Tests numbers that give eigenvectors along the axes, halfway between the axes, and next to these directions.
    var edges: [Int64] = []
    for bit in 0...62 as ClosedRange<Int64> {
      for offset in -1...1 as ClosedRange<Int64> {
        let edge = min((1 << bit) + offset, 1 << 62)
        edges += [edge, -edge]
      }
    }
    for difference in edges { for double in edges { check(difference, double) } }
  }

  /// Returns the axis with the greatest shorter component for which the doubled angle of the axis is not past the
  /// direction (`difference`, `double`). Finds the component by bisection.
  private func exactAxis(_ difference: Int64, _ double: Int64) -> PrincipalAxis {
    let isFlat = difference >= 0
    var (least, past) = (-PrincipalAxis.length, PrincipalAxis.length + 1)
    while past - least > 1 {
      let middle = (least + past) >> 1
      let (x, y) = isFlat ? (PrincipalAxis.length, middle) : (middle, PrincipalAxis.length)
      let cross = Int128(x * x - y * y) * Int128(double) - Int128(2 * x * y) * Int128(difference)
      if isFlat ? cross < 0 : cross > 0 { past = middle } else { least = middle }
    }
    return isFlat ? PrincipalAxis(x: PrincipalAxis.length, y: least) : PrincipalAxis(x: least, y: PrincipalAxis.length)
  }

  private func powerIteration(_ scatter: Scatter) -> (x: Double, y: Double) {
    var (xx, xy, yy) = (Double(scatter.xx), Double(scatter.xy), Double(scatter.yy))
    for _ in 0..<40 {
      let size = max(xx, yy)
      (xx, xy, yy) = (xx / size, xy / size, yy / size)
      (xx, xy, yy) = (xx * xx + xy * xy, xy * (xx + yy), xy * xy + yy * yy)
    }
    let (x, y) = xx >= yy ? (xx, xy) : (xy, yy)
    return (x / hypot(x, y), y / hypot(x, y))
  }
}

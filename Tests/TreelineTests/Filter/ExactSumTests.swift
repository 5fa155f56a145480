import Foundation
import PointSets
import TestSupport
import Testing
import TreelineBuilder

@testable import Treeline

/// Checks sums and quotients that are rounded only once, against integers and slower sums.
@Suite struct ExactSumTests {
  /// Checks that a sum of doubles is rounded only once, whatever the order of the doubles. The expected sum is an
  /// integer in units of a power of two.
  @Test func exactSumsRoundOnce() {
    var random = SplitMix64(seed: 31)
    for _ in 0..<Trials.count(20_000) {
      let exponent = Double(random.index(below: 2000) - 1000)
      let span = random.index(below: 60)
      let values = (0..<1 + random.index(below: 6)).map { _ -> Double in
        let value =
          Double(Int64(bitPattern: random.next()) >> 11) * pow(2, exponent + Double(random.index(below: span + 1)))
        return random.index(below: 10) == 0 ? -value : value
      }
      guard values.allSatisfy(\.isFinite) else { continue }
      var sum = ExactSum()
      for value in values { sum.add(value) }
      // Each value is a whole number of units of 2^`exponent`. The number has at most 53 + 60 bits, and the sum a few
      // more.
      let whole = values.reduce(Int128(0)) { $0 + Int128($1 / pow(2, exponent)) }
      let expected = Double(whole) * pow(2, exponent)
      if expected.isFinite && abs(expected) > 0x1p-1000 || whole == 0 { #expect(sum.rounded() == expected) }
      let divisor = UInt32(1 + random.index(below: 1_000_000))
      let quotient = nearestQuotient(whole, Int128(divisor))
      if abs(exponent) < 800 { #expect(sum.rounded(dividedBy: divisor) == quotient * pow(2, exponent)) }
    }
    var small = ExactSum()
    small.add(5e-324)
    small.add(5e-324)
    #expect(small.rounded() == 1e-323)
    #expect(small.rounded(dividedBy: 2) == 5e-324)
    #expect(small.rounded(dividedBy: 4) == 0)
    #expect(small.rounded(dividedBy: 3) == 5e-324)
    var large = ExactSum()
    large.add(.greatestFiniteMagnitude)
    large.add(.greatestFiniteMagnitude)
    #expect(large.rounded() == .infinity)
    #expect(large.rounded(dividedBy: 2) == .greatestFiniteMagnitude)
    large.add(-.greatestFiniteMagnitude)
    large.add(-.greatestFiniteMagnitude)
    large.add(1e-300)
    #expect(large.rounded() == 1e-300)
  }

  @Test func nearestDoublesAreThoseOfTheLibrary() {
    var random = SplitMix64(seed: 33)
    for _ in 0..<Trials.count(100_000) {
      var number = UInt128(random.next()) << 64 | UInt128(random.next())
      number >>= UInt128(random.index(below: 128))
      // Clears a random number of low bits, so that some numbers lie halfway between two doubles, or just beside the
      // middle.
      let zeros = UInt128(random.index(below: 128))
      number = (number >> zeros) << zeros
      for number in [number, number &+ 1, number &- 1] { #expect(number.nearestDouble == Double(number)) }
    }
  }

  /// Compares `RealSums`, which keeps only the words of the exponents that occur, with `ExactSum`, which keeps all
  /// words, over any range of points.
  @Test func sumsOfDoublesKeepWhatTheyNeed() throws {
    for seed in Trials.seeds(200) {
      var random = SplitMix64(seed: 24_000 + seed)
      let count = random.index(below: 3000)
      let (least, span) = (random.index(below: 600) - 300, [0, 1, 5, 40, 300][random.index(below: 5)])
      let values = (0..<count).map { _ -> Double in
        if random.index(below: 10) == 0 { return [0, .nan, -0.0, .infinity][random.index(below: 4)] }
        return (random.fraction() - 0.5) * pow(10, Double(min(least + random.index(below: span + 1), 300)))
      }
      let bits = values.map { $0.bitPattern.littleEndian }
      let tree = try ClusterTree(
        (0..<count).map { Coordinate(longitude: Double($0) / 100, latitude: 0) }, options: BuildOptions(threads: 1))
      let filtered = FilteredTree(tree, &random)
      for (tree, passes) in [(tree, values.map { _ in true }), (filtered.filtered, filtered.passes)] {
        try bits.withUnsafeBufferPointer { bits in
          let (column, rows) = (RealValues(start: bits.baseAddress!), CountedRows(of: tree))
          let sums = try RealSums(of: column, rows)
          for _ in 0..<20 {
            let ends = [random.index(below: count + 1), random.index(below: count + 1)].sorted()
            var (expected, expectedCount) = (ExactSum(), 0)
            for index in ends[0]..<ends[1] where passes[index] && values[index].isFinite {
              expected.add(values[index])
              expectedCount += 1
            }
            let found = sums.sum(of: ends[0]..<ends[1], of: column, rows)
            #expect(found.count == expectedCount, "seed \(seed), \(ends)")
            #expect(found.sum.rounded() == expected.rounded(), "seed \(seed), \(ends)")
            let divisor = UInt32(1 + random.index(below: 1000))
            #expect(found.sum.rounded(dividedBy: divisor) == expected.rounded(dividedBy: divisor))
          }
        }
        withExtendedLifetime(tree) {}
      }
    }
  }

  @Test func quotientsAreTheNearest() {
    var random = SplitMix64(seed: 32)
    for _ in 0..<Trials.count(100_000) {
      let numerator = Int128(Int64(bitPattern: random.next()) >> Int64(random.index(below: 64)))
      let denominator = Int128(random.next() >> UInt64(random.index(below: 63))) + 1
      let found = nearestQuotient(numerator, denominator)
      if numerator == 0 { continue }
      // The result is a whole number of units in the last place. It differs from the quotient by at most half a unit.
      let exponent = Int(found.ulp.exponent)
      let significand = Int128(found / found.ulp)
      let (distance, half): (Int128, Int128) =
        exponent < 0
        ? ((numerator << Int128(-exponent) - significand * denominator).magnitudeAsSigned * 2, denominator)
        : (
          (numerator - (significand * denominator) << Int128(exponent)).magnitudeAsSigned * 2,
          denominator << Int128(exponent)
        )
      #expect(distance <= half, "\(numerator) / \(denominator)")
      if distance == half { #expect(significand % 2 == 0, "\(numerator) / \(denominator)") }
    }
  }
}

extension Int128 {
  fileprivate var magnitudeAsSigned: Int128 { Int128(magnitude) }
}

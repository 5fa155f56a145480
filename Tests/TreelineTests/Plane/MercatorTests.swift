#if arch(x86_64) && os(Linux)
  import Foundation
  import PointSets
  import TestSupport
  import Testing
  @testable import Treeline

  /// Checks the projection against the C library's 80-bit functions. Their significand has 64 bits, which makes them
  /// 2,000 times as precise as doubles.
  @Suite struct MercatorTests {
    private static let count = Trials.count(1_000_000)
    private static let blocks = Array(0..<16 as Range<UInt64>)

    private static func exactY(latitude: Double) -> Float80 {
      let angle = Float80(min(abs(latitude), Plane.maximumLatitude)) * (.pi / 360)
      let height = log((cos(angle) + sin(angle)) / (cos(angle) - sin(angle))) / .pi * 0x1p31
      return latitude < 0 ? 0x1p31 + height : 0x1p31 - height
    }

    private static func exactLatitude(y: Double) -> Float80 {
      atan(sinh(Float80.pi * (1 - Float80(y) * 0x1p-31))) * (180 / .pi)
    }

    @Test(arguments: blocks) func latitudesAreProjectedToAThousandthOfAUnit(seed: UInt64) {
      var random = SplitMix64(seed: seed)
      var inputs = [0, -0.0, 5e-324, 1e-9, 85.0511287798066, -85.0511287798066, 85.05112877980659, 89, -90]
      // Adds the latitudes at which the whole part of the logarithm changes, and their neighbors.
      for doublings in 0..<5 {
        let quotient = exp2(Double(doublings) + 0.5)
        let latitude = 2 * atan((quotient - 1) / (quotient + 1)) * (180 / .pi)
        inputs += [latitude.nextDown, latitude, latitude.nextUp, -latitude]
      }
      var worst: Float80 = 0
      func measure(_ latitude: Double) {
        worst = max(worst, abs(Float80(Mercator.y(latitude: latitude)) - Self.exactY(latitude: latitude)))
      }
      inputs.forEach(measure)
      for _ in 0..<Self.count / Self.blocks.count { measure(random.number(from: -85.06, to: 85.06)) }
      #expect(worst < 1e-4, "\(worst) units")
    }

    /// Projects latitudes that lie halfway between two units of the plane, and the neighbors of these latitudes. Checks
    /// that the result is the nearest unit, up to an error of a ten-thousandth of a unit.
    @Test(arguments: blocks) func tiesGoToEitherSide(seed: UInt64) {
      var random = SplitMix64(seed: seed)
      for _ in 0..<Self.count / Self.blocks.count / 10 {
        let half = Double(UInt32(truncatingIfNeeded: random.next())) + 0.5
        let latitude = Double(Self.exactLatitude(y: half))
        for latitude in [latitude.nextDown, latitude, latitude.nextUp] {
          let y = Double(Plane.webMercator().point(at: Coordinate(longitude: 0, latitude: latitude)).y)
          #expect(abs(y - half) < 0.5001 || y == 0xFFFF_FFFF)
        }
      }
    }

    @Test(arguments: blocks) func positionsAreToldToAMillionthOfAMetre(seed: UInt64) {
      var random = SplitMix64(seed: seed)
      var worst: Float80 = 0
      func measure(_ y: Double) {
        worst = max(worst, abs(Float80(Mercator.latitude(y: y)) - Self.exactLatitude(y: y)))
      }
      [0, 0.5, 1, 0x1p31.nextDown, 0x1p31, 0x1p31.nextUp, 0x1p32 - 1, 0x1p32].forEach(measure)
      for _ in 0..<Self.count / Self.blocks.count { measure(random.number(from: 0, to: 0x1p32)) }
      #expect(worst < 3e-12, "\(worst) degrees")
      #expect(Mercator.latitude(y: -1e9) == Mercator.latitude(y: 0))
      #expect(Mercator.latitude(y: 1e300) == Mercator.latitude(y: 0x1p32))
    }

    @Test(arguments: blocks) func powersAreRightAndGrow(seed: UInt64) {
      var random = SplitMix64(seed: seed)
      for _ in 0..<Self.count / Self.blocks.count {
        let exponent = (random.number(from: -30, to: 30) * 0x1p49).rounded() * 0x1p-49
        let power = Binary.power(exponent)
        #expect(abs(Float80(power) - exp2(Float80(exponent))) <= 1.25 * Float80(power.ulp))
        #expect(Binary.power(exponent + 0x1p-49) >= power)
      }
      for whole in -1000...1000 {
        #expect(Binary.power(Double(whole)) == Double(sign: .plus, exponent: whole, significand: 1))
      }
      #expect(Binary.power(1e300) == .infinity && Binary.power(-1e300) == 0)
    }

    @Test(arguments: blocks) func logarithmsAreRight(seed: UInt64) {
      var random = SplitMix64(seed: seed)
      for _ in 0..<Self.count / Self.blocks.count {
        let number = Binary.power(random.number(from: -40, to: 40))
        let exact = log2(Float80(number))
        // The bound is derived in `Tests/Projection/projection.c`. The C library's error is at most one unit in the
        // last place of its 64 bits.
        let bound = Float80(Double(exact).ulp) / 2 + 3.9 * 0x1p-53 * abs(exact - exact.rounded()) + exact.ulp
        #expect(abs(Float80(Binary.logarithm(number)) - exact) <= bound)
      }
      for whole in -1000...1000 { #expect(Binary.logarithm(Binary.power(Double(whole))) == Double(whole)) }
    }
  }
#endif

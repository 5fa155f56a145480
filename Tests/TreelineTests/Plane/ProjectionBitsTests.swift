import PointSets
import TestSupport
import Testing
@testable import Treeline

/// Checks that every platform and every language computes the same bits. `scripts/check/projection` compares the
/// results of C and Python with the same file, and the results of C with MPFR.
@Suite struct ProjectionBitsTests {
  @Test func hashesOfResultsAreThoseOfOtherLanguages() throws {
    let lines = [
      ("Y", hash { Mercator.y(latitude: $0.number(from: -85.06, to: 85.06)) }),
      ("latitude", hash { Mercator.latitude(y: $0.number(from: 0, to: 0x1p32)) }),
      ("2^x", hash { Binary.power($0.number(from: -30, to: 30)) }),
      (
        "log2",
        hash { random in
          let significand = 1 + random.fraction()
          return Binary.logarithm(
            Double(sign: .plus, exponent: Int(random.next() % 81) - 40, significand: significand))
        }
      ),
    ].map { name, hash in "\(name) \(padded(hash))\n" }
    #expect(try lines.joined() == String(decoding: Repository.bytes("Fixtures/projection.txt"), as: UTF8.self))
  }

  /// Returns the FNV-1a hash of the results. Each step takes a whole 64-bit number instead of a byte.
  private func hash(of count: Int = 100_000, _ result: (inout SplitMix64) -> Double) -> UInt64 {
    var random = SplitMix64(seed: 1)
    return (0..<count).reduce(0xCBF2_9CE4_8422_2325) { hash, _ in
      (hash ^ result(&random).bitPattern) &* 0x100_0000_01B3
    }
  }

  private func padded(_ hash: UInt64) -> String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// Eight decimal digits of a number, one a byte, the first in the lowest, found all at once: halves, their halves and theirs
/// are parted in one word, and no step waits for another's division.
struct Digits {
  private let values: UInt64

  /// The first number of nine digits.
  static let endOfEight: UInt64 = 100_000_000

  /// - Parameter number: below 10^8.
  @inline(__always)
  init(_ number: UInt32) {
    let fours = UInt64(number / 10_000) | UInt64(number % 10_000) << 32
    // 10486 / 2^20 is 1 / 100, near enough for four digits, and 103 / 2^10 is 1 / 10 for two.
    let hundreds = (fours &* 10_486) >> 20 & 0x0000_007F_0000_007F
    let twos = hundreds | (fours &- hundreds &* 100) << 16
    let tens = (twos &* 103) >> 10 & 0x000F_000F_000F_000F
    values = tens | (twos &- tens &* 10) << 8
  }

  var text: UInt64 { values | 0x3030_3030_3030_3030 }

  /// One digit is left of 0.
  var leadingZeros: Int { min(values.trailingZeroBitCount / 8, 7) }

  /// None is left of 0.
  var trailingZeros: Int { values.leadingZeroBitCount / 8 }
}

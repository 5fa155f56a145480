extension UInt128 {
  /// The nearest double, ties to even. `Double.init` gives the same result but takes longer.
  var nearestDouble: Double {
    let shift = 64 - leadingZeroBitCount
    guard shift > 0 else { return Double(UInt64(truncatingIfNeeded: self)) }
    // A double keeps 53 of the 64 leading bits. The last of the 64 bits is set if any lower bit is set, so that the
    // rounding takes the lower bits into account.
    let isRest = self & ((1 << UInt128(shift)) - 1) != 0
    let leading = UInt64(truncatingIfNeeded: self >> UInt128(shift)) | (isRest ? 1 : 0)
    return Double(leading) * Double(sign: .plus, exponent: shift, significand: 1)
  }
}

/// Returns the double nearest to a quotient, ties to even.
///
/// - Precondition: the denominator is above 0, and both magnitudes are at most 2^126.
func nearestQuotient(_ numerator: Int128, _ denominator: Int128) -> Double {
  if numerator == 0 { return 0 }
  // Numbers up to 2^53 are exact doubles, and a division of doubles is rounded once.
  let exact: UInt128 = 1 << 53
  if numerator.magnitude <= exact, denominator.magnitude <= exact {
    return Double(Int64(truncatingIfNeeded: numerator)) / Double(Int64(truncatingIfNeeded: denominator))
  }
  var (high, denominator) = (numerator.magnitude, denominator.magnitude)
  // Shifts both numbers to the left until bit 126 is their highest 1 bit. The quotient then has 127 or 128 bits.
  let (up, downBy) = (high.leadingZeroBitCount - 1, denominator.leadingZeroBitCount - 1)
  high <<= up
  denominator <<= downBy
  // The numerator is now above half the denominator. For the division, the numerator must be less than the
  // denominator.
  var exponent = downBy - up
  if high >= denominator {
    high >>= 1
    exponent += 1
  }
  // If the numerator was halved, no bit was lost, because its lowest bit was 0. Either the shift to the left had added
  // this 0, or the numerator was 2^126.
  let (quotient, remainder) = denominator.dividingFullWidth((high, 0))
  let rounded = (quotient | (remainder == 0 ? 0 : 1)).nearestDouble
  return (numerator < 0 ? -1 : 1) * rounded * Double(sign: .plus, exponent: exponent - 128, significand: 1)
}

/// Returns the double nearest to a quotient, ties to even.
///
/// - Precondition: the denominator is above 0, both numbers are below 2^255, and the quotient is not subnormal.
func nearestQuotient(_ numerator: UInt256, _ denominator: UInt256) -> Double {
  if numerator.isZero { return 0 }
  if numerator.high == 0, denominator.high == 0, numerator.low >> 126 == 0, denominator.low >> 126 == 0 {
    return nearestQuotient(Int128(numerator.low), Int128(denominator.low))
  }
  let exponent = denominator.leadingZeroBitCount - numerator.leadingZeroBitCount
  // Computes 66 bits of the quotient, one by one. The first or the second of these bits is 1. Then a last bit is
  // appended, which stands for all later bits. It is 1 if the remainder is not 0.
  var (remainder, divisor, quotient) = (numerator.aligned, denominator.aligned, UInt128(0))
  for _ in 0..<66 {
    quotient <<= 1
    if !(remainder < divisor) {
      remainder = remainder - divisor
      quotient |= 1
    }
    remainder = remainder << 1
  }
  return (quotient << 1 | (remainder.isZero ? 0 : 1)).nearestDouble
    * Double(sign: .plus, exponent: exponent - 66, significand: 1)
}

/// An exact sum of doubles. The bits of each double are split into digits of 32 bits. All digits at one place are
/// added up in one word of 64 bits, without carries to the next word. So up to 2^31 doubles can be added before a word
/// overflows.
///
/// After R. M. Neal, Fast exact summation using small and large superaccumulators, 2015, arXiv:1505.05571.
struct ExactSum {
  /// Range of the words that can hold the bits of any double. The first word begins with the lowest bit of subnormal
  /// numbers.
  static let allWords = 0..<68

  /// Range of the words that are stored. All bits of the added doubles lie in these words.
  let range: Range<Int>
  private(set) var words: [Int64]

  init(words range: Range<Int> = allWords) {
    self.range = range
    words = [Int64](repeating: 0, count: range.count)
  }

  /// - Precondition: all bits of the value lie in the stored words.
  @inline(__always) mutating func add(_ value: Double) {
    let range = range
    words.withUnsafeMutableBufferPointer { Self.add(value, 1, to: $0.baseAddress!, range) }
  }

  /// Returns the first of the three words that contain the bits of a double.
  @inline(__always) static func firstWord(of value: Double) -> Int {
    (max(Int(value.bitPattern &>> 52 & 0x7FF), 1) &- 1) >> 5
  }

  /// Adds a double or subtracts it.
  ///
  /// - Parameters:
  ///   - sign: 1 or -1.
  ///   - words: The words of `range`. No other memory is written.
  @inline(__always) static func add(
    _ value: Double, _ sign: Int64, to words: UnsafeMutablePointer<Int64>, _ range: Range<Int>
  ) {
    let bits = value.bitPattern
    let exponent = Int(bits &>> 52 & 0x7FF)
    let significand = bits & 0xF_FFFF_FFFF_FFFF | (exponent == 0 ? 0 : 1 << 52)
    let position = max(exponent, 1) &- 1
    // The index is clamped, because it can be out of bounds in two cases. First, the value may be 0. A 0 has no bits,
    // so it does not matter to which words it is added. Second, the value may come from an index file that another
    // program changed after the stored words were chosen.
    let word = min(max(position >> 5 &- range.lowerBound, 0), range.count &- 3)
    let shift = UInt64(position & 31)
    let low = significand &<< shift
    let high = shift == 0 ? 0 : significand &>> (64 &- shift)
    let sign = value.sign == .minus ? 0 &- sign : sign
    words[word] &+= sign &* Int64(low & 0xFFFF_FFFF)
    words[word &+ 1] &+= sign &* Int64(low &>> 32)
    words[word &+ 2] &+= sign &* Int64(high)
  }

  /// Adds the words of one sum and subtracts the words of another sum.
  mutating func add(_ a: UnsafePointer<Int64>, less b: UnsafePointer<Int64>) {
    for index in words.indices { words[index] &+= a[index] &- b[index] }
  }

  /// Adds or subtracts the finite doubles of the counted rows in a range.
  ///
  /// - Returns: Number of finite doubles.
  @inline(__always) mutating func add(_ values: RealValues, _ sign: Int64, of rows: CountedRows, in range: Range<Int>)
    -> Int
  {
    var count = 0
    let kept = self.range
    words.withUnsafeMutableBufferPointer { words in
      let start = words.baseAddress!
      rows.forEach(in: range) { row in
        let value = values[row]
        if value.isFinite {
          Self.add(value, sign, to: start, kept)
          count &+= 1
        }
      }
    }
    return count
  }

  /// Divides the sum by a number above 0. Returns the double nearest to the exact quotient, ties to even.
  func rounded(dividedBy divisor: UInt32 = 1) -> Double {
    // The digits of the sum's magnitude: 32 bits each, the lowest first.
    let wordCount = words.count
    var (digits, isNegative) = ([UInt32](repeating: 0, count: wordCount + 1), false)
    func carried(_ sign: Int64) -> Int64 {
      var carry: Int64 = 0
      for index in 0..<wordCount {
        let sum = Int128(sign) * Int128(words[index]) + Int128(carry)
        digits[index] = UInt32(truncatingIfNeeded: sum)
        carry = Int64(sum >> 32)
      }
      digits[wordCount] = UInt32(truncatingIfNeeded: carry)
      return carry
    }
    if carried(1) < 0 {
      isNegative = true
      _ = carried(-1)
    }
    // The quotient has three more digits than the sum, at the low end. These digits decide how the quotient is rounded.
    var quotient = [UInt32](repeating: 0, count: 3) + digits
    var remainder: UInt64 = 0
    for index in quotient.indices.reversed() {
      let part = remainder << 32 | (index >= 3 ? UInt64(digits[index - 3]) : 0)
      quotient[index] = UInt32(part / UInt64(divisor))
      remainder = part % UInt64(divisor)
    }
    guard let top = quotient.lastIndex(where: { $0 != 0 }) else { return 0 }
    // Digits have 32 bits. The divisor is below 2^32, so the quotient has three digits or more, and the highest digit
    // is not 0. `leading` gets the four highest digits, or all three digits if there are only three. So `leading` has
    // at least 65 bits. A double keeps at most 53 bits, and a subnormal double keeps fewer.
    var (leading, isRest) = (UInt128(0), remainder != 0)
    for index in (max(top - 3, 0)...top).reversed() { leading = leading << 32 | UInt128(quotient[index]) }
    let lowest = max(top - 3, 0)
    if quotient[..<lowest].contains(where: { $0 != 0 }) { isRest = true }
    let exponent = 32 * (lowest - 3 + range.lowerBound) - 1074
    return (isNegative ? -1 : 1) * Self.scaled(leading, isRest, exponent: exponent)
  }

  /// Returns the product of a number and a power of two, rounded once. The number is `leading` or, if `isRest`,
  /// slightly more than `leading`.
  private static func scaled(_ leading: UInt128, _ isRest: Bool, exponent: Int) -> Double {
    let bits = 128 - leading.leadingZeroBitCount
    // Number of bits that a double keeps. A subnormal number has fewer bits.
    let kept = min(53, bits + exponent + 1074)
    if kept < 0 { return 0 }
    let dropped = bits - kept
    guard dropped > 0 else { return leading.nearestDouble * Double(sign: .plus, exponent: exponent, significand: 1) }
    var significand = dropped < 128 ? leading >> UInt128(dropped) : 0
    let rest = leading - (dropped < 128 ? significand << UInt128(dropped) : 0)
    let half = UInt128(1) << UInt128(dropped - 1)
    if rest > half || rest == half && (isRest || significand & 1 == 1) { significand += 1 }
    let power = exponent + dropped
    // The power of two may be too small for a double. So the number is multiplied in two steps. The first step is
    // exact.
    let scaled = significand.nearestDouble
    return power < -1022
      ? scaled * Double(sign: .plus, exponent: power + 1022 < -1022 ? -1022 : power + 1022, significand: 1)
        * 0x1p-1022
      : power > 1023 ? .infinity : scaled * Double(sign: .plus, exponent: power, significand: 1)
  }
}

/// An unsigned integer of 256 bits.
struct UInt256 {
  var high: UInt128
  var low: UInt128

  init(_ number: (high: UInt128, low: UInt128)) { (high, low) = number }

  static func + (a: UInt256, b: UInt256) -> UInt256 {
    let (low, carry) = a.low.addingReportingOverflow(b.low)
    return UInt256((a.high &+ b.high &+ (carry ? 1 : 0), low))
  }

  static func - (a: UInt256, b: UInt256) -> UInt256 {
    let (low, borrow) = a.low.subtractingReportingOverflow(b.low)
    return UInt256((a.high &- b.high &- (borrow ? 1 : 0), low))
  }

  /// Returns a product, which must be below 2^256.
  static func * (a: UInt256, b: UInt128) -> UInt256 {
    let product = a.low.multipliedFullWidth(by: b)
    return UInt256((product.high &+ a.high &* b, product.low))
  }

  static func << (a: UInt256, count: UInt128) -> UInt256 {
    UInt256((a.high << count | a.low >> (128 - count), a.low << count))
  }

  static func < (a: UInt256, b: UInt256) -> Bool { (a.high, a.low) < (b.high, b.low) }

  var isZero: Bool { high == 0 && low == 0 }

  var leadingZeroBitCount: Int { high == 0 ? 128 + low.leadingZeroBitCount : high.leadingZeroBitCount }

  /// The number, shifted to the left until bit 254 is its highest 1 bit.
  ///
  /// - Precondition: the number is above 0 and below 2^255.
  fileprivate var aligned: UInt256 {
    let count = leadingZeroBitCount - 1
    if count >= 128 { return UInt256((low << UInt128(count - 128), 0)) }
    return count == 0 ? self : self << UInt128(count)
  }
}

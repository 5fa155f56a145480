import Treeline

/// UTF-8 text that is being written. Text is written directly to its final place, without a `String` in between. A
/// query takes microseconds, and writing its answer should not take longer than the query.
@_spi(Server) public struct OutputBytes: ~Copyable {
  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0
  private let limit: Int
  /// Whether more than `limit` bytes were appended. If true, the earlier bytes were discarded, so that memory stays
  /// bounded.
  public private(set) var isOverLimit = false

  /// Creates an empty text.
  ///
  /// - Parameters:
  ///   - capacity: Initial capacity, in bytes.
  ///   - limit: Maximum length of the text, in bytes.
  public init(capacity: Int = 1 << 12, limit: Int = .max) {
    self.capacity = max(capacity, 64)
    self.limit = limit
    start = .allocate(capacity: self.capacity)
  }

  deinit { start.deallocate() }

  /// Calls `work` with the bytes appended so far. The bytes are valid only during the call.
  public borrowing func withBytes<Result, Failure>(_ work: (UnsafeRawBufferPointer) throws(Failure) -> Result)
    throws(Failure) -> Result
  { try work(UnsafeRawBufferPointer(start: start, count: count)) }

  var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }

  mutating func removeAll() { count = 0 }

  /// Makes room for further bytes. Their number is `more`.
  @inline(__always) private mutating func reserve(_ more: Int) { if count + more > capacity { grow(to: count + more) } }

  @inline(never) private mutating func grow(to least: Int) {
    var least = least
    if least > limit {
      isOverLimit = true
      least -= count
      count = 0
      if least <= capacity { return }
    }
    let larger = max(least, min(2 * capacity, limit))
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    moved.update(from: start, count: count)
    start.deallocate()
    (start, capacity) = (moved, larger)
  }

  // MARK: - Text and numbers

  @inline(__always) mutating func append(byte: UInt8) {
    reserve(1)
    start[count] = byte
    count += 1
  }

  /// Appends a literal. The compiler knows the literal, so copying it takes only a few register moves.
  @inline(__always) public mutating func append(_ literal: StaticString) {
    let length = literal.utf8CodeUnitCount
    reserve(length)
    (start + count).update(from: literal.utf8Start, count: length)
    count += length
  }

  public mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let first = bytes.baseAddress else { return }
    reserve(bytes.count)
    (start + count).update(from: first, count: bytes.count)
    count += bytes.count
  }

  public mutating func append(text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  /// Appends the decimal digits of a number.
  public mutating func append(_ number: Int) {
    if number < 0 { append(byte: UInt8(ascii: "-")) }
    append(UInt64(number.magnitude))
  }

  mutating func append(_ number: UInt64) {
    guard number < Digits.endOfEight else {
      let (high, low) = number.quotientAndRemainder(dividingBy: Digits.endOfEight)
      append(high)
      return append(eight: UInt32(low))
    }
    let digits = Digits(UInt32(number))
    append(digits, from: digits.leadingZeros, to: 8)
  }

  /// Appends a number below 10^8 as exactly eight digits, with leading zeros.
  mutating func append(eight number: UInt32) { append(Digits(number), from: 0, to: 8) }

  /// Appends a decimal fraction without its trailing zeros; appends nothing for 0.
  ///
  /// - Parameter fraction: The fraction in units of the eighth decimal.
  mutating func append(fraction: UInt32) {
    let digits = Digits(fraction)
    append(digits, from: 0, to: 8 - digits.trailingZeros)
  }

  @inline(__always) private mutating func append(_ digits: Digits, from first: Int, to end: Int) {
    reserve(8)
    // All eight digits are written at once. Digits beyond `end` are overwritten by later text.
    UnsafeMutableRawPointer(start + count).storeBytes(of: (digits.text >> (8 * first)).littleEndian, as: UInt64.self)
    count += end - first
  }

  // MARK: - JSON

  /// Appends a JSON string literal (RFC 8259, section 7).
  public mutating func append(json string: String) { string.writeJSONLiteral { append($0) } }

  /// Appends the value of a column as JSON.
  public mutating func append(json value: AttributeValue) {
    switch value {
    case .string(let string): append(json: string)
    case .number(let literal), .json(let literal): append(text: literal)
    case .bool(let bool): append(json: bool)
    case .null: append("null")
    }
  }

  mutating func append(json bool: Bool) { if bool { append("true") } else { append("false") } }

  /// Appends a number with the fewest digits that a reader parses as exactly this number. Appends null for nil and for
  /// numbers that are not finite.
  public mutating func append(json number: Double?) {
    guard let number, number.isFinite else { return append("null") }
    append(text: AttributeColumn.text(of: number))
  }
}

/// The eight decimal digits of a number, one per byte, with the first digit in the lowest byte. The digits are
/// computed together in one word: eight digits are split into two groups of four, the groups into pairs, and the pairs
/// into digits. So the computation of a digit never waits for another digit.
struct Digits {
  private let values: UInt64

  /// The smallest number with nine digits.
  static let endOfEight: UInt64 = 100_000_000

  /// Splits a number into digits.
  ///
  /// - Parameter number: A number below 10^8.
  @inline(__always) init(_ number: UInt32) {
    let fours = UInt64(number / 10_000) | UInt64(number % 10_000) << 32
    // Multiplying by 10486 / 2^20 and rounding down divides a number of four digits by 100. Multiplying by 103 / 2^10
    // and rounding down divides a number of two digits by 10.
    let hundreds = (fours &* 10_486) >> 20 & 0x0000_007F_0000_007F
    let twos = hundreds | (fours &- hundreds &* 100) << 16
    let tens = (twos &* 103) >> 10 & 0x000F_000F_000F_000F
    values = tens | (twos &- tens &* 10) << 8
  }

  var text: UInt64 { values | 0x3030_3030_3030_3030 }

  /// Number of leading zeros. It is 7 for the number 0, so that one digit remains.
  var leadingZeros: Int { min(values.trailingZeroBitCount / 8, 7) }

  /// Number of trailing zeros. It is 8 for the number 0, so that no digit remains.
  var trailingZeros: Int { values.leadingZeroBitCount / 8 }
}

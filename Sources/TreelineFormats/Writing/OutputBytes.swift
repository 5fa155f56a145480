import Treeline

/// Text on its way out, in UTF-8. What is appended is written where it stays, with no `String` in between: an answer to a
/// query takes microseconds, and so should its text.
public struct OutputBytes: ~Copyable {
  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  public private(set) var count = 0

  /// - Parameter capacity: How many bytes there is room for at first.
  public init(capacity: Int = 1 << 12) {
    self.capacity = max(capacity, 64)
    start = .allocate(capacity: self.capacity)
  }

  deinit { start.deallocate() }

  /// What was appended, for as long as `work` takes.
  public borrowing func withBytes<Result, Failure>(
    _ work: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try work(UnsafeRawBufferPointer(start: start, count: count))
  }

  public var text: String {
    withBytes { String(decoding: $0, as: UTF8.self) }
  }

  public mutating func removeAll() { count = 0 }

  /// Makes room for so many bytes more.
  @inline(__always)
  private mutating func reserve(_ more: Int) {
    if count + more > capacity { grow(to: count + more) }
  }

  @inline(never)
  private mutating func grow(to least: Int) {
    let larger = max(least, 2 * capacity)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    moved.update(from: start, count: count)
    start.deallocate()
    (start, capacity) = (moved, larger)
  }
}

extension OutputBytes {
  @inline(__always)
  public mutating func append(byte: UInt8) {
    reserve(1)
    start[count] = byte
    count += 1
  }

  /// Where the literal is known the copy is a few moves of registers.
  @inline(__always)
  public mutating func append(_ literal: StaticString) {
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

  /// The decimal digits of a number.
  public mutating func append(_ number: Int) {
    if number < 0 { append(byte: UInt8(ascii: "-")) }
    append(digits: UInt64(number.magnitude))
  }

  public mutating func append(_ number: UInt64) { append(digits: number) }

  private mutating func append(digits number: UInt64) {
    guard number < Digits.endOfEight else {
      let (high, low) = number.quotientAndRemainder(dividingBy: Digits.endOfEight)
      append(digits: high)
      return append(eight: UInt32(low))
    }
    let digits = Digits(UInt32(number))
    append(digits, from: digits.leadingZeros, to: 8)
  }

  /// Eight digits, led by zeros.
  mutating func append(eight number: UInt32) { append(Digits(number), from: 0, to: 8) }

  /// The first digits of a decimal fraction, up to the last that is not 0; nothing of 0.
  ///
  /// - Parameter fraction: in units of the last of 8 digits.
  mutating func append(fraction: UInt32) {
    let digits = Digits(fraction)
    append(digits, from: 0, to: 8 - digits.trailingZeros)
  }

  @inline(__always)
  private mutating func append(_ digits: Digits, from first: Int, to end: Int) {
    reserve(8)
    // All eight at once; what is too much is written over.
    UnsafeMutableRawPointer(start + count).storeBytes(
      of: (digits.text >> (8 * first)).littleEndian, as: UInt64.self)
    count += end - first
  }
}

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
  public mutating func append(byte: UInt8) {
    reserve(1)
    start[count] = byte
    count += 1
  }

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

  /// - Parameter least: How many digits there are at least, led by zeros; up to 20.
  mutating func append(digits number: UInt64, least: Int = 1) {
    reserve(Self.mostDigits)
    let length = max(Self.digitCount(of: number), least)
    var (place, rest) = (length, number)
    // From the last one back, two at a time: each step waits for a division.
    while place > 1 {
      let pair = UInt8(truncatingIfNeeded: rest % 100)
      rest /= 100
      place -= 2
      start[count + place] = UInt8(ascii: "0") &+ pair / 10
      start[count + place + 1] = UInt8(ascii: "0") &+ pair % 10
    }
    if place == 1 { start[count] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest) }
    count += length
  }

  private static func digitCount(of number: UInt64) -> Int {
    var (digits, power) = (1, UInt64(10))
    while digits < mostDigits, number >= power { (digits, power) = (digits + 1, power &* 10) }
    return digits
  }

  /// Of 2^64 - 1.
  private static let mostDigits = 20
}

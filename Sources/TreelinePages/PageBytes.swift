import CZlib
import Treeline

/// The uncompressed bytes of a page. Numbers are little-endian.
struct PageBytes {
  private(set) var bytes: [UInt8] = []

  mutating func append<Value: FixedWidthInteger>(_ value: Value) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  /// Appends numbers byte by byte: first the lowest byte of all numbers, then the next byte of all numbers, and so on.
  /// In this order neighboring bytes are similar, so the bytes compress well.
  mutating func append<Value: FixedWidthInteger & UnsignedInteger>(planesOf values: [Value]) {
    for shift in stride(from: 0, to: Value.bitWidth, by: 8) {
      for value in values { bytes.append(UInt8(truncatingIfNeeded: value >> Value(shift))) }
    }
  }

  /// Appends zeros up to a multiple of 8.
  mutating func align() { while bytes.count % 8 != 0 { bytes.append(0) } }
}

/// Numbers that take only a few bits each, lowest bit first. The bit counts are not stored: a reader computes each bit
/// count from earlier numbers.
struct PageBits {
  private(set) var bytes: [UInt8] = []
  private var bitCount = 0

  /// Appends a number with as many bits as are enough for every number up to `greatest`.
  mutating func append(_ value: UInt64, upTo greatest: UInt64) {
    var (value, left) = (value, UInt64.bitWidth - greatest.leadingZeroBitCount)
    while left > 0 {
      let shift = bitCount % 8
      if shift == 0 { bytes.append(0) }
      let taken = min(8 - shift, left)
      bytes[bytes.count - 1] |= UInt8(truncatingIfNeeded: value & (1 << UInt64(taken) - 1)) << UInt8(shift)
      value >>= UInt64(taken)
      left -= taken
      bitCount += taken
    }
  }
}

extension [UInt32] {
  /// For each number, the difference from the number before it, modulo 2^32, in zigzag code. The differences 0, -1, 1,
  /// -2, 2 become 0, 1, 2, 3, 4. For the first number, the difference from 0 is taken.
  var differences: [UInt32] {
    var previous: UInt32 = 0
    return map { value in
      let difference = Int32(bitPattern: value &- previous)
      previous = value
      return UInt32(bitPattern: difference << 1 ^ difference >> 31)
    }
  }
}

/// The compression of pages: zlib (RFC 1950), which browsers can decode without a library.
enum PageCompression {
  static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    var length = compressBound(UInt(bytes.count))
    return [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
      let status = compress2(buffer.baseAddress, &length, bytes, UInt(bytes.count), 9)
      precondition(status == Z_OK, "zlib could not allocate memory")
      count = Int(length)
    }
  }

  /// Returns the uncompressed bytes of a page. Returns nil if the given bytes are not a compressed page, or if the
  /// result would exceed `limit` bytes.
  static func inflated(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
    var capacity = min(max(4 * bytes.count, 1 << 16), limit)
    while true {
      var length = UInt(capacity)
      var status = Z_OK
      let result = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
        status = uncompress(buffer.baseAddress, &length, bytes, UInt(bytes.count))
        count = status == Z_OK ? Int(length) : 0
      }
      if status == Z_OK { return result }
      guard status == Z_BUF_ERROR, capacity < limit else { return nil }
      capacity = min(2 * capacity, limit)
    }
  }
}

/// A reference to a page: the place of its bytes.
struct PageReference: Hashable, Sendable {
  /// The checksum (XXH64) of the page's file, which is also the file's name; nil if all pages are in one file.
  var file: UInt64?
  /// The length of the page's file; 0 if all pages are in one file.
  var fileLength: UInt32
  /// The offset of the page in its file.
  var offset: UInt64
  /// The length of the compressed page; 0 means that there is no page.
  var length: UInt32

  static let none = PageReference(file: nil, fileLength: 0, offset: 0, length: 0)

  /// Returns the places of pages that follow one another. The first page is at the offset of this reference.
  func places(of pages: [[UInt8]]) -> [PageReference] {
    var place = self
    place.length = 0
    return pages.map { page in
      place.offset += UInt64(place.length)
      place.length = UInt32(page.count)
      return place
    }
  }

  /// Returns the name of the file with a given checksum.
  static func fileName(_ checksum: UInt64) -> String { hexadecimal(checksum) + ".page" }
}

/// Returns a number as 16 hexadecimal digits.
func hexadecimal(_ number: UInt64) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}

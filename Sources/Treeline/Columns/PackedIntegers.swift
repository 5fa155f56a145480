/// Unsigned integers of 1, 2, 4 or 8 bytes each, little-endian. The memory belongs to another object, which must be
/// kept alive while the integers are used.
package struct PackedIntegers: @unchecked Sendable {
  package let start: UnsafeRawPointer
  package let count: Int
  /// The number of bytes of an integer: 1, 2, 4 or 8.
  package let width: Int

  package init(_ start: UnsafeRawPointer, count: Int, width: Int) {
    (self.start, self.count, self.width) = (start, count, width)
  }

  /// Returns the least width, in bytes, for numbers up to `greatest`.
  package static func width(for greatest: UInt64) -> Int {
    greatest <= 0xFF ? 1 : greatest <= 0xFFFF ? 2 : greatest <= 0xFFFF_FFFF ? 4 : 8
  }

  /// Returns the greatest number that fits a width.
  package static func greatest(ofWidth width: Int) -> UInt64 { .max >> UInt64(64 - 8 * width) }

  @inline(__always) package subscript(index: Int) -> UInt64 {
    switch width {
    case 1: UInt64(start.load(fromByteOffset: index, as: UInt8.self))
    case 2: UInt64(UInt16(littleEndian: start.load(fromByteOffset: 2 &* index, as: UInt16.self)))
    case 4: UInt64(UInt32(littleEndian: start.load(fromByteOffset: 4 &* index, as: UInt32.self)))
    default: UInt64(littleEndian: start.load(fromByteOffset: 8 &* index, as: UInt64.self))
    }
  }

  /// Passes the integers to `work` in their own type, such as `UInt16`. So a loop in `work` does not have to
  /// distinguish between widths.
  @inline(__always) func with<Work: PackedWork>(_ work: inout Work) {
    switch width {
    case 1: work.run(start.assumingMemoryBound(to: UInt8.self))
    case 2: work.run(start.assumingMemoryBound(to: UInt16.self))
    case 4: work.run(start.assumingMemoryBound(to: UInt32.self))
    default: work.run(start.assumingMemoryBound(to: UInt64.self))
    }
  }
}

/// A task that reads integers of any width.
protocol PackedWork {
  mutating func run<Integer: FixedWidthInteger & UnsignedInteger>(_ integers: UnsafePointer<Integer>)
}

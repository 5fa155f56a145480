/// Unsigned integers of 1, 2, 4 or 8 bytes each, little-endian, in memory that somebody else keeps alive.
package struct PackedIntegers: @unchecked Sendable {
  package let start: UnsafeRawPointer
  package let count: Int
  /// In bytes: 1, 2, 4 or 8.
  package let width: Int

  package init(_ start: UnsafeRawPointer, count: Int, width: Int) {
    (self.start, self.count, self.width) = (start, count, width)
  }

  /// The least width that holds a number.
  package static func width(for greatest: UInt64) -> Int {
    greatest <= 0xFF ? 1 : greatest <= 0xFFFF ? 2 : greatest <= 0xFFFF_FFFF ? 4 : 8
  }

  /// The greatest number of a width.
  package static func greatest(ofWidth width: Int) -> UInt64 { .max >> UInt64(64 - 8 * width) }

  @inline(__always) package subscript(index: Int) -> UInt64 {
    switch width {
    case 1: UInt64(start.load(fromByteOffset: index, as: UInt8.self))
    case 2: UInt64(UInt16(littleEndian: start.load(fromByteOffset: 2 &* index, as: UInt16.self)))
    case 4: UInt64(UInt32(littleEndian: start.load(fromByteOffset: 4 &* index, as: UInt32.self)))
    default: UInt64(littleEndian: start.load(fromByteOffset: 8 &* index, as: UInt64.self))
    }
  }

  /// What is to be done for all of them runs on the type that they have, without a case for each.
  @inline(__always) func with<Work: PackedWork>(_ work: inout Work) {
    switch width {
    case 1: work.run(start.assumingMemoryBound(to: UInt8.self))
    case 2: work.run(start.assumingMemoryBound(to: UInt16.self))
    case 4: work.run(start.assumingMemoryBound(to: UInt32.self))
    default: work.run(start.assumingMemoryBound(to: UInt64.self))
    }
  }
}

/// Work on integers of any width.
protocol PackedWork {
  mutating func run<Integer: FixedWidthInteger & UnsignedInteger>(_ integers: UnsafePointer<Integer>)
}

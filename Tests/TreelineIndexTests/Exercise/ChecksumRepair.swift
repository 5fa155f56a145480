@testable import Treeline

/// Repairs the checksums of an index whose bytes were changed. The changes then get past the checksums, and reach the
/// code that reads the bytes.
enum ChecksumRepair {
  static func repair(_ bytes: UnsafeMutableRawBufferPointer) {
    guard bytes.count >= IndexHeader.fixedLength else { return }
    bytes.copyBytes(from: IndexHeader.magic)
    let room = (bytes.count - IndexHeader.fixedLength) / IndexHeader.entryLength
    let sectionCount = min(Int(bytes.number(at: 68, as: UInt32.self)), room, IndexHeader.maximumSectionCount)
    let headerLength = IndexHeader.fixedLength + sectionCount * IndexHeader.entryLength
    bytes.store(IndexHeader.majorVersion, at: 8)
    bytes.store(UInt32(headerLength), at: 12)
    bytes.store(UInt64(bytes.count), at: 16)
    bytes.store(UInt32(sectionCount), at: 68)
    for entry in stride(from: IndexHeader.fixedLength, to: headerLength, by: IndexHeader.entryLength) {
      let offset = bytes.number(at: entry + 8, as: UInt64.self)
      let length = bytes.number(at: entry + 16, as: UInt64.self)
      guard offset <= bytes.count, length <= UInt64(bytes.count) - offset else { continue }
      let section = bytes[Int(offset)..<Int(offset + length)]
      bytes.store(XXHash64.hash(UnsafeRawBufferPointer(rebasing: section)), at: entry + 24)
    }
    repairHeader(bytes, length: headerLength)
  }

  /// Repairs only the checksum of the header itself.
  static func repairHeader(_ bytes: UnsafeMutableRawBufferPointer, length: Int) {
    bytes.store(0 as UInt64, at: 120)
    bytes.store(XXHash64.hash(UnsafeRawBufferPointer(rebasing: bytes[0..<length])), at: 120)
  }
}

extension UnsafeMutableRawBufferPointer {
  func number<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type) -> Value {
    Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
  }

  func store<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
  }
}

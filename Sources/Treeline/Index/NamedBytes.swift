/// The bytes of a whole index, and what to call it in errors.
struct NamedBytes {
  let bytes: UnsafeRawBufferPointer
  /// The path of the file.
  let name: String

  var count: Int { bytes.count }

  func malformed(at offset: some BinaryInteger, expected: String, found: String) -> IndexError {
    .malformed(path: name, offset: UInt64(offset), expected: expected, found: found)
  }

  /// A little-endian integer. The caller has checked that it lies within.
  func read<Value: FixedWidthInteger>(at offset: Int) -> Value { bytes.read(at: offset) }

  func expect<Value: FixedWidthInteger>(_ expected: Value, at offset: Int, _ meaning: String)
    throws(IndexError)
  {
    let found: Value = read(at: offset)
    if found != expected {
      throw malformed(at: offset, expected: "\(meaning), \(expected)", found: "\(found)")
    }
  }
}

extension UnsafeRawBufferPointer {
  /// A little-endian integer. The caller has checked that it lies within.
  package func read<Value: FixedWidthInteger>(at offset: Int) -> Value {
    precondition(
      offset >= 0 && offset + MemoryLayout<Value>.size <= count, "A read beyond the end of an index")
    return Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
  }
}

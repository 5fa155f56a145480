/// The bytes of a whole index or of one section, and the name of the index in error messages.
struct NamedBytes {
  let bytes: UnsafeRawBufferPointer
  let name: String
  /// The offset of the bytes in the index. All other offsets are counted from the first of these bytes.
  var offset: UInt64 = 0

  func part(_ section: IndexSection) -> NamedBytes {
    NamedBytes(bytes: UnsafeRawBufferPointer(rebasing: bytes[section.range]), name: name, offset: section.offset)
  }

  func read<Value: FixedWidthInteger>(at offset: Int) -> Value { bytes.read(at: offset) }

  func require(
    _ condition: Bool, at offset: some BinaryInteger, _ expected: @autoclosure () -> String,
    found: @autoclosure () -> String
  ) throws(IndexError) { if !condition { throw malformed(at: offset, expected: expected(), found: found()) } }

  /// Throws if the integer at an offset does not have the expected value.
  func expect<Value: FixedWidthInteger>(_ expected: Value, at offset: Int, _ meaning: String) throws(IndexError) {
    let found: Value = read(at: offset)
    try require(found == expected, at: offset, "\(meaning), \(expected)", found: "\(found)")
  }

  func malformed(at offset: some BinaryInteger, expected: String, found: String) -> IndexError {
    .malformed(path: name, offset: self.offset + UInt64(offset), expected: expected, found: found)
  }
}

extension UnsafeRawBufferPointer {
  /// Reads a little-endian integer, which must lie within the bytes.
  package func read<Value: FixedWidthInteger>(at offset: Int) -> Value {
    precondition(offset >= 0 && offset + MemoryLayout<Value>.size <= count, "Expected an offset within the index")
    return Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
  }
}

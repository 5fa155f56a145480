/// Encoded members of a Protocol Buffers message, one after another.
///
/// Vector tiles need only four kinds of messages, so they are encoded without a Protocol Buffers library. A library
/// would be a dependency for all users of the package, even if they do not write tiles.
struct ProtobufBytes {
  private(set) var bytes: [UInt8] = []
  var count: Int { bytes.count }

  /// Removes all members, but keeps the memory for new members.
  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  mutating func append(_ other: ProtobufBytes) { bytes += other.bytes }

  /// Appends a string, a packed list or an encoded message.
  mutating func append(_ content: some Collection<UInt8>, as field: UInt64) {
    append(varint: field << 3 | 2)
    append(varint: UInt64(content.count))
    bytes += content
  }

  mutating func append(number: UInt64, as field: UInt64) {
    append(varint: field << 3)
    append(varint: number)
  }

  mutating func append(double: Double, as field: UInt64) {
    append(varint: field << 3 | 1)
    withUnsafeBytes(of: double.bitPattern.littleEndian) { bytes += $0 }
  }

  /// Appends a number in groups of seven bits. The lowest group comes first.
  mutating func append(varint number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

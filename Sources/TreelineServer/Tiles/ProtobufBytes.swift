/// A message of protocol buffers as it is sent (protobuf.dev/programming-guides/encoding), field by field.
struct ProtobufBytes {
  private(set) var bytes: [UInt8] = []

  private enum WireType: UInt64 {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
  }

  mutating func append(_ number: UInt64, to field: UInt64) {
    append(.varint, of: field)
    append(varint: number)
  }

  mutating func append(double number: Double, to field: UInt64) {
    append(.fixed64, of: field)
    withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// A string, or a message within the message.
  mutating func append(_ content: some Collection<UInt8>, to field: UInt64) {
    append(.lengthDelimited, of: field)
    append(varint: UInt64(content.count))
    bytes.append(contentsOf: content)
  }

  mutating func append(packed numbers: some Sequence<UInt32>, to field: UInt64) {
    var content = ProtobufBytes()
    for number in numbers { content.append(varint: UInt64(number)) }
    append(content.bytes, to: field)
  }

  private mutating func append(_ type: WireType, of field: UInt64) {
    append(varint: field << 3 | type.rawValue)
  }

  /// Seven bits a byte, the lowest first; all but the last byte have the eighth set.
  private mutating func append(varint number: UInt64) {
    var rest = number
    while rest > 0x7F {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

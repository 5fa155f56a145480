import CZlib
import Testing

extension DecodedTile {
  init(gzip bytes: [UInt8]) throws { try self.init(Self.inflated(bytes)) }

  private static func inflated(_ bytes: [UInt8]) throws -> [UInt8] {
    var stream = z_stream()
    try #require(inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK)
    defer { inflateEnd(&stream) }
    var input = bytes
    // The gzip stream ends with the length of its content.
    let length = bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    var output = [UInt8](repeating: 0, count: length)
    let status = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
        (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
        return inflate(&stream, Z_FINISH)
      }
    }
    try #require(status == Z_STREAM_END)
    return Array(output.prefix(Int(stream.total_out)))
  }
}

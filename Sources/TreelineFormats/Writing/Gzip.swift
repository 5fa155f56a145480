import CZlib

/// Compresses responses with gzip (RFC 1952).
@_spi(Server) public enum Gzip {
  /// Minimum length of data that is worth compressing. Compression of shorter data saves no network packet.
  public static let leastLength = 1024

  /// Compresses bytes. The caller cannot stop the compression.
  public static func compressed(_ bytes: UnsafeRawBufferPointer, level: Int32 = 1) -> [UInt8] {
    compressed(bytes, level: level) {}
  }

  /// Number of bytes that are compressed between two calls of `check`. At level 1, this takes about 3 ms.
  private static let pieceLength = 1 << 18

  /// Compresses bytes.
  ///
  /// - Parameters:
  ///   - bytes: Bytes to compress.
  ///   - level: Level of compression, from 1 (fastest) to 9 (smallest result).
  ///   - check: Called every few milliseconds. Throws to stop the compression.
  /// - Complexity: O(bytes). Level 1 takes about 10 ns per byte.
  public static func compressed(
    _ bytes: UnsafeRawBufferPointer, level: Int32 = 1, check: () throws -> Void
  ) rethrows -> [UInt8] {
    precondition(1...9 ~= level, "Expected a compression level from 1 to 9, found \(level)")
    precondition(bytes.count <= Int(UInt32.max) / 2, "Expected at most 2 GiB to compress, found \(bytes.count) bytes")
    var stream = z_stream()
    // 15 selects the largest window, 2^15 bytes. 16 requests the header and trailer of gzip, and 8 is zlib's default
    // memory level.
    let status = deflateInit2_(
      &stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK, "zlib has no memory left")
    defer { deflateEnd(&stream) }
    let bound = Int(deflateBound(&stream, UInt(bytes.count)))
    return try [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
      stream.next_in = UnsafeMutablePointer(mutating: bytes.assumingMemoryBound(to: UInt8.self).baseAddress)
      stream.next_out = buffer.baseAddress
      stream.avail_out = UInt32(bound)
      var (rest, status) = (bytes.count, Z_OK)
      repeat {
        try check()
        let length = min(rest, pieceLength)
        rest -= length
        stream.avail_in = UInt32(length)
        status = deflate(&stream, rest > 0 ? Z_NO_FLUSH : Z_FINISH)
      } while rest > 0
      precondition(status == Z_STREAM_END, "Expected room for all compressed bytes, found zlib status \(status)")
      count = bound - Int(stream.avail_out)
    }
  }
}

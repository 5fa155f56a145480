import CZlib

/// Inflates gzip data (RFC 1952) as a stream. The data may consist of several gzip members, one after the other.
final class GzipSource: ByteSource {
  private let input: Window
  /// zlib keeps a pointer to this state, so the state must not move in memory.
  private let stream: UnsafeMutablePointer<z_stream>
  private var isBetweenMembers = false

  init(_ input: Window) throws(ReadingError) {
    self.input = input
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 15 selects the largest window, 2^15 bytes. Adding 16 allows only the gzip format.
    let status = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { throw failure(status) }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadingError) -> Int {
    let room = UInt32(clamping: buffer.count)
    stream.pointee.next_out = buffer.assumingMemoryBound(to: UInt8.self).baseAddress
    stream.pointee.avail_out = room
    while stream.pointee.avail_out == room {
      if input.isEmpty && !input.isAtEnd { _ = try input.more() }
      if isBetweenMembers { guard try startsMember() else { return 0 } }
      if input.isEmpty && input.isAtEnd {
        throw .badCompression(file: input.file, reason: "the data is cut off after \(input.consumed) bytes")
      }
      try inflateOnce()
    }
    return Int(room - stream.pointee.avail_out)
  }

  private func inflateOnce() throws(ReadingError) {
    let available = input.bytes
    let offered = UInt32(clamping: available.count)
    stream.pointee.next_in = UnsafeMutablePointer(mutating: available.baseAddress)
    stream.pointee.avail_in = offered
    let status = inflate(stream, Z_NO_FLUSH)
    input.consume(Int(offered - stream.pointee.avail_in))
    switch status {
    case Z_OK: break
    case Z_STREAM_END: isBetweenMembers = true
    default: throw failure(status)
    }
  }

  /// Returns whether another member follows. Zeros after the last member are padding. They are ignored, as in gzip.
  private func startsMember() throws(ReadingError) -> Bool {
    while true {
      while let byte = input.bytes.first {
        if byte == 0x1F {
          isBetweenMembers = false
          inflateReset(stream)
          return true
        }
        guard byte == 0 else {
          throw .badCompression(file: input.file, reason: "other data follows the gzip data at byte \(input.consumed)")
        }
        input.consume(1)
      }
      if input.isAtEnd { return false }
      _ = try input.more()
    }
  }

  private func failure(_ status: Int32) -> ReadingError {
    let reason = stream.pointee.msg.map { String(cString: $0) } ?? "zlib status \(status)"
    return .badCompression(file: input.file, reason: "the data is corrupt near byte \(input.consumed) (\(reason))")
  }
}

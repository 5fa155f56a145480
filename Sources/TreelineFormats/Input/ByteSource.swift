/// Where bytes come from.
protocol ByteSource: AnyObject {
  /// Fills a part of a buffer that is not empty and returns how much; 0 means that the input has ended.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadingError) -> Int
}

/// Bytes that are in memory already.
final class MemorySource: ByteSource {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, bytes.count - position)
    bytes.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count]))
    }
    position += count
    return count
  }
}

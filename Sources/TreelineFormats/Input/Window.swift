/// A sliding window over an input: the bytes that have been read but not consumed, and their position in the file.
///
/// If the bytes end within a record, the scanner calls `more` and scans the record again. The window doubles each time,
/// so the total time stays linear.
final class Window {
  /// Name of the input in messages.
  let file: String
  private let source: any ByteSource
  private let limit: Int
  @exclusivity(unchecked) private var storage: UnsafeMutableRawBufferPointer
  // Unchecked, because checking each access at run time would slow the reading of GeoJSON by a tenth.
  @exclusivity(unchecked) private var start = 0
  @exclusivity(unchecked) private var end = 0
  /// Whether no bytes follow `bytes`.
  @exclusivity(unchecked) private(set) var isAtEnd = false
  /// Number of bytes of the input before `bytes`.
  @exclusivity(unchecked) private(set) var consumed: Int64 = 0
  /// Line at which `bytes` starts, counted from 1.
  @exclusivity(unchecked) private(set) var line = 1

  init(_ source: any ByteSource, file: String, limits: ReadingLimits) {
    self.file = file
    self.source = source
    limit = max(limits.record, limits.chunk, 1)
    storage = .allocate(byteCount: max(limits.chunk, 1), alignment: 16)
  }

  deinit { storage.deallocate() }

  /// Creates a window over a source, or over its inflated contents if it begins like gzip data.
  static func inflating(_ source: any ByteSource, file: String, limits: ReadingLimits) throws(ReadingError) -> (
    window: Window, isGzip: Bool
  ) {
    let window = Window(source, file: file, limits: limits)
    try window.require(2)
    guard window.bytes.starts(with: [0x1F, 0x8B]) else { return (window, false) }
    return (Window(try GzipSource(window), file: file, limits: limits), true)
  }

  /// Valid until the next call of `more` or `require`.
  @inline(__always) var bytes: Bytes { Bytes(rebasing: storage.assumingMemoryBound(to: UInt8.self)[start..<end]) }

  var isEmpty: Bool { start == end }

  @inline(__always) func consume(_ count: Int, lineBreaks: Int = 0) {
    start += count
    line += lineBreaks
    consumed += Int64(count)
  }

  /// Reads more bytes and keeps the bytes not consumed. Returns false if the window has reached its limit.
  func more() throws(ReadingError) -> Bool {
    if isAtEnd { return true }
    if start > 0 {
      storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[start..<end]))
      end -= start
      start = 0
    } else if end == storage.count {
      guard storage.count < limit else { return false }
      let wider = UnsafeMutableRawBufferPointer.allocate(byteCount: min(2 * end, limit), alignment: 16)
      wider.copyMemory(from: UnsafeRawBufferPointer(storage))
      storage.deallocate()
      storage = wider
    }
    while end < storage.count {
      let count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: storage[end...]))
      if count == 0 {
        isAtEnd = true
        break
      }
      end += count
    }
    return true
  }

  /// Reads more bytes within a record.
  func extend() throws(ReadingError) {
    guard try more() else { throw .recordTooLong(file: file, line: line, limit: bytes.count) }
  }

  /// Returns an error about malformed input, at an offset into `bytes` that is `lineBreaks` lines further down.
  func malformed(at position: Int = 0, lineBreaks: Int = 0, expected: String, found: String) -> ReadingError {
    .malformed(file: file, line: line + lineBreaks, byte: consumed + Int64(position), expected: expected, found: found)
  }

  /// Reads until at least `count` bytes are in the window, or until the input ends or the window reaches its limit.
  func require(_ count: Int) throws(ReadingError) {
    while end - start < count && !isAtEnd { guard try more() else { return } }
  }
}

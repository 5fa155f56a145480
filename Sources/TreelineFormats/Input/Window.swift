/// A sliding window over an input. It contains the bytes that have been read but not consumed, and counts the bytes
/// and lines before these bytes.
///
/// If the bytes end within a record, the scanner calls `more` and scans the record again. The window doubles each
/// time, so the total time is linear.
final class Window {
  /// Name of the input, as messages show it.
  let file: String
  private let source: any ByteSource
  private let limit: Int
  @exclusivity(unchecked) private var storage: UnsafeMutableRawBufferPointer
  // Exclusivity is not checked, because the checks would make reading GeoJSON a tenth slower.
  @exclusivity(unchecked) private var start = 0
  @exclusivity(unchecked) private var end = 0
  /// Whether the input ends after `bytes`.
  @exclusivity(unchecked) private(set) var isAtEnd = false
  /// Number of input bytes before `bytes`.
  @exclusivity(unchecked) private(set) var consumed: Int64 = 0
  /// Line on which `bytes` begins, counted from 1.
  @exclusivity(unchecked) private(set) var line = 1

  init(_ source: any ByteSource, file: String, limits: ReadingLimits) {
    self.file = file
    self.source = source
    limit = max(limits.record, limits.chunk, 1)
    storage = .allocate(byteCount: max(limits.chunk, 1), alignment: 16)
  }

  deinit { storage.deallocate() }

  /// Creates a window over a source. If the source begins like gzip data, the window contains the inflated data.
  static func inflating(_ source: any ByteSource, file: String, limits: ReadingLimits) throws(ReadingError) -> (
    window: Window, isGzip: Bool
  ) {
    let window = Window(source, file: file, limits: limits)
    try window.require(2)
    guard window.bytes.starts(with: [0x1F, 0x8B]) else { return (window, false) }
    return (Window(try GzipSource(window), file: file, limits: limits), true)
  }

  /// The bytes that are not consumed. Valid until the next call of `more` or `require`.
  @inline(__always) var bytes: Bytes { Bytes(rebasing: storage.assumingMemoryBound(to: UInt8.self)[start..<end]) }

  var isEmpty: Bool { start == end }

  @inline(__always) func consume(_ count: Int, lineBreaks: Int = 0) {
    start += count
    line += lineBreaks
    consumed += Int64(count)
  }

  /// Reads more bytes. Returns false if the window has reached its maximum size.
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

  /// Reads more bytes of a record. Throws if the record is too long.
  func extend() throws(ReadingError) {
    guard try more() else { throw .recordTooLong(file: file, line: line, limit: bytes.count) }
  }

  /// Returns an error about invalid input at an offset in `bytes`. The invalid input is `lineBreaks` lines below the
  /// first line of the window.
  func malformed(at position: Int = 0, lineBreaks: Int = 0, expected: String, found: String) -> ReadingError {
    .malformed(file: file, line: line + lineBreaks, byte: consumed + Int64(position), expected: expected, found: found)
  }

  /// Reads until the window has at least `count` bytes, until the input ends, or until the window has its maximum size.
  func require(_ count: Int) throws(ReadingError) {
    while end - start < count && !isAtEnd { guard try more() else { return } }
  }
}

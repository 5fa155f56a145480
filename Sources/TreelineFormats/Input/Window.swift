/// A sliding window over an input: the bytes that are read but not consumed yet, and where they lie in the file.
///
/// Where they end within a record the scanner asks for `more` and scans it again. The window doubles, so this stays
/// linear.
final class Window {
  /// What messages call the input.
  let file: String
  private let source: any ByteSource
  private let limit: Int
  @exclusivity(unchecked) private var storage: UnsafeMutableRawBufferPointer
  // Unchecked, for a check at run time of each access would cost a tenth of the time to read GeoJSON.
  @exclusivity(unchecked) private var start = 0
  @exclusivity(unchecked) private var end = 0
  /// Whether nothing will follow `bytes`.
  @exclusivity(unchecked) private(set) var isAtEnd = false
  /// How many bytes of the input lie before `bytes`.
  @exclusivity(unchecked) private(set) var consumed: Int64 = 0
  /// The line at which `bytes` starts, counted from 1.
  @exclusivity(unchecked) private(set) var line = 1

  init(_ source: any ByteSource, file: String, limits: ReadingLimits) {
    self.file = file
    self.source = source
    limit = max(limits.record, limits.chunk, 1)
    storage = .allocate(byteCount: max(limits.chunk, 1), alignment: 16)
  }

  deinit { storage.deallocate() }

  /// A window over a source, or over what it inflates to where its first bytes are those of gzip data.
  static func inflating(_ source: any ByteSource, file: String, limits: ReadingLimits) throws(ReadingError) -> (
    window: Window, isGzip: Bool
  ) {
    let window = Window(source, file: file, limits: limits)
    try window.require(2)
    guard window.bytes.starts(with: [0x1F, 0x8B]) else { return (window, false) }
    return (Window(try GzipSource(window), file: file, limits: limits), true)
  }

  /// Valid until `more` or `require` is called.
  @inline(__always) var bytes: Bytes { Bytes(rebasing: storage.assumingMemoryBound(to: UInt8.self)[start..<end]) }

  var isEmpty: Bool { start == end }

  @inline(__always) func consume(_ count: Int, lineBreaks: Int = 0) {
    start += count
    line += lineBreaks
    consumed += Int64(count)
  }

  /// Reads on, keeping what is not consumed; false if the window has reached its limit.
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

  /// Reads on within a record.
  func extend() throws(ReadingError) {
    guard try more() else { throw .recordTooLong(file: file, line: line, limit: bytes.count) }
  }

  /// A break of the format's rules, at an offset into `bytes` and so many lines down.
  func malformed(at position: Int = 0, lineBreaks: Int = 0, expected: String, found: String) -> ReadingError {
    .malformed(file: file, line: line + lineBreaks, byte: consumed + Int64(position), expected: expected, found: found)
  }

  /// Tries to have at least so many bytes in the window; fewer only if the input ends.
  func require(_ count: Int) throws(ReadingError) {
    while end - start < count && !isAtEnd { guard try more() else { return } }
  }
}

/// Whole inputs, for the small ones that are not points.
public enum InputContents {
  /// The bytes of a file or of standard input, inflated where they are gzip data.
  ///
  /// - Complexity: O(bytes), all of them in memory.
  public static func read(path: String) throws(ReadingError) -> [UInt8] {
    let source = try FileSource(path: path, progress: nil)
    var window = Window(source, limits: ReadingLimits())
    if try InputFormat.isGzip(window) {
      window = Window(try GzipSource(window, file: source.displayName), limits: ReadingLimits())
    }
    var contents: [UInt8] = []
    while true {
      contents += window.bytes
      window.consume(window.bytes.count)
      if window.isAtEnd { return contents }
      _ = try window.more()
    }
  }
}

/// Reads points from CSV and GeoJSON, plain or gzip-compressed, as a stream.
///
/// The format is detected from the content, never from the file's name: gzip data by its magic bytes, and GeoJSON by
/// its first byte. All other text is CSV. Memory grows only with the points and the columns that are kept.
public enum PointReader {
  /// Called with the number of input bytes that were read, and with the total number of input bytes. The total is nil
  /// if it is unknown. Both numbers count compressed bytes.
  public typealias Progress = (_ bytesRead: Int64, _ totalBytes: Int64?) -> Void

  /// Reads the file at a path. The path `-` means standard input.
  ///
  /// - Throws: ``ReadingError`` if the file cannot be opened, if reading fails, or if the data is invalid.
  public static func read(path: String, options: ReadingOptions = ReadingOptions(), progress: Progress? = nil)
    throws -> PointTable
  { try read(path: path, options: options, receivers: PointReceivers(), progress: progress) }

  /// Reads the file at a path, and passes its points on to the receivers.
  package static func read(
    path: String, options: ReadingOptions, receivers: PointReceivers, progress: Progress? = nil
  ) throws(ReadingError) -> PointTable {
    let source = try FileSource(path: path, progress: progress, batches: receivers.batches)
    return try read(
      source, file: source.displayName, options: options, limits: ReadingLimits(), receivers: receivers)
  }

  /// Reads bytes in memory. In error messages, `name` is used as the name of the file.
  ///
  /// - Throws: `ReadingError`
  public static func read(bytes: [UInt8], name: String, options: ReadingOptions = ReadingOptions()) throws -> PointTable
  {
    try read(bytes: bytes, name: name, options: options, limits: ReadingLimits())
  }

  static func read(bytes: [UInt8], name: String, options: ReadingOptions, limits: ReadingLimits) throws(ReadingError)
    -> PointTable
  { try read(MemorySource(bytes), file: name, options: options, limits: limits) }

  private static func read(
    _ source: any ByteSource, file: String, options: ReadingOptions, limits: ReadingLimits,
    receivers: PointReceivers = PointReceivers()
  ) throws(ReadingError) -> PointTable {
    let (window, isGzip) = try Window.inflating(source, file: file, limits: limits)
    let format = try InputFormats.detect(window, isInflated: isGzip)
    guard options.columns == .automatic || format.hasColumns else {
      throw .columnsWithoutCSV(file: file, choice: options.columns, found: format.name)
    }
    guard options.decimal == .point || format.hasColumns else {
      throw .decimalWithoutCSV(file: file, found: format.name)
    }
    return try format.read(window, options: options, receivers: receivers)
  }
}

/// Reads whole inputs into memory, for small files other than points.
@_spi(Server) public enum InputContents {
  /// Returns the bytes of a file or of standard input. Gzip data is inflated.
  ///
  /// - Complexity: O(bytes) in time and memory.
  public static func read(path: String) throws(ReadingError) -> [UInt8] {
    let source = try FileSource(path: path, progress: nil)
    let (window, _) = try Window.inflating(source, file: source.displayName, limits: ReadingLimits())
    var contents: [UInt8] = []
    while true {
      contents += window.bytes
      window.consume(window.bytes.count)
      if window.isAtEnd { return contents }
      _ = try window.more()
    }
  }
}

/// Reads points from CSV and GeoJSON, plain or gzip-compressed, as a stream.
///
/// The format is told by the content, never by the name: gzip by its magic bytes, GeoJSON by a first byte `{` (a
/// FeatureCollection, or one Feature a line) or RS (a GeoJSON text sequence, RFC 8142), and all else is CSV (RFC 4180).
/// Memory grows with the points and their kept columns only.
public struct PointReader {
  /// Told how many bytes of the input, still compressed, are read, of how many if that is known.
  public typealias Progress = (_ bytesRead: Int64, _ totalBytes: Int64?) -> Void

  /// Reads the file at a path; `-` is standard input.
  ///
  /// - Throws: ``ReadingError``, whose `kind` tells a path that cannot be opened, a failing device and bad data apart.
  public static func read(
    path: String, options: ReadingOptions = ReadingOptions(), progress: Progress? = nil
  ) throws(ReadingError) -> PointTable {
    let source = try FileSource(path: path, progress: progress)
    return try read(source, file: source.displayName, options: options, limits: ReadingLimits())
  }

  /// Reads bytes in memory; `name` stands for the file in error messages.
  public static func read(
    bytes: [UInt8], name: String, options: ReadingOptions = ReadingOptions()
  ) throws(ReadingError) -> PointTable {
    try read(bytes: bytes, name: name, options: options, limits: ReadingLimits())
  }

  static func read(
    bytes: [UInt8], name: String, options: ReadingOptions, limits: ReadingLimits
  ) throws(ReadingError) -> PointTable {
    try read(MemorySource(bytes), file: name, options: options, limits: limits)
  }

  private static func read(
    _ source: any ByteSource, file: String, options: ReadingOptions, limits: ReadingLimits
  ) throws(ReadingError) -> PointTable {
    var window = Window(source, limits: limits)
    let isGzip = try InputFormat.isGzip(window)
    if isGzip { window = Window(try GzipSource(window, file: file), limits: limits) }
    switch try InputFormat.detect(window, file: file, isInflated: isGzip) {
    case .csv:
      var reader = CSVReader(window, file: file, options: options)
      return try reader.read()
    case .geoJSON:
      guard options.columns == .automatic else {
        throw .columnsWithoutCSV(file: file, choice: options.columns, found: "GeoJSON")
      }
      var reader = GeoJSONReader(window, file: file, options: options)
      return try reader.read()
    }
  }
}

import Treeline

/// An input format of points. `InputFormats.all` lists all formats. A `RecordDecoder` decodes the records of a format.
protocol InputFormat {
  /// Name of the format in messages.
  static var name: String { get }
  /// Possible first bytes of an input. No other format begins with these bytes. White space and a byte order mark may
  /// precede these bytes.
  static var firstBytes: [UInt8] { get }
  /// Whether `ReadingOptions.columns` can choose columns of this format.
  static var hasColumns: Bool { get }

  static func read(_ window: Window, options: ReadingOptions, receivers: PointReceivers) throws(ReadingError)
    -> PointTable
}

/// All input formats. To add a format, add it to `all`.
package enum InputFormats {
  static var all: [any InputFormat.Type] { [fallback, GeoJSONReader.self] }
  /// Format of inputs whose first byte belongs to no other format.
  private static var fallback: any InputFormat.Type { CSVReader.self }

  /// Names of all formats, as messages list them, such as `CSV or GeoJSON`.
  package static var names: String { all.map { $0.name }.listed() }

  /// Detects the format of an input. Consumes only a UTF-8 byte order mark.
  ///
  /// - Parameter isInflated: Whether the bytes have been inflated from gzip data.
  static func detect(_ window: Window, isInflated: Bool) throws(ReadingError) -> any InputFormat.Type {
    let file = window.file
    try window.require(binaryBytes)
    if window.bytes.starts(with: IndexHeader.magic) {
      let (found, remedy) =
        isInflated
        ? ("an index inside gzip data", "inflate it into a file with gzip -dc")
        : ("an index", "an index can be opened only from a file: give the path of the file")
      throw .unsupportedInput(file: file, found: found, remedy: remedy)
    }
    if let (found, remedy) = unsupported(window.bytes) {
      throw .unsupportedInput(file: file, found: found, remedy: remedy)
    }
    if window.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { window.consume(3) }
    var offset = 0
    while true {
      while offset < window.bytes.count {
        let byte = window.bytes[offset]
        switch byte {
        case Byte.space, Byte.tab, Byte.lineFeed, Byte.carriageReturn: offset += 1
        default:
          if byte == UInt8(ascii: "<"), try isMarkup(window, at: offset) {
            throw .unsupportedInput(
              file: file, found: "XML or HTML, such as KML or GPX", remedy: "convert it with ogr2ogr -f GeoJSONSeq")
          }
          return all.first { $0.firstBytes.contains(byte) } ?? fallback
        }
      }
      if window.isAtEnd { throw .empty(file: file) }
      // The window contains only white space. If it cannot grow any more, the input is read as CSV, because valid CSV
      // may begin with any amount of white space.
      guard try window.more() else { return fallback }
    }
  }

  /// Returns whether XML or HTML begins at an offset, with an element or a declaration.
  private static func isMarkup(_ window: Window, at offset: Int) throws(ReadingError) -> Bool {
    try window.require(offset + 16)
    let text = String(decoding: window.bytes[offset...].prefix(9), as: UTF8.self).lowercased()
    return ["<?xml", "<kml", "<gpx", "<osm", "<svg", "<html", "<!doctype"].contains { text.hasPrefix($0) }
  }

  private static let unsupportedKinds: [(magics: [[UInt8]], found: String, remedy: String)] = [
    // UTF-32 comes first, because its little-endian byte order mark begins like the mark of UTF-16.
    ([[0xFF, 0xFE, 0, 0], [0, 0, 0xFE, 0xFF]], "UTF-32 text", "convert it with iconv -f UTF-32 -t UTF-8"),
    ([[0xFF, 0xFE], [0xFE, 0xFF]], "UTF-16 text", "convert it with iconv -f UTF-16 -t UTF-8"),
    ([[0x1F, 0x8B]], "gzip data inside gzip data", "inflate it once with gzip -dc"),
    ([[0x28, 0xB5, 0x2F, 0xFD]], "zstd data", "inflate it with zstd -dc"),
    ([[0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]], "xz data", "inflate it with xz -dc"),
    ([Array("BZh".utf8)], "bzip2 data", "inflate it with bzip2 -dc"),
    ([[0x04, 0x22, 0x4D, 0x18]], "lz4 data", "inflate it with lz4 -dc"),
    ([[0x1F, 0x9D]], "compress (.Z) data", "inflate it with gzip -dc"),
    ([[0x78, 0x01], [0x78, 0x9C], [0x78, 0xDA]], "zlib data", "compress the data with gzip instead"),
    ([[0x50, 0x4B, 3, 4]], "a zip archive or spreadsheet", "unpack it, or export it as CSV"),
    ([[0x37, 0x7A, 0xBC, 0xAF]], "a 7z archive", "unpack it with 7z x"),
    (
      [Array("PAR1".utf8) + [0x15]], "Parquet data",
      "build the index in Python with treelinemap.build_parquet, "
        + "or convert the data to CSV, for example in DuckDB with COPY ... (FORMAT csv, HEADER)"
    ),
    ([Array("ARROW1".utf8) + [0, 0], [0xFF, 0xFF, 0xFF, 0xFF]], "Arrow data", "convert the data to CSV"),
    (
      [Array("PGCOPY\n".utf8) + [0xFF]], "a binary COPY of PostgreSQL", "write it by COPY ... WITH (FORMAT csv, HEADER)"
    ),
    ([Array("SQLite format 3".utf8) + [0]], "an SQLite database or GeoPackage", "convert it with ogr2ogr -f CSV"),
    ([[0x66, 0x67, 0x62, 3]], "FlatGeobuf data", "convert it with ogr2ogr -f GeoJSONSeq"),
    ([Array("PMTiles".utf8) + [3]], "a PMTiles archive", "give the points or the index from which the tiles were made"),
  ]

  /// Number of bytes among which a zero shows that the input is binary.
  private static let binaryBytes = 1024

  private static func unsupported(_ bytes: Bytes) -> (found: String, remedy: String)? {
    for kind in unsupportedKinds where kind.magics.contains(where: bytes.starts(with:)) {
      // A column name may begin with the same three letters as bzip2 data. But in bzip2 data, a level of compression
      // and the first digits of pi follow.
      if kind.found == "bzip2 data" && !bytes.dropFirst(4).starts(with: [0x31, 0x41, 0x59, 0x26]) { continue }
      return (kind.found, kind.remedy)
    }
    if bytes.prefix(4).contains(0) {
      return (
        "binary data, or UTF-16 text without a byte order mark", "convert UTF-16 text with iconv -f UTF-16LE -t UTF-8"
      )
    }
    guard let zero = bytes.prefix(binaryBytes).firstIndex(of: 0) else { return nil }
    return (
      "binary data with a zero at byte \(zero)",
      "give another file; or, if this is text, remove the zeros with tr -d '\\0'"
    )
  }
}

/// The reason why points could not be read.
public enum ReadingError: Error, Hashable, Sendable {
  /// The file does not exist or cannot be opened.
  case unopenable(file: String, reason: String)
  /// Reading from the file, device or pipe failed.
  case readFailed(file: String, reason: String)
  /// The gzip data is cut off or corrupt.
  case badCompression(file: String, reason: String)
  /// The input has an unsupported format, such as UTF-16 text or a zip archive.
  case unsupportedInput(file: String, found: String, remedy: String)
  /// The input is empty or contains only white space.
  case empty(file: String)
  /// The coordinate columns cannot be determined. `columns` contains the cells of the first row.
  case columnsNotFound(file: String, line: Int, problem: String, columns: [String])
  /// The user chose columns, but the input has a format without columns.
  case columnsWithoutCSV(file: String, choice: ColumnChoice, found: String)
  /// The user chose a decimal separator, but the input is not CSV.
  case decimalWithoutCSV(file: String, found: String)
  /// A record has no valid position.
  case invalidRow(file: String, InvalidRow)
  /// The input breaks the rules of its format, and the rest of the input cannot be read.
  ///
  /// `byte` is an offset in the input after decompression, counted from 0.
  case malformed(file: String, line: Int, byte: Int64, expected: String, found: String)
  /// A line of GeoJSON is not valid JSON, but later lines can be read. The Feature that contains this line begins on
  /// line `start`.
  case malformedLine(file: String, line: Int, start: Int, byte: Int64, expected: String, found: String)
  /// The member `crs` of GeoJSON names a system other than longitudes and latitudes of WGS 84.
  case foreignSystem(file: String, line: Int, found: String)
  /// The member `spatialReference` of Esri's JSON names a system other than longitudes and latitudes of WGS 84.
  case foreignEsriSystem(file: String, line: Int, found: String)
  /// A record is longer than `limit` bytes.
  case recordTooLong(file: String, line: Int, limit: Int)
  /// JSON is nested more than `limit` levels deep.
  case nestedTooDeep(file: String, line: Int, limit: Int)
}

extension ReadingError: CustomStringConvertible {
  /// One line of text: the place of the error, what was expected, what was found, and what to do.
  public var description: String {
    switch self {
    case .unopenable(let file, let reason): "\(file): cannot be opened: \(reason)"
    case .readFailed(let file, let reason): "\(file): reading failed: \(reason)"
    case .badCompression(let file, let reason):
      "\(file): invalid gzip data: \(reason); fetch or compress the file again"
    case .unsupportedInput(let file, let found, let remedy):
      "\(file): expected \(InputFormats.names) in UTF-8, plain or gzip-compressed, found \(found); \(remedy)"
    case .empty(let file): "\(file): expected \(InputFormats.names), found an empty input"
    case .columnsNotFound(let file, let line, let problem, let columns):
      "\(file):\(line): \(problem); the columns are \(Self.list(columns)); "
        + (columns.contains { $0.contains("\u{FFFD}") }
          ? "the text is not UTF-8; convert the text, for example with iconv -f WINDOWS-1252 -t UTF-8, or "
          : "")
        + "choose columns by name or number: with --longitude and --latitude, with --x and --y, with --lat-lon "
        + "or with --wkt"
    case .columnsWithoutCSV(let file, let choice, let found):
      "\(file): \(Self.options(choice)) of CSV, but this input is \(found); "
        + "leave out \(choice.isOne ? "the option" : "both options")"
    case .decimalWithoutCSV(let file, let found):
      "\(file): --decimal describes numbers in CSV, but this input is \(found); leave out --decimal"
    case .invalidRow(let file, let row):
      "\(file):\(row)\(row.remedy.map { "; \($0)" } ?? ""); --skip-invalid skips and lists such rows"
    case .malformed(let file, let line, let byte, let expected, let found):
      "\(file):\(line): expected \(expected), found \(found) (byte \(byte))"
    case .malformedLine(let file, let line, let start, let byte, let expected, let found):
      "\(file):\(line): expected \(expected), found \(found) (byte \(byte)"
        + (start == line ? "" : "; the Feature begins on line \(start)")
        + "); --skip-invalid skips and lists such lines"
    case .foreignSystem(let file, let line, let found):
      "\(file):\(line): expected \(CoordinateSystem.expected), found the crs \(found); \(CoordinateSystem.remedy)"
    case .foreignEsriSystem(let file, let line, let found):
      "\(file):\(line): expected \(CoordinateSystem.expected), found the spatialReference \(found); "
        + CoordinateSystem.esriRemedy
    case .recordTooLong(let file, let line, let limit):
      "\(file):\(line): expected a record of at most \(limit) bytes, found a longer record; "
        + "look for a quote that is never closed"
    case .nestedTooDeep(let file, let line, let limit):
      "\(file):\(line): expected JSON nested at most \(limit) levels deep, found deeper nesting; flatten the data"
    }
  }

  private static func options(_ choice: ColumnChoice) -> String {
    switch choice {
    case .automatic, .sphere: "--longitude and --latitude name columns"
    case .plane: "--x and --y name columns"
    case .wkt: "--wkt names a column"
    case .latitudeLongitude: "--lat-lon names a column"
    case .longitudeLatitude: "--lon-lat names a column"
    }
  }

  private static func list(_ columns: [String]) -> String {
    let shown = columns.prefix(20).map { "\"\($0)\"" }.joined(separator: ", ")
    return columns.count > 20 ? "\(shown) and \(columns.count - 20) more" : shown
  }
}

/// A row without a valid position.
public struct InvalidRow: Hashable, Sendable {
  /// Number of the row in the input, counted from 0. Headers and blank lines do not count.
  public let row: Int
  /// Line of the input on which the row begins, counted from 1.
  public let line: Int
  /// The part of the record that is wrong, such as `column "latitude" (2)` or `feature 18, geometry`.
  public let part: String
  /// What was expected in this part.
  public let expected: String
  /// The text in this part.
  public let found: String
  /// Advice for the user, if there is any. The description does not contain this advice.
  public internal(set) var remedy: String?
}

/// A note to the user about something unusual in an input. Programs should print the description on standard error,
/// after the name of the input.
public enum ReadingNote: Hashable, Sendable {
  /// A CSV file has no header, so columns 1 and 2 are used as the coordinates.
  case noHeader(isPlanar: Bool)
  /// More than half of the rows were skipped. Most of these rows had the same problem, which `remedy` solves.
  case mostRowsInvalid(remedy: String)
  /// The server that wrote the input sent only part of its features.
  case partOfFeatures
  /// Lines that begin with `#` were skipped before the header.
  case skippedPreamble(lineCount: Int)
  /// The rows of a CSV file have coordinates of several places, such as the start and the end of a journey. The
  /// coordinates of the start are read. `chosen` names the columns that are read, and `other` names the columns of
  /// another place.
  case startOfJourney(chosen: String, other: String)
  /// A CSV file has both coordinates in one cell, and the guess of their order may be wrong.
  case coordinatesInOneCell(column: String, isLatitudeFirst: Bool)
}

extension ReadingNote: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noHeader(isPlanar: false):
      "there is no header: column 1 is read as longitude and column 2 as latitude; "
        + "--longitude and --latitude choose other columns"
    case .noHeader(isPlanar: true):
      "there is no header: column 1 is read as x and column 2 as y; --x and --y choose other columns"
    case .mostRowsInvalid(let remedy): "most rows are invalid; \(remedy)"
    case .partOfFeatures:
      "the server sent only a part of the features (exceededTransferLimit); request the rest with resultOffset"
    case .skippedPreamble(1): "skipped 1 line above the first row, because it begins with #"
    case .skippedPreamble(let count): "skipped \(count) lines above the first row, because they begin with #"
    case .startOfJourney(let chosen, let other):
      "points are read from \(chosen), not from \(other); --longitude and --latitude choose other columns"
    case .coordinatesInOneCell(let column, isLatitudeFirst: true):
      "column \"\(column)\" is read as a latitude and a longitude; --lon-lat reads the longitude first"
    case .coordinatesInOneCell(let column, isLatitudeFirst: false):
      "column \"\(column)\" is read as a longitude and a latitude; --lat-lon reads the latitude first"
    }
  }
}

extension InvalidRow: CustomStringConvertible {
  /// A message without the name of the file, such as `18: column "latitude" (2): expected a latitude from -90 to 90,
  /// found "91.5"`.
  public var description: String { "\(line): \(part): expected \(expected), found \(found)" }
}

/// Why points could not be read.
public enum ReadingError: Error, Hashable, Sendable {
  /// There is no such file, or it may not be opened.
  case unopenable(file: String, reason: String)
  /// The device or pipe failed while reading.
  case readFailed(file: String, reason: String)
  /// The gzip data is cut off or corrupt.
  case badCompression(file: String, reason: String)
  /// The input is of a kind that is not read, such as UTF-16 text or a zip archive.
  case unsupportedInput(file: String, found: String, remedy: String)
  /// There is nothing in the input but space.
  case empty(file: String)
  /// The coordinate columns cannot be told; `columns` lists what the first row has.
  case columnsNotFound(file: String, line: Int, problem: String, columns: [String])
  /// Columns are named of an input that has none.
  case columnsWithoutCSV(file: String, choice: ColumnChoice, found: String)
  /// A record has no valid position.
  case invalidRow(file: String, InvalidRow)
  /// The input breaks the rules of its format, so that what follows cannot be read either.
  ///
  /// `byte` is the offset in the (inflated) input, counted from 0.
  case malformed(file: String, line: Int, byte: Int64, expected: String, found: String)
  /// A record exceeds a bound on its length in bytes.
  case recordTooLong(file: String, line: Int, limit: Int)
  /// JSON is nested deeper than the bound on its levels.
  case nestedTooDeep(file: String, line: Int, limit: Int)

  /// What to blame, which a tool turns into its exit code.
  public enum Kind: Hashable, Sendable {
    /// The path (EX_NOINPUT, 66).
    case unopenable
    /// The device (EX_IOERR, 74).
    case readFailed
    /// The content (EX_DATAERR, 65).
    case badData
    /// What was asked for, which does not go with the content (EX_USAGE, 64).
    case usage
  }

  public var kind: Kind {
    switch self {
    case .unopenable: .unopenable
    case .readFailed: .readFailed
    case .columnsWithoutCSV: .usage
    default: .badData
    }
  }
}

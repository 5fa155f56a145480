extension ReadingError: CustomStringConvertible {
  /// One line that says where, what was expected, what was found, and the remedy.
  public var description: String {
    switch self {
    case .unopenable(let file, let reason): "\(file): cannot be opened: \(reason)"
    case .readFailed(let file, let reason): "\(file): reading failed: \(reason)"
    case .badCompression(let file, let reason):
      "\(file): expected complete gzip data, found that \(reason); fetch or compress the file again"
    case .unsupportedInput(let file, let found, let remedy):
      "\(file): expected CSV or GeoJSON in UTF-8, plain or gzip-compressed, found \(found); \(remedy)"
    case .empty(let file): "\(file): expected CSV or GeoJSON, found an empty input"
    case .columnsNotFound(let file, let line, let problem, let columns):
      "\(file):\(line): \(problem); the columns are \(Self.list(columns)); "
        + "choose with --longitude and --latitude, or --x and --y, by name or number"
    case .columnsWithoutCSV(let file, let choice, let found):
      "\(file): expected CSV, of which \(Self.options(choice)) name columns, found \(found); leave them out"
    case .invalidRow(let file, let row): "\(file):\(row); --skip-invalid skips and lists such rows"
    case .malformed(let file, let line, let byte, let expected, let found):
      "\(file):\(line): expected \(expected), found \(found) (byte \(byte))"
    case .recordTooLong(let file, let line, let limit):
      "\(file):\(line): expected a record of at most \(limit) bytes, found a longer one; "
        + "look for a quote that is never closed"
    case .nestedTooDeep(let file, let line, let limit):
      "\(file):\(line): expected JSON nested at most \(limit) levels deep, found it deeper; flatten the data"
    }
  }

  private static func options(_ choice: ColumnChoice) -> String {
    if case .plane = choice { "--x and --y" } else { "--longitude and --latitude" }
  }

  private static func list(_ columns: [String]) -> String {
    let shown = columns.prefix(20).map { "\"\($0)\"" }.joined(separator: ", ")
    return columns.count > 20 ? "\(shown) and \(columns.count - 20) more" : shown
  }
}

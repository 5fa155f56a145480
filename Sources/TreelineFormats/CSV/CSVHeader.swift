/// Why the columns cannot be told from the first row.
struct ColumnProblem: Error { let text: String }

/// What the first row says about the columns.
struct CSVHeader {
  var layout: CSVLayout
  var isPlanar: Bool
  /// Whether the first row is a header rather than data.
  var isHeader: Bool
  /// Whether names had to be repaired because their bytes are not UTF-8.
  var isRepaired = false

  /// - Parameter cells: the texts of the first row.
  init(cells: [String], delimiter: UInt8, options: ReadingOptions) throws(ColumnProblem) {
    let names = cells.map(\.trimmed)
    let columns =
      switch options.columns {
      case .automatic: try ColumnFinder.automatic(names)
      case .sphere(let longitude, let latitude): try ColumnFinder.pair(longitude, latitude, in: names, isPlanar: false)
      case .plane(let x, let y): try ColumnFinder.pair(x, y, in: names, isPlanar: true)
      }
    if columns.first == columns.second {
      throw ColumnProblem(text: "expected two different coordinate columns, found column \(columns.first + 1) twice")
    }
    isPlanar = options.isPlanar ?? columns.isPlanar
    // A row of which one cell is a value is data, if bad data; to take it for a header would lose it in silence.
    isHeader = columns.isNamed || !(isValue(names[columns.first]) || isValue(names[columns.second]))
    layout = CSVLayout(
      delimiter: delimiter, names: isHeader ? names : [], columnCount: cells.count, first: columns.first,
      second: columns.second)
  }
}

/// Whether a cell of a first row is data: a number, a stand-in for one, or empty.
private func isValue(_ cell: String) -> Bool {
  ["", "nan", "inf", "infinity", "null", "na", "n/a"].contains(
    String(cell.lowercased().drop { $0 == "-" || $0 == "+" }))
    || Array(cell.utf8).withUnsafeBufferPointer { parseDecimal($0) } != nil
}

/// Finds coordinate columns among the cells of a first row.
private enum ColumnFinder {
  /// `isNamed` where one of them was found by its name, and so the first row is a header.
  typealias Columns = (first: Int, second: Int, isPlanar: Bool, isNamed: Bool)

  /// In order of preference; compared in lower case without `_`, `-` and spaces.
  private static let commonNames: [(first: String, second: String, isPlanar: Bool)] = [
    ("longitude", "latitude", false), ("lon", "lat", false), ("lng", "lat", false), ("long", "lat", false),
    ("decimallongitude", "decimallatitude", false), ("longitude", "lat", false), ("lon", "latitude", false),
    ("lng", "latitude", false), ("long", "latitude", false), ("x", "y", true), ("easting", "northing", true),
    ("eastings", "northings", true),
  ]

  /// By common names, else the first two columns if those are numbers.
  static func automatic(_ cells: [String]) throws(ColumnProblem) -> Columns {
    let plain = cells.map { $0.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " } }
    for names in commonNames {
      let pair = [names.first, names.second].map { name in plain.indices.filter { plain[$0] == name } }
      if pair.contains(where: \.isEmpty) { continue }
      for found in pair where found.count > 1 { throw ambiguous(cells[found[0]], found.count) }
      return (pair[0][0], pair[1][0], names.isPlanar, true)
    }
    if cells.count >= 2 && isValue(cells[0]) && isValue(cells[1]) && !(cells[0].isEmpty && cells[1].isEmpty) {
      return (0, 1, false, false)
    }
    throw ColumnProblem(
      text: "expected columns named longitude and latitude, lon and lat, x and y or the like, found none")
  }

  /// The columns that two names, or positions counted from 1, choose.
  static func pair(_ first: String, _ second: String, in cells: [String], isPlanar: Bool) throws(ColumnProblem)
    -> Columns
  {
    let (first, second) = (try column(first, in: cells), try column(second, in: cells))
    return (first.index, second.index, isPlanar, first.isNamed || second.isNamed)
  }

  private static func column(_ choice: String, in cells: [String]) throws(ColumnProblem) -> (index: Int, isNamed: Bool)
  {
    if !choice.isEmpty && choice.utf8.allSatisfy(Byte.isDigit) {
      guard let position = Int(choice), cells.indices.contains(position - 1) else {
        throw ColumnProblem(
          text: "expected a column \(visible(choice)), found \(cells.count) in the first row, counted from 1")
      }
      return (position - 1, false)
    }
    var found = cells.indices.filter { cells[$0] == choice }
    if found.isEmpty { found = cells.indices.filter { cells[$0].lowercased() == choice.lowercased() } }
    guard let first = found.first else {
      throw ColumnProblem(text: "expected a column named \"\(visible(choice))\", found none")
    }
    if found.count > 1 { throw ambiguous(choice, found.count) }
    return (first, true)
  }

  private static func ambiguous(_ name: String, _ count: Int) -> ColumnProblem {
    ColumnProblem(text: "expected one column named \"\(visible(name))\", found \(count)")
  }
}

/// The delimiter that the first record uses most outside quotes; a comma if it uses none.
///
/// - Returns: `nil` if the record does not end within `bytes` and more may follow.
func detectDelimiter(_ bytes: Bytes, isFinal: Bool) -> UInt8? {
  let candidates = [Byte.comma, Byte.tab, Byte.semicolon]
  var counts = [0, 0, 0]
  var position = 0
  var isQuoted = false
  var isCellStart = true
  var isComplete = isFinal
  scan: while position < bytes.count {
    let byte = bytes[position]
    position += 1
    if isQuoted {
      // A doubled quote closes and opens again, which comes to the same.
      if byte == Byte.quote { isQuoted = false }
      isCellStart = byte == Byte.quote
      continue
    }
    switch byte {
    case Byte.lineFeed, Byte.carriageReturn:
      isComplete = true
      break scan
    case Byte.quote where isCellStart:
      isQuoted = true
      continue
    default: break
    }
    isCellStart = false
    if let index = candidates.firstIndex(of: byte) {
      counts[index] += 1
      isCellStart = true
    }
  }
  return isComplete ? candidates[counts.firstIndex(of: counts.max()!)!] : nil
}

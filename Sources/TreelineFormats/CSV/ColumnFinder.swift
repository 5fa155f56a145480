/// Finds coordinate columns among the cells of a first row.
enum ColumnFinder {
  /// In order of preference; compared in lower case without `_`, `-` and spaces.
  private static let commonNames: [(first: String, second: String, isPlanar: Bool)] = [
    ("longitude", "latitude", false),
    ("lon", "lat", false),
    ("lng", "lat", false),
    ("long", "lat", false),
    ("decimallongitude", "decimallatitude", false),
    ("longitude", "lat", false),
    ("lon", "latitude", false),
    ("lng", "latitude", false),
    ("long", "latitude", false),
    ("x", "y", true),
    ("easting", "northing", true),
    ("eastings", "northings", true),
  ]

  /// By common names, else the first two columns if those are numbers.
  static func automatic(
    _ cells: [String]
  ) throws(ColumnProblem) -> (first: Int, second: Int, isPlanar: Bool, isNamed: Bool) {
    let plain = cells.map { $0.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " } }
    for names in commonNames {
      let first = plain.indices.filter { plain[$0] == names.first }
      let second = plain.indices.filter { plain[$0] == names.second }
      if first.isEmpty || second.isEmpty { continue }
      if first.count > 1 { throw ambiguous(cells[first[0]], first.count) }
      if second.count > 1 { throw ambiguous(cells[second[0]], second.count) }
      return (first[0], second[0], names.isPlanar, true)
    }
    if cells.count >= 2 && isValue(cells[0]) && isValue(cells[1]) && !(cells[0].isEmpty && cells[1].isEmpty) {
      return (0, 1, false, false)
    }
    throw ColumnProblem(
      text: "expected columns named longitude and latitude, lon and lat, x and y or the like, found none")
  }

  /// The column that a name, or a position counted from 1, chooses.
  static func column(_ choice: String, in cells: [String]) throws(ColumnProblem) -> (
    index: Int, isNamed: Bool
  ) {
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

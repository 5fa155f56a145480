import Treeline

/// The reason why the coordinate columns cannot be found in the first row.
struct ColumnProblem: Error { let text: String }

/// Finds the coordinate columns from the cells of the first row.
enum ColumnFinder {
  struct Columns {
    var first: Int
    var second: Int
    var isPlanar = false
    /// Whether a column was found by its name. If so, the first row is a header.
    var isNamed = true
    /// The format of the cells if both coordinates are in one column; nil if each coordinate has its own column.
    var oneCell: OneCell?
    /// Note to the user about the choice, if the choice may be wrong.
    var note: ReadingNote?
  }

  /// The ways in which one cell can contain both coordinates.
  enum OneCell {
    case wellKnownText
    case latitudeLongitude
    case longitudeLatitude
  }

  /// Common names of the two coordinate columns, in order of preference. Names are compared in lower case and without
  /// `_`, `-` and spaces.
  private static let commonNames: [(first: String, second: String, isPlanar: Bool)] = [
    ("longitude", "latitude", false), ("lon", "lat", false), ("lng", "lat", false), ("long", "lat", false),
    ("decimallongitude", "decimallatitude", false), ("longitude", "lat", false), ("lon", "latitude", false),
    ("lng", "latitude", false), ("long", "latitude", false), ("x", "y", true), ("easting", "northing", true),
    ("eastings", "northings", true), ("längengrad", "breitengrad", false), ("laengengrad", "breitengrad", false),
    ("länge", "breite", false), ("laenge", "breite", false), ("rechtswert", "hochwert", true),
    ("longitud", "latitud", false), ("longitudine", "latitudine", false), ("lengdegrad", "breddegrad", false),
    ("længdegrad", "breddegrad", false), ("lengtegraad", "breedtegraad", false),
    ("długośćgeograficzna", "szerokośćgeograficzna", false), ("délka", "šířka", false), ("долгота", "широта", false),
    ("経度", "緯度", false), ("经度", "纬度", false), ("經度", "緯度", false), ("경도", "위도", false),
    ("boylam", "enlem", false),
  ]

  /// Common names of a column of well-known text, in order of preference, compared like `commonNames`. PostGIS gives
  /// the names at the end of the list to computed columns.
  private static let wellKnownTextNames = [
    "wkt", "geom", "geometry", "thegeom", "wktgeom", "wkbgeometry", "wkb", "geog", "stastext", "stasewkt", "stasbinary",
    "sttransform", "stcentroid", "stpointonsurface",
  ]

  /// Names of a column with both coordinates of a point, compared like `commonNames`.
  private static let pairNames: Set = [
    "latlon", "latlng", "latlong", "latitudelongitude", "latitude,longitude", "lat,lon", "lat,lng", "lat/lon",
    "lat/lng",
    "lonlat", "lnglat", "longlat", "longitudelatitude", "longitude,latitude", "lon,lat", "lng,lat", "lon/lat",
    "lng/lat",
    "location", "locations", "coordinates", "coordinate", "coords", "coord", "position", "point", "geopoint",
    "geopoint2d", "geolocation", "georeference", "geo", "gps", "gpscoordinates", "gpsposition", "koordinaten",
    "koordinate", "standort", "coordonnées", "coordonnees", "coordonnéesgéographiques", "coordenadas", "ubicación",
    "ubicacion", "localização", "coordinategeografiche", "posizione",
  ]

  /// Words that may stand before or after a common name without changing its meaning.
  private static let neutralWords: Set = ["coord", "coords", "coordinate", "coordinates", "gps", "in", "position"]
  /// Words that may stand before or after the name of a column of degrees without changing the meaning of the name.
  /// Some of the words are names of datums, which differ by less than a map can show.
  private static let degreeWords = neutralWords.union([
    "º", "84", "4326", "dd", "decdeg", "decimal", "deg", "degree", "degrees", "epsg", "etrs89", "geo", "geogr", "nad83",
    "wgs", "wgs84",
  ])
  private static let lengthWords = neutralWords.union(["m", "meter", "meters", "metre", "metres"])

  private static let longitudeWords: Set = ["lon", "lng", "long", "longitude"]
  private static let latitudeWords: Set = ["lat", "latitude"]
  /// Words for the place to which coordinates belong. For example, GTFS has `stop_lat` and `shape_pt_lat`, and data of
  /// shared bicycles has `start_lat` and `end_lat`.
  private static let placeWords: Set = [
    "address", "airport", "city", "destination", "dropoff", "end", "from", "home", "location", "origin", "pickup",
    "place", "point", "pt", "shape", "shop", "site", "start", "station", "stop", "store", "to", "venue",
  ]
  /// Words for the start of a journey. If the columns name several places, only the coordinates of the start are read.
  private static let startWords: Set = ["from", "origin", "pickup", "start"]

  /// Finds the columns by their names, and prefers names in this order:
  ///
  /// 1. common names
  /// 2. common names with neutral words around them
  /// 3. common names with a word for a kind of place, such as `stop_lat`
  /// 4. common names of a column of well-known text
  /// 5. common names of a column with both coordinates
  ///
  /// If no column has such a name, but the first two columns contain numbers, takes these two columns.
  ///
  /// - Parameter next: Cells of the second row; empty if the second row is unknown.
  static func automatic(_ cells: [String], next: [String], _ mark: DecimalMark) throws(ColumnProblem) -> Columns {
    let plain = cells.map { $0.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " } }
    let words = cells.map(words(of:))
    if let columns = try commonColumns(cells, { name, _ in plain.indices.filter { plain[$0] == name } }) {
      try refuseParts(of: columns, cells, words, next)
      return columns
    }
    let columns = try commonColumns(cells) { name, isPlanar in
      let others = isPlanar ? lengthWords : degreeWords
      return words.indices.filter { words[$0].filter { !others.contains($0) } == [name] }
    }
    if let columns {
      try refuseParts(of: columns, cells, words, next)
      return columns
    }
    if let columns = try columnsOfPlace(cells, words) {
      try refuseParts(of: columns, cells, words, next)
      return columns
    }
    for name in wellKnownTextNames {
      let found = plain.indices.filter { plain[$0] == name }
      if !found.isEmpty { return oneCell(try one(found, of: cells), .wellKnownText) }
    }
    let known = plain.indices.filter { pairNames.contains(plain[$0]) && $0 < next.count }
    let pairs = known.filter { CoordinatePair(next[$0], mark) != nil }
    if let column = pairs.first, let pair = CoordinatePair(next[column], mark) {
      return Self.columns(of: pair, inColumn: try one(pairs, of: cells), of: cells)
    }
    let points = known.filter { WellKnownText(next[$0]).isPoint }
    if !points.isEmpty { return oneCell(try one(points, of: cells), .wellKnownText) }
    if cells.count >= 2 && isNumber(cells[0]) && isNumber(cells[1]) && !(cells[0].isEmpty && cells[1].isEmpty) {
      return Columns(first: 0, second: 1, isNamed: false)
    }
    throw ColumnProblem(
      text: "expected two columns (such as longitude and latitude, lon and lat, or x and y) "
        + "or one column (such as wkt, geometry or location), found none")
  }

  /// Tries the pairs of common names in order. Returns the two columns for the first pair that has both columns.
  private static func commonColumns(_ cells: [String], _ columns: (_ name: String, _ isPlanar: Bool) -> [Int])
    throws(ColumnProblem) -> Columns?
  {
    for names in commonNames {
      let (first, second) = (columns(names.first, names.isPlanar), columns(names.second, names.isPlanar))
      if first.isEmpty || second.isEmpty { continue }
      return Columns(
        first: try one(first, of: cells), second: try one(second, of: cells), isPlanar: names.isPlanar)
    }
    return nil
  }

  private static let hemisphereWords: Set = ["dir", "direction", "hemi", "hemisphere", "ref"]
  private static let hemispheres: Set = ["n", "s", "e", "w", "north", "south", "east", "west"]
  private static let maximumWords: Set = ["max", "maximum"]
  private static let fractionWords: Set = ["min", "minute", "minutes", "sec", "second", "seconds"]

  /// Throws if other columns contain the hemispheres of the coordinates, or their minutes. Without these columns,
  /// points would be read at wrong places.
  private static func refuseParts(of columns: Columns, _ cells: [String], _ words: [[String]], _ next: [String])
    throws(ColumnProblem)
  {
    if columns.isPlanar { return }
    let axisWords = longitudeWords.union(latitudeWords)
    let areDegrees = [columns.first, columns.second].contains {
      !degreeWords.intersection(["deg", "degree", "degrees"]).isDisjoint(with: words[$0])
    }
    // Beside `lat_max`, the name `lat_min` means a minimum, not minutes.
    let hasMaxima = words.contains { !axisWords.isDisjoint(with: $0) && !maximumWords.isDisjoint(with: $0) }
    let areWhole = [columns.first, columns.second].allSatisfy { $0 < next.count && Int(next[$0].trimmed) != nil }
    for column in cells.indices where column != columns.first && column != columns.second && column < next.count {
      let value = next[column].trimmed.lowercased()
      let name = cells[column].trimmed.lowercased()
      let isAlone = ["n/s", "e/w", "ns", "ew"].contains(name)
      let isOfAxis = !axisWords.isDisjoint(with: words[column])
      // The cell may be empty in the second row, and have a value in a later row. But `lat_ref` and `NS` are also names
      // of other columns, so these need a value.
      let mayBeEmpty = name.contains("/") || !words[column].contains("ref") && !isAlone
      if hemispheres.contains(value) || value.isEmpty && mayBeEmpty,
        isAlone || isOfAxis && !hemisphereWords.isDisjoint(with: words[column])
      {
        throw parts("the hemisphere", column)
      }
      if (areDegrees || areWhole) && !hasMaxima, isOfAxis, !fractionWords.isDisjoint(with: words[column]) {
        let fraction = Double(String(value.map { $0 == "," ? "." : $0 }))
        if fraction.map({ areDegrees || 0..<60 ~= $0 }) ?? value.isEmpty { throw parts("minutes or seconds", column) }
      }
    }
    func parts(_ what: String, _ column: Int) -> ColumnProblem {
      ColumnProblem(
        text: "expected signed degrees in \"\(visible(cells[columns.first]))\" and "
          + "\"\(visible(cells[columns.second]))\", found \(what) in another column, \"\(visible(cells[column]))\"; "
          + "combine these columns first")
    }
  }

  /// Returns the coordinate columns of a place; nil if no column names a place. If there are several places, returns
  /// the columns of the place that is the start of a journey, and throws unless exactly one place is a start.
  private static func columnsOfPlace(_ cells: [String], _ words: [[String]]) throws(ColumnProblem) -> Columns? {
    func columns(_ axis: Set<String>) -> [(place: [String], column: Int)] {
      words.indices.compactMap { column in
        let named = words[column].filter { !degreeWords.contains($0) }
        let place = named.filter { !axis.contains($0) }
        return place.count == named.count - 1 && !place.isEmpty && placeWords.isSuperset(of: place)
          ? (place, column) : nil
      }
    }
    let latitudes = columns(latitudeWords)
    var pairs: [(place: [String], columns: (longitude: Int, latitude: Int))] = []
    for (place, longitude) in columns(longitudeWords) {
      let found = latitudes.filter { $0.place == place }.map(\.column)
      if !found.isEmpty { pairs.append((place, (longitude, try one(found, of: cells)))) }
    }
    if pairs.isEmpty { return nil }
    func names(_ pair: (longitude: Int, latitude: Int)) -> String {
      "\"\(visible(cells[pair.longitude]))\" and \"\(visible(cells[pair.latitude]))\""
    }
    let starts = pairs.count == 1 ? pairs : pairs.filter { !startWords.isDisjoint(with: $0.place) }
    guard starts.count == 1 else {
      throw ColumnProblem(
        text: "expected one pair of coordinate columns, found "
          + pairs.map { names($0.columns) }.joined(separator: ", "))
    }
    let (start, place) = (starts[0].columns, starts[0].place)
    let others = pairs.filter { $0.place != place }.map { names($0.columns) }
    return Columns(
      first: start.longitude, second: start.latitude,
      note: others.first.map { .startOfJourney(chosen: names(start), other: $0) })
  }

  /// Returns the words of a name, converted to lower case. For example, `GPSLatitude [°]` and `gps_latitude` both
  /// consist of `gps` and `latitude`.
  private static func words(of name: String) -> [String] {
    let characters = Array(name)
    var words = [""]
    for (index, character) in characters.enumerated() {
      if character.isUppercase && index > 0 {
        let isBeforeLowercase = index + 1 < characters.count && characters[index + 1].isLowercase
        if !characters[index - 1].isUppercase || isBeforeLowercase { words.append("") }
      }
      if character.isLetter || character.isNumber {
        words[words.count - 1] += character.lowercased()
      } else {
        words.append("")
      }
    }
    return words.filter { !$0.isEmpty }
  }

  /// Returns two columns that the user chose by their names, or by their numbers counted from 1.
  static func pair(_ first: String, _ second: String, in cells: [String], isPlanar: Bool) throws(ColumnProblem)
    -> Columns
  {
    let (first, second) = (try column(first, in: cells), try column(second, in: cells))
    return Columns(
      first: first.index, second: second.index, isPlanar: isPlanar, isNamed: first.isNamed || second.isNamed)
  }

  /// Returns the column that contains both coordinates. The user chose the column by its name, or by its number
  /// counted from 1.
  static func oneCell(_ choice: String, in cells: [String], _ content: OneCell) throws(ColumnProblem) -> Columns {
    let (index, isNamed) = try column(choice, in: cells)
    return oneCell(index, content, isNamed: isNamed)
  }

  private static func oneCell(_ column: Int, _ content: OneCell, isNamed: Bool = true) -> Columns {
    Columns(first: column, second: column, isNamed: isNamed, oneCell: content)
  }

  /// Returns the column with both coordinates, and the order of the coordinates. If the pair has letters such as N and
  /// E, the letters determine the order. If not, the order is guessed from the column's name and the numbers, and a
  /// note reports the guess.
  private static func columns(of pair: CoordinatePair, inColumn column: Int, of cells: [String]) -> Columns {
    if let isLatitudeFirst = pair.isLatitudeFirst {
      return oneCell(column, isLatitudeFirst ? .latitudeLongitude : .longitudeLatitude)
    }
    let isLongitudeFirst = words(of: cells[column]).first.map { $0.hasPrefix("lon") || $0.hasPrefix("lng") } ?? false
    let isLatitudeFirst = !isLongitudeFirst && !pair.isArray && Axes.sphere.holdsSecond(pair.numbers.0)
    var columns = oneCell(column, isLatitudeFirst ? .latitudeLongitude : .longitudeLatitude)
    columns.note = .coordinatesInOneCell(column: visible(cells[column]), isLatitudeFirst: isLatitudeFirst)
    return columns
  }

  private static func column(_ choice: String, in cells: [String]) throws(ColumnProblem) -> (index: Int, isNamed: Bool)
  {
    if !choice.isEmpty && choice.utf8.allSatisfy(Byte.isDigit) {
      guard let position = Int(choice), cells.indices.contains(position - 1) else {
        throw ColumnProblem(
          text: "there is no column \(visible(choice)); the first row has \(cells.count) columns, numbered from 1")
      }
      return (position - 1, false)
    }
    var found = cells.indices.filter { cells[$0] == choice }
    if found.isEmpty { found = cells.indices.filter { cells[$0].lowercased() == choice.lowercased() } }
    if found.isEmpty { throw ColumnProblem(text: "no column has the name \"\(visible(choice))\"") }
    return (try one(found, of: cells), true)
  }

  /// Returns the column if exactly one column was found; throws if there are several.
  private static func one(_ found: [Int], of cells: [String]) throws(ColumnProblem) -> Int {
    if found.count == 1 { return found[0] }
    let names = found.map { "\"\(visible(cells[$0]))\"" }
    let isSame = Set(names).count == 1
    throw ColumnProblem(
      text: "expected one column named \(isSame ? "" : "like ")\(names[0]), found "
        + (isSame ? "\(found.count)" : names.joined(separator: ", ")))
  }
}

import ArgumentParser
@_spi(Server) import TreelineFormats

/// The input of every subcommand that accepts points or an index.
struct InputOptions: ParsableArguments {
  @Argument(
    help: .init("An index, or points as \(inputHelp)", valueName: "points"))
  var path: String

  @OptionGroup var columns: ColumnOptions

  func validate() throws { try checkInputPath(path) }

  var input: Input { Input(path: path, columns: columns) }
}

/// Formats of points, as help texts list them.
let inputHelp = "\(InputFormats.names), plain or .gz; '-' reads standard input."

/// The options for the CSV columns of the coordinates, for the decimal separator, and for rows without coordinates.
struct ColumnOptions: ParsableArguments {
  @Option(help: .init("The CSV column of longitudes: its name, or its number from 1.", valueName: "column"))
  var longitude: String?

  @Option(help: .init("The CSV column of latitudes.", valueName: "column")) var latitude: String?

  @Option(help: .init("The CSV column of x, for coordinates without a map projection.", valueName: "column"))
  var x: String?

  @Option(help: .init("The CSV column of y, for coordinates without a map projection.", valueName: "column"))
  var y: String?

  @Option(
    help: .init(
      "The CSV column of points in well-known text, such as 'POINT (2.35 48.85)', or in hexadecimal well-known binary.",
      valueName: "column"))
  var wkt: String?

  @Option(
    help: .init(
      "The CSV column with latitude and longitude in one cell, such as '48.85, 2.35'.", valueName: "column"))
  var latLon: String?

  @Option(
    help: .init(
      "The CSV column with longitude and latitude in one cell, such as '2.35, 48.85'.", valueName: "column"))
  var lonLat: String?

  @Option(help: "The decimal separator of the CSV's numbers.") var decimal: DecimalSeparator = .point

  @Flag(
    help:
      "Skip and report rows without a valid coordinate. Without this option, the first such row is an error."
  ) var skipInvalid = false

  func validate() throws {
    guard (longitude == nil) == (latitude == nil) else {
      throw ValidationError("'--longitude' and '--latitude' belong together; give both options or neither.")
    }
    guard (x == nil) == (y == nil) else {
      throw ValidationError("'--x' and '--y' belong together; give both options or neither.")
    }
    guard longitude == nil || x == nil else {
      throw ValidationError("Points lie either on the sphere or on a plane; give '--longitude' or '--x', not both.")
    }
    let single = [("--wkt", wkt), ("--lat-lon", latLon), ("--lon-lat", lonLat)].filter { $0.1 != nil }
    if let (name, _) = single.first, single.count > 1 || longitude != nil || x != nil {
      throw ValidationError("'\(name)' names a single column with both coordinates; give no other column.")
    }
  }

  var choice: ColumnChoice {
    if let longitude, let latitude { return .sphere(longitude: longitude, latitude: latitude) }
    if let x, let y { return .plane(x: x, y: y) }
    if let wkt { return .wkt(wkt) }
    if let latLon { return .latitudeLongitude(latLon) }
    if let lonLat { return .longitudeLatitude(lonLat) }
    return .automatic
  }
}

extension DecimalSeparator: ExpressibleByArgument {}

/// Refuses an empty path. A script passes an empty path if one of its variables is not set.
func checkInputPath(_ path: String) throws {
  if path.isEmpty { throw ValidationError("'<points>' must name a file, found an empty name.") }
}

/// Throws if the value of an option is not one line of text.
func checkLine(_ text: String?, _ option: String) throws {
  guard let text else { return }
  guard !text.allSatisfy(\.isWhitespace),
    !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
  else {
    throw ValidationError("'\(option)' must be one line of text, found \(text.debugDescription).")
  }
}

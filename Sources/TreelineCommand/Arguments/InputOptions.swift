import ArgumentParser
import Foundation
import Treeline
import TreelineFormats

/// Where the points are, for every subcommand that reads some.
struct InputOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "An index, or points as CSV or GeoJSON, plain or .gz; '-' reads standard input.", valueName: "points"))
  var path: String

  @Option(
    help: ArgumentHelp("The CSV column of longitudes: its name, or its number from 1.", valueName: "column"))
  var longitude: String?

  @Option(help: ArgumentHelp("The CSV column of latitudes.", valueName: "column"))
  var latitude: String?

  @Option(help: ArgumentHelp("The CSV column of x, on a plain plane.", valueName: "column"))
  var x: String?

  @Option(help: ArgumentHelp("The CSV column of y, on a plain plane.", valueName: "column"))
  var y: String?

  @Flag(help: "Skip rows without a valid position, count and list them, instead of stopping at the first.")
  var skipInvalid = false

  func validate() throws {
    guard (longitude == nil) == (latitude == nil) else {
      throw ValidationError(
        "'--longitude' and '--latitude' name the two columns together: give both or neither.")
    }
    guard (x == nil) == (y == nil) else {
      throw ValidationError("'--x' and '--y' name the two columns together: give both or neither.")
    }
    guard longitude == nil || x == nil else {
      throw ValidationError(
        "Points are either on the sphere or on a plane: give '--longitude' or '--x', not both.")
    }
  }

  var columns: ColumnChoice {
    if let longitude, let latitude { return .sphere(longitude: longitude, latitude: latitude) }
    if let x, let y { return .plane(x: x, y: y) }
    return .automatic
  }

  /// Told by the first bytes, not by the name.
  var isIndex: Bool {
    path != "-" && IndexHeader.begins(fileAt: path)
  }

  /// Refuses outputs that are the input or each other: a file that is read, or written twice, would be lost.
  func checkOutputs(_ outputs: [String?]) throws {
    let files = ([path] + outputs.compactMap { $0 }).filter { $0 != "-" }
      .map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
    guard Set(files).count == files.count else {
      throw Failure(
        message: "expected different files to read and to write, found \(files.joined(separator: ", "))",
        code: Failure.usage)
    }
  }
}

import ArgumentParser

/// Where the points are, for every subcommand that takes an index in their place.
struct InputOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "An index, or points as CSV or GeoJSON, plain or .gz; '-' reads standard input.", valueName: "points"))
  var path: String

  @OptionGroup var columns: ColumnOptions

  func validate() throws { try checkInputPath(path) }

  var input: Input { Input(path: path, columns: columns) }
}

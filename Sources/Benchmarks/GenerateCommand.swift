import ArgumentParser

struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate", abstract: "Writes generated points.")

  @Argument(help: "uniform, clustered, sorted, coincident, line or geometric.")
  var kind: GeneratedSet

  @Argument(help: "How many.")
  var count: Int

  @Argument(help: "The file to write, ending in .f64.")
  var path: String

  func run() throws {
    try PointFile.write(kind.places(count), to: path)
  }
}

extension GeneratedSet: ExpressibleByArgument {}

import ArgumentParser
import Treeline

struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate", abstract: "Writes points, generated or read, to a file.")

  @Argument(help: "The points; of a kind and a number, the kinds are \(kinds).") var points: PointFile

  @Argument(help: "The file to write, ending in .f64, .csv or .geojson.") var path: String

  @Option(help: "How many bytes of text each row carries besides.") var padding = 12

  private static let kinds = GeneratedSet.allCases.map(\.rawValue).joined(separator: ", ")

  func run() throws { try points.read().write(to: path, padding: padding) }
}

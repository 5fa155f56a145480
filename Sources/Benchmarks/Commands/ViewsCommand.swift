import ArgumentParser

struct ViewsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "views",
    abstract: "Writes views of 1024 x 768 px centred on points, for all sides of a comparison to ask for.")

  @Argument(help: "The points.") var points: PointFile

  @Argument(help: "The file to write.") var path: String

  @Option(help: "How many at each zoom from 4 to 16.") var perZoom = 25

  @Option(help: "Another seed draws other points.") var seed: UInt64 = 5

  func run() throws { try MapView.write(MapView.around(points.read(), perZoom: perZoom, seed: seed), to: path) }
}

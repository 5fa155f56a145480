import ArgumentParser
import Treeline
import TreelineFormats

/// Times reading the points of a file into memory.
struct ReadBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read", abstract: "Times reading on one thread, and measures its memory.")

  @Argument(help: "A file of points that Treeline reads.") var path: String

  @Option(help: "Number of runs.") var runs = 3

  func run() throws {
    let (bytes, residentBefore) = (try fileSize(path), ResidentMemory.now)
    var (times, points, residentPeak): ([Double], Int, Int) = ([], 0, 0)
    for _ in 0..<runs {
      var table: PointTable!
      times.append(try seconds { table = try PointReader.read(path: path) })
      // The peak memory of the first run, before later runs add to it.
      if residentPeak == 0 { residentPeak = ResidentMemory.peak }
      points = table.coordinates.count
      require(table.rowCount == points, "\(points) points from \(table.rowCount) rows")
    }
    try printJSON([
      "points": points, "bytes": bytes, "seconds": times, "residentBefore": residentBefore,
      "residentPeak": residentPeak,
    ])
  }
}

struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate", abstract: "Writes points, generated or read, to a file.")

  @Argument(help: "The points. Kinds of generated points are \(kinds).") var points: PointFile

  @Argument(help: "The file to write, ending in .f64, .csv or .geojson.") var path: String

  @Option(help: "Number of bytes of additional text in each row.") var padding = 12

  private static let kinds = GeneratedSet.allCases.map(\.rawValue).joined(separator: ", ")

  func run() throws { try points.read().write(to: path, padding: padding) }
}

struct ViewsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "views",
    abstract: "Writes views of 1024 x 768 px, centered on points, for all programs of a comparison.")

  @Argument(help: "The points.") var points: PointFile

  @Argument(help: "The file to write.") var path: String

  @Option(help: "Number of views at each zoom from 4 to 16.") var perZoom = 25

  @Option(help: "Seed of the random points.") var seed: UInt64 = 5

  func run() throws { try [Viewport].around(points.read(), perZoom: perZoom, seed: seed).write(to: path) }
}

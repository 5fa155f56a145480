import ArgumentParser
import Treeline
import TreelineFormats

/// Times the way from a file to coordinates in memory.
struct ReadBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read", abstract: "Times reading, by one thread, and measures its memory.")

  @Argument(help: "A file of points that Treeline reads.") var path: String

  @Option(help: "How often it is read.") var runs = 3

  func run() throws {
    let (bytes, residentBefore) = (try fileSize(path), ResidentMemory.now)
    var (times, points, residentPeak): ([Double], Int, Int) = ([], 0, 0)
    for _ in 0..<runs {
      var table: PointTable!
      times.append(try seconds { table = try PointReader.read(path: path) })
      // Of the first run.
      if residentPeak == 0 { residentPeak = ResidentMemory.peak }
      points = table.coordinates.count
      require(table.rowCount == points, "\(points) points of \(table.rowCount) rows")
    }
    try printJSON([
      "points": points, "bytes": bytes, "seconds": times, "residentBefore": residentBefore,
      "residentPeak": residentPeak,
    ])
  }
}

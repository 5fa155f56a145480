import ArgumentParser
import Foundation
import Treeline
import TreelineFormats

/// Times the way from a file to coordinates in memory.
struct ReadBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read", abstract: "Times reading, by one thread, and measures its memory.")

  @Argument(help: "A file of points that Treeline reads.") var path: String

  @Option(help: "How often it is read.") var runs = 3

  struct Result: Encodable {
    var points: Int
    var bytes: Int
    var seconds: [Double] = []
    /// Of the first run.
    var residentBefore: Int
    var residentPeak = 0
  }

  func run() throws {
    let bytes = try FileManager.default.attributesOfItem(atPath: path)[.size] as! Int
    var result = Result(points: 0, bytes: bytes, residentBefore: ResidentMemory.now)
    for _ in 0..<runs {
      var table: PointTable?
      result.seconds.append(try seconds { table = try PointReader.read(path: path) })
      if result.residentPeak == 0 { result.residentPeak = ResidentMemory.peak }
      result.points = table!.coordinates.count
      require(table!.rowCount == result.points, "\(result.points) points of \(table!.rowCount) rows")
    }
    try printJSON(result)
  }
}

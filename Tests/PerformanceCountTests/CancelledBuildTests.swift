import Foundation
import TestSupport
import Testing

/// Memory left behind by a cancelled build, in a separate process, because other work would blur its memory.
@Suite struct CancelledBuildTests {
  private struct Cancelled: Decodable {
    var seconds: [Double]
    var growth: Int
  }

  /// Each build uses 12 MB or more, so one in five that kept its memory would show.
  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status")),
    arguments: Trials.some(of: [["--separations"], [], ["--merge", "distance"]]))
  func memoryIsDeallocated(_ options: [String]) throws {
    let process = Process()
    process.executableURL = Valgrind.benchmarks
    process.arguments = ["cancel", "clustered:300000", "--runs", "20"] + options
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    let cancelled = try JSONDecoder().decode(Cancelled.self, from: data)
    #expect(!cancelled.seconds.isEmpty)
    #expect(cancelled.growth < 24 << 20, "\(cancelled.growth) bytes more after ten builds")
  }
}

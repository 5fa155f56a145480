import Foundation
import TestSupport
import Testing

/// Checks that canceled builds leave no memory behind. The builds run in a separate process, because other work would
/// change the process's memory, too.
@Suite struct CancelledBuildTests {
  private struct Cancelled: Decodable {
    var seconds: [Double]
    var growth: Int
  }

  /// Each build uses at least 12 MB. If even one build in five kept this memory, the growth would show it.
  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status")),
    arguments: Trials.some(of: [[], ["--merge", "distance"]]))
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

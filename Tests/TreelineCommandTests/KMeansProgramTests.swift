import Foundation
import TestSupport
import Testing
import TreelineComparison

@testable import TreelineCommand

/// Checks programs with the same input and output as `scripts/measure/kmeans`. The programs are written as shell
/// scripts.
@Suite struct KMeansProgramTests {
  private let positions = [(0.0, 0.0), (0.25, 1), (9, 9), (-1e-3, 4)].map { PixelPoint(x: $0.0, y: $0.1) }

  private func labels(_ script: String, of positions: [PixelPoint]? = nil, count: Int = 3) throws -> [Int] {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path("program")
    // Another process writes the program. If this process wrote it, a child that another test starts at the same time
    // might inherit the open file for a moment. A file that is open for writing cannot be run.
    let writer = try Process.run(
      URL(fileURLWithPath: "/bin/sh"),
      arguments: ["-c", "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod +x \"$0\"", path, script])
    writer.waitUntilExit()
    return try KMeansProgram(path: path).labels(of: positions ?? self.positions, count: count)
  }

  @Test func isToldAllPositionsAndReadLineByLine() throws {
    #expect(try labels("read count size; [ \"$count $size\" = '3 4' ] && printf '2\\n0\\n1\\n2\\n'") == [2, 0, 1, 2])
    // The positions come in their original order, as numbers that any program can read.
    #expect(try labels("awk 'NR > 1 { print ($1 > 0) + ($2 > 5) }'") == [0, 1, 2, 0])
  }

  @Test(arguments: [
    "cat > /dev/null", "printf '0\\n1\\n2\\n3\\n'", "printf '0\\n0\\n0\\n'", "printf 'a\\n0\\n0\\n0\\n'",
  ]) func answersThatAreNoneAreRefused(script: String) { #expect(throws: Failure.self) { try labels(script) } }

  @Test func aProgramThatFailsIsTold() {
    #expect { try labels("exit 3") } throws: { ($0 as? Failure)?.message.contains("ended with code 3") ?? false }
  }

  /// The request is written to a pipe that nobody reads. Checks that this does not change how signals are handled in
  /// other threads.
  @Test func aProgramThatReadsNothingLeavesSignalsAsTheyAre() {
    // On all platforms, the action of a signal is the first field of `sigaction`.
    func action() -> Int {
      var action = sigaction()
      sigaction(SIGPIPE, nil, &action)
      return withUnsafeBytes(of: action) { $0.load(as: Int.self) }
    }
    // Other tests of this process run subcommands, which install the tool's handlers when they first write a file.
    Interruption.removes("/nonexistent/file")
    let before = action()
    let many = [PixelPoint](repeating: PixelPoint(x: 0.5, y: 0.5), count: 200_000)
    for _ in 0..<20 { #expect(throws: Failure.self) { try labels("exit 3", of: many) } }
    #expect(action() == before)
  }

  /// Checks that reading and writing do not block each other if there are more positions than a pipe can hold.
  @Test func manyPlacesBlockNothing() throws {
    let many = (0..<200_000).map { PixelPoint(x: Double($0), y: 0.5) }
    #expect(try labels("awk 'NR > 1 { print $1 % 7 }'", of: many, count: 7) == many.indices.map { $0 % 7 })
  }
}

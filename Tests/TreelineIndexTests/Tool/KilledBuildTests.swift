import Foundation
import PointSets
import TestSupport
import Testing
import Treeline
import TreelineBuilder

/// Kills builds. A killed build leaves either the complete old index or the complete new index. The next build removes
/// all other files that the killed build left.
@Suite(.serialized) struct KilledBuildTests {
  private static let input = Repository.path("Fixtures/iceland_addresses.csv.gz")

  @Test func killedAtRandomMoments() throws {
    let folder = try TemporaryFolder()
    let (path, partial) = (folder.path("places.treeline"), folder.path(".places.treeline.partial"))
    let old = try TestIndex.nodes.bytes()
    let start = ContinuousClock.now
    #expect(try Tool.run("build", Self.input, "-o", path, "--threads", "1").code == 0)
    let time = ContinuousClock.now - start
    let new = try Data(contentsOf: URL(fileURLWithPath: path))

    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    var (olds, news, begun) = (0, 0, 0)
    for attempt in 0..<Trials.count(100, atLeast: 20, seed: seed) {
      try Data(old).write(to: URL(fileURLWithPath: path))
      // Every second attempt kills the build only after it begins to write. Writing is the shorter part of a build.
      let isWriting = attempt % 2 == 0
      try kill(path, after: isWriting ? random.fraction() * 0.01 : random.fraction() * (time / .seconds(1)) * 1.1) {
        !isWriting || Self.length(partial) > 0
      }
      let found = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(found == Data(old) || found == new, "attempt \(attempt), seed \(seed)")
      olds += found == Data(old) ? 1 : 0
      news += found == new ? 1 : 0
      begun += Self.length(partial) > 0 ? 1 : 0
    }
    print("Left the old index \(olds) times and the new one \(news) times, with a file begun \(begun) times")
    #expect(begun > 0, "no kill has hit the writing")
    #expect(try Tool.run("build", Self.input, "-o", path).code == 0)
    #expect(try folder.contents() == ["places.treeline"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == new)
  }

  /// Returns the length of a partial file. A build creates this file at the start. When the build begins to write, it
  /// sets the length of the file.
  private static func length(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Starts a build, waits until `hasComeSoFar` returns true, and kills it `seconds` later.
  private func kill(_ path: String, after seconds: Double, once hasComeSoFar: () -> Bool) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Tool.executable.path)
    process.arguments = ["build", Self.input, "-o", path, "--threads", "1"]
    try process.run()
    while process.isRunning && !hasComeSoFar() { usleep(100) }
    usleep(UInt32(seconds * 1e6))
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}

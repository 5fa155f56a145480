import Foundation
import TestSupport
import Testing
import Treeline

/// Checks that the few good rows of a bad input do not replace a good index, unless this is requested.
@Suite struct NothingLostTests {
  private let good = "lon,lat\n1,2\n3,4\n5,6\n"

  @Test(arguments: ["lon,lat\n", "lon,lat\n1,2\nx,y\nx,y\n"]) func badInputLeavesAnIndexAsItWas(input: String) throws {
    let folder = try TemporaryFolder()
    let (points, index) = (try folder.write(good, to: "good.csv"), folder.path("points.treeline"))
    #expect(try Tool.run(["build", points, "-o", index]).code == 0)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: index))
    let bad = try folder.write(input, to: "bad.csv")
    let refused = try Tool.run(["build", bad, "--skip-invalid", "-o", index])
    #expect(refused.code == 65 && refused.errors.contains("--allow-loss"), "\(refused.errors)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: index)) == bytes)
    #expect(try folder.contents() == ["bad.csv", "good.csv", "points.treeline"])
    #expect(try Tool.run(["build", bad, "--skip-invalid", "--allow-loss", "-o", index]).code == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: index)) != bytes)
    // If there is no old index, no build is refused.
    #expect(try Tool.run(["build", bad, "--skip-invalid", "-o", folder.path("new.treeline")]).code == 0)
  }

  @Test func halfOfTheRowsIsEnough() throws {
    let folder = try TemporaryFolder()
    let (points, index) = (try folder.write(good + "x,y\nx,y\nx,y\n", to: "half.csv"), folder.path("points.treeline"))
    for _ in 0..<2 { #expect(try Tool.run(["build", points, "--skip-invalid", "-o", index]).code == 0) }
  }
}

@Suite struct AnswerFileTests {
  @Test(arguments: [["query", "--limit", "3"], ["query", "--format", "table"], ["transition", "--to-limit", "3"]])
  func aFileHoldsWhatStandardOutputDoes(words: [String]) throws {
    let folder = try TemporaryFolder()
    let file = folder.path("answer")
    let command = words + ["Fixtures/cities.csv.gz"]
    let printed = try Tool.run(command)
    for _ in 0..<2 {
      let written = try Tool.run(command + ["--output", file])
      #expect(written.code == 0 && written.output.isEmpty)
      #expect(try String(contentsOfFile: file, encoding: .utf8) == printed.output)
    }
    #expect(try folder.contents() == ["answer"])
  }

  @Test func quietLeavesErrorsAlone() throws {
    let folder = try TemporaryFolder()
    let points = try folder.write("lon,lat\n1,2\nx,y\n", to: "points.csv")
    #expect(try Tool.run(["query", points, "--skip-invalid"]).errors.contains("skipped 1 of 2 rows"))
    #expect(try Tool.run(["query", points, "--skip-invalid", "--quiet"]).errors.isEmpty)
    #expect(try Tool.run(["query", points, "--quiet"]).errors.hasPrefix("treelinemap: error: "))
  }

  @Test func damageIsToldAsJSON() throws {
    let folder = try TemporaryFolder()
    let index = folder.path("cities.treeline")
    #expect(try Tool.run(["build", "Fixtures/cities.csv.gz", "-o", index]).code == 0)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: index))
    bytes[bytes.count - 9] ^= 1
    try bytes.write(to: URL(fileURLWithPath: index))
    let result = try Tool.run(["verify", index, "--json"])
    let report = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    #expect(result.code == 65 && report["is_sound"] as? Bool == false)
    #expect((report["problems"] as? [String])?.isEmpty == false)
  }

  /// If the server is not installed, the tool prints its own help instead of the server's help.
  @Test func helpOfServeNeedsNoServer() throws {
    let result = try Tool.run(
      URL(fileURLWithPath: "/usr/bin/env"),
      [
        "PATH=/nonexistent", Tool.executable.path, "serve", "--help",
      ])
    #expect(result.code == 0 && result.output.contains("treelinemap-server"), "\(result)")
  }
}

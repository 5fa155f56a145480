import Foundation
import PointSets
import TestSupport
import Testing
import Treeline

/// Checks builds in pieces, with the tool, of groups that never mix. The bytes and the errors must be the same as in
/// memory.
@Suite struct GroupsInPiecesTests {
  @Test(
    arguments: [
      ["--group-by", "kind"], ["--never-cluster", "single"],
      ["--group-by", "kind", "--never-cluster", "single", "--columns", "all", "--split", "mean"],
      ["--group-by", "name", "--columns", "kind:category", "--attributes", "name", "--title", "Towns"],
      ["--group-by", "kind", "--never-cluster", "single", "--x", "lon", "--y", "lat"],
      ["--group-by", "kind", "--never-cluster", "single", "--columns", "all", "--for", "badges", "--anchor", "member"],
      ["--group-by", "name", "--for", "spacing", "--x", "lon", "--y", "lat"],
    ], [[], ["--row", "id"]])
  func sameBytesAsInMemory(_ options: [String], _ row: [String]) throws {
    let folder = try TemporaryFolder()
    var random = SplitMix64(seed: 7)
    let rows = Self.rows(4000, &random)
    let input = try csv(rows, in: folder)
    try build(input, folder.path("expected"), options + row)
    for memory in ["2kB", "60kB", "280kB"] {
      if !row.isEmpty { _ = try csv(random.shuffled(rows), in: folder) }
      let result = try build(input, folder.path("found"), options + row + ["--memory", memory])
      #expect(result.errors.contains("in pieces"), "\(result.errors)")
      #expect(try bytes(folder.path("found")) == bytes(folder.path("expected")), "\(memory)")
    }
    #expect(try Tool.run("verify", folder.path("found")).code == 0)
    #expect(try folder.contents() == ["expected", "found", "input"])
  }

  /// Each feature may have different columns. The columns that name the groups may occur late in the input.
  @Test func featuresWithLateColumns() throws {
    let folder = try TemporaryFolder()
    let features = (0..<3000).map { row in
      let kind = row < 2000 ? "\"a\":1" : row % 3 == 0 ? "\"kind\":null" : "\"kind\":[\(row % 4),\"é\"]"
      let single = row < 2900 ? "" : ",\"single\":\(row % 2 == 0)"
      return
        #"{"type":"Feature","properties":{\#(kind)\#(single)},"geometry":{"type":"Point","coordinates":[\#(row % 170),"#
        + "\(row % 80)]}}"
    }
    let input = try folder.write(features.joined(separator: "\n"), to: "input")
    let options = ["--group-by", "kind", "--never-cluster", "single"]
    try build(input, folder.path("expected"), options)
    try build(input, folder.path("found"), options + ["--memory", "40kB"])
    #expect(try bytes(folder.path("found")) == bytes(folder.path("expected")))
    try sameError(
      input, ["--group-by", "none"], code: 64, "there is no column \"none\" for --group-by", in: folder)
    try sameError(
      input, ["--group-by", "a", "--never-cluster", "none"], code: 64, "for --never-cluster", in: folder)
    #expect(try folder.contents() == ["expected", "found", "input"])
  }

  /// Checks that the message names the right line, even if rows before it were skipped.
  @Test func badInputIsToldAsInMemory() throws {
    let folder = try TemporaryFolder()
    var random = SplitMix64(seed: 9)
    for bad in [0, 700, 2999] {
      var rows = Self.rows(3000, &random)
      for row in stride(from: 0, to: 3000, by: 7) where row != bad { rows[row] = "nowhere,1,\(row),a,b," }
      rows[bad] = "1,2,\(bad),a,b,perhaps"
      let input = try csv(rows, in: folder)
      try sameError(
        input, ["--skip-invalid", "--never-cluster", "single"], code: 65, "input:\(bad + 2): expected true, false",
        in: folder
      )
      try sameError(input, ["--skip-invalid", "--group-by", "none"], code: 64, "there is no column", in: folder)
    }
    let input = try csv(Self.rows(5000, &random), in: folder)
    for memory in [[], ["--memory", "60kB"]] {
      let result = try run(input, folder.path("index"), ["--group-by", "id"] + memory)
      #expect(result.code == 64, "\(result.errors)")
      #expect(result.errors.contains("--group-by: expected at most 4096 groups, found 4097"), "\(result.errors)")
    }
    #expect(try folder.contents() == ["input"])
  }

  /// Returns rows whose groups, given by the column `kind`, have very different sizes. Some rows are never clustered.
  private static func rows(_ count: Int, _ random: inout SplitMix64) -> [String] {
    (0..<count).map { row in
      let (lon, lat) = (Double(random.index(below: 3400)) / 10 - 170, Double(random.index(below: 800)) / 10)
      let kind = ["inn", "camp", "", "\"a, b\"", "hut"][min(random.index(below: 9), 4)]
      return "\(lon),\(lat),\(row),\(kind),name \(random.index(below: 900)),\(["", "no", "yes", "0"][row % 4])"
    }
  }

  private func csv(_ rows: [String], in folder: TemporaryFolder) throws -> String {
    try folder.write("lon,lat,id,kind,name,single\n" + rows.joined(separator: "\n"), to: "input")
  }

  private func sameError(
    _ input: String, _ options: [String], code: Int32, _ problem: String, in folder: TemporaryFolder
  ) throws {
    let (expected, found) = (
      try run(input, folder.path("index"), options),
      try run(input, folder.path("index"), options + ["--memory", "40kB"])
    )
    #expect(expected.code == code && found.code == code, "\(expected.errors)\(found.errors)")
    let message = try #require(expected.errors.split(separator: "\n").first { $0.contains("error:") })
    #expect(message.contains(problem), "\(message)")
    #expect(found.errors.contains(message), "\(found.errors)")
  }

  @discardableResult private func build(_ input: String, _ output: String, _ options: [String]) throws -> Tool.Result {
    let result = try run(input, output, options)
    #expect(result.code == 0, "\(options): \(result.errors)")
    return result
  }

  private func run(_ input: String, _ output: String, _ options: [String]) throws -> Tool.Result {
    try Tool.run(["build", input, "-o", output] + options)
  }

  private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }
}

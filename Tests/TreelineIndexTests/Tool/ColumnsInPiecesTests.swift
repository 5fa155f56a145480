import Foundation
import PointSets
import TestSupport
import Testing
import Treeline

/// Checks columns and row numbers of builds in pieces with the tool. The bytes must be the same as in memory.
@Suite struct ColumnsInPiecesTests {
  private static let cities = Repository.path("Fixtures/cities.csv.gz")

  @Test(
    arguments: [
      ["--columns", "all"], ["--columns", "population:number,country", "--attributes", "name"],
      ["--attributes", "name,population,country"], ["--columns", "name:text,country:category,population:text"],
      ["--columns", "population", "--attributes", "country", "--title", "Cities"],
    ])
  func sameBytesAsInMemory(_ options: [String]) throws {
    let folder = try TemporaryFolder()
    let expected = try build(Self.cities, folder.path("expected"), options)
    for memory in Trials.some(of: ["20kB", "300kB", "3MB"]) {
      let result = try build(Self.cities, folder.path("found"), options + ["--memory", memory])
      #expect(try bytes(folder.path("found")) == bytes(folder.path("expected")), "\(memory): \(result.errors)")
      // Notes on the columns are printed in both cases.
      let told = expected.errors.split(separator: "\n").filter { $0.contains("columns:") }
      #expect(told.allSatisfy { result.errors.contains($0) }, "\(result.errors)")
      #expect(try folder.contents() == ["expected", "found"])
    }
    #expect(try Tool.run("verify", folder.path("found")).code == 0)
  }

  /// The number of threads determines which points are read together, and which columns are encoded together.
  @Test func anyNumberOfThreadsGivesTheSameBytes() throws {
    let folder = try TemporaryFolder()
    let iceland = Repository.path("Fixtures/iceland_addresses.csv.gz")
    let columns = ["--columns", "all"]
    try build(iceland, folder.path("expected"), columns + ["--threads", "1"])
    for threads in ["2", "7"] {
      try build(iceland, folder.path("found"), columns + ["--threads", threads])
      #expect(try bytes(folder.path("found")) == bytes(folder.path("expected")), "\(threads) threads")
    }
  }

  /// Each of two columns has an unsuitable value. The error is about the value that comes first in the input.
  @Test(arguments: ["1", "2"]) func theFirstUnsuitableValueIsNamedWithAnyNumberOfThreads(_ threads: String) throws {
    let folder = try TemporaryFolder()
    let rows = (0..<70_000).map { row in
      "\(row % 90),\(row % 7),\(row == 50_001 ? "later" : "\(row)"),\(row == 50_000 ? "first" : "\(row)")"
    }
    let input = try csv(rows, in: folder)
    let result = try run(input, folder.path("index"), ["--columns", "id:number,name:number", "--threads", threads])
    #expect(result.code == 65, "\(result.errors)")
    #expect(result.errors.contains("\"name\"") && result.errors.contains("\"first\""), "\(result.errors)")
    #expect(try folder.contents() == ["input.csv"])
  }

  /// Each feature may have different columns. So their order is known only after all features are read.
  @Test func featuresOfDifferentColumns() throws {
    let folder = try TemporaryFolder()
    var random = SplitMix64(seed: 5)
    let features = (0..<3000).map { row in
      let members = [
        row % 3 == 0 ? nil : "\"a\":\(random.index(below: 90))", row < 2500 ? nil : "\"late\":\"\(row % 7)\"",
        row % 5 == 0 ? "\"c\":null" : "\"c\":\"\(random.index(below: 4000))\"",
      ].compactMap { $0 }
      let properties = (row % 2 == 0 ? members : members.reversed()).joined(separator: ",")
      return
        #"{"type":"Feature","properties":{\#(properties)},"geometry":{"type":"Point","coordinates":[\#(row % 170),"#
        + "\(Double(random.index(below: 8000)) / 100)]}}"
    }
    let input = try folder.write(features.joined(separator: "\n"), to: "input.geojsonl")
    for options in [
      ["--columns", "late,a:number", "--attributes", "c"], ["--columns", "c", "--attributes", "late,a"],
    ] {
      try build(input, folder.path("expected"), options)
      try build(input, folder.path("found"), options + ["--memory", "40kB"])
      #expect(try bytes(folder.path("found")) == bytes(folder.path("expected")), "\(options)")
    }
    for (options, problem) in [("none", "there is no column \"none\""), ("all", "name the columns")] {
      let result = try run(input, folder.path("other"), ["--columns", options, "--memory", "40kB"])
      #expect(result.code == 64 && result.errors.contains(problem), "\(result.errors)")
    }
    #expect(try folder.contents() == ["expected", "found", "input.geojsonl"])
  }

  /// If a column contains the row numbers, the order of the rows does not matter. Checks that the bytes are the same,
  /// in memory and in pieces.
  @Test(arguments: [1, 1_000_000, 1 << 40]) func rowsAreNumberedByAColumn(_ factor: Int) throws {
    let folder = try TemporaryFolder()
    var random = SplitMix64(seed: 8)
    // Some rows share a position.
    let rows = (0..<4000).map { row in
      "\(Double(random.index(below: 3000)) / 10 - 150),\(random.index(below: 9)),\(row * factor),name \(row)"
    }
    let columns = ["--columns", "name", "--row", "id"]
    try build(try csv(rows, in: folder), folder.path("expected"), columns)
    #expect(try Tool.run("verify", folder.path("expected")).code == 0)
    let version = try IndexHeader(ofIndex: folder.path("expected")).minorVersion
    #expect(version == (4000 * factor > 1 << 32 ? 4 : 3))
    for options in [[], ["--memory", "40kB"], ["--memory", "300kB"]] {
      let shuffled = try csv(random.shuffled(rows), in: folder)
      try build(shuffled, folder.path("found"), columns + options)
      #expect(try bytes(folder.path("found")) == bytes(folder.path("expected")), "\(options)")
    }
    let answer = try Tool.run("query", folder.path("found"), "--limit", "5000", "--bbox=-180,-85,180,85")
    #expect(answer.output.contains("\(3999 * factor)"))
    if factor == 1 {
      // Here the row numbers in the column equal the numbers that the build would count.
      try build(try csv(rows, in: folder), folder.path("counted"), ["--columns", "name"])
      #expect(try bytes(folder.path("counted")) == bytes(folder.path("expected")))
    }
  }

  @Test(arguments: [[], ["--memory", "3kB"]]) func rowNumbersThatAreNone(_ options: [String]) throws {
    let folder = try TemporaryFolder()
    let good = (0..<300).map { "\($0 % 90),\($0 % 7),\($0),x" }
    for (bad, code) in [("1.5", 65), ("-1", 65), ("x", 65), ("", 65), ("9007199254740993", 65), ("299", 65)] {
      let input = try csv(good + ["1,2,\(bad),x"], in: folder)
      let result = try run(input, folder.path("index"), ["--row", "id"] + options)
      #expect(result.code == code, "\(bad): \(result.errors)")
      let expected =
        bad == "299" ? "column \"id\": expected a different row number for each point, found 299 twice" : "for --row"
      #expect(result.errors.contains(expected), "\(bad): \(result.errors)")
      #expect(result.errors.contains("input.csv"), "\(result.errors)")
    }
    let none = try run(try csv(good, in: folder), folder.path("index"), ["--row", "none"] + options)
    #expect(
      none.code == 64 && none.errors.contains("for --row; the columns are \"id\", \"name\""), "\(none.errors)")
    #expect(try folder.contents() == ["input.csv"])
  }

  @Test func valuesThatDoNotSuitTheirKind() throws {
    let folder = try TemporaryFolder()
    let rows = (0..<3000).map { "\($0 % 90),\($0 % 7),\($0),\($0 == 2345 ? "x" : "\($0)")" }
    let input = try csv(["nowhere,1,1,1"] + rows, in: folder)
    let options = ["--columns", "name:number", "--skip-invalid"]
    let expected = try run(input, folder.path("index"), options)
    let found = try run(input, folder.path("index"), options + ["--memory", "30kB"])
    #expect(expected.code == 65 && found.code == 65, "\(found.errors)")
    #expect(found.errors.contains("input.csv:2348: column \"name\": expected a number, found \"x\""))
    let message = try #require(expected.errors.split(separator: "\n").first { $0.contains("error:") })
    #expect(found.errors.contains(message), "\(message)")
    #expect(try folder.contents() == ["input.csv"])
  }

  @Test func textsThatAreTooManyForTheMemory() throws {
    let folder = try TemporaryFolder()
    let input = try csv((0..<70_000).map { "\($0 % 90),\($0 % 7),\($0),name \($0)" }, in: folder)
    let result = try run(input, folder.path("index"), ["--columns", "name", "--memory", "1MB"])
    #expect(result.code == 64, "\(result.errors)")
    #expect(result.errors.contains("input.csv: Column \"name\" cannot be built in pieces"), "\(result.errors)")
    #expect(try folder.contents() == ["input.csv"])
  }

  private func csv(_ rows: [String], in folder: TemporaryFolder) throws -> String {
    try folder.write("lon,lat,id,name\n" + rows.joined(separator: "\n"), to: "input.csv")
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

import Foundation
import TestSupport
import Testing

/// Checks which files a command writes, and which files it must not write.
@Suite struct OutputTests {
  static let writers = [
    ["build", "--force", "--output"], ["map", "--output"], ["compare", "--output"], ["compare", "--json"],
  ]
  private static let rows = "longitude,latitude\n1,2\n3,4\n"

  /// Checks that a command never writes to a file that it reads, under any name of this file.
  @Test(arguments: writers, ["points.html", "./points.html", "soft.html", "hard.html", "folder/points.html"])
  func inputIsNeverOverwritten(words: [String], name: String) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Self.rows, to: "points.html")
    try FileManager.default.createSymbolicLink(atPath: folder.path("soft.html"), withDestinationPath: "points.html")
    try FileManager.default.createSymbolicLink(atPath: folder.path("folder"), withDestinationPath: ".")
    try FileManager.default.linkItem(atPath: file, toPath: folder.path("hard.html"))
    let before = try folder.contents()
    let result = try Tool.run([words[0], file] + words.dropFirst() + [folder.url.path + "/" + name])
    #expect(result.code == 64)
    #expect(result.errors.contains("two of these inputs and outputs are the same file"), "\(result.errors)")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == Self.rows)
    #expect(try folder.contents() == before)
  }

  @Test(arguments: writers) func inputOfARedirectIsNeverOverwritten(words: [String]) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Self.rows, to: "points.html")
    let result = try Tool.runShell("\"$TREELINE\" \"$@\" < \"$0\"", [file, words[0], "-"] + words.dropFirst() + [file])
    #expect(result.code == 64)
    #expect(result.errors.contains("two of these inputs and outputs are the same file"), "\(result.errors)")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == Self.rows)
  }

  /// A script reads columns by their names. So they must not depend on the values.
  @Test(arguments: ["csv", "table"]) func everyAggregateHasAColumn(format: String) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("longitude,latitude,n\n1,2,\n3,4,5\n", to: "points.csv")
    for filter in ["n IS NULL", "n > 9"] {
      let result = try Tool.run(
        "query", file, "--format", format, "--aggregate", "mean(n), count(n)", "--filter", filter)
      #expect(result.output.contains("mean_n"), "\(result)")
      #expect(result.output.contains("count_n"), "\(result)")
    }
  }

  @Test func optionsOfAMapAreThoseOfABuildWithoutGroups() throws {
    let folder = try TemporaryFolder()
    let (file, index) = (try folder.write(Self.rows, to: "points.csv"), folder.path("index"))
    #expect(try Tool.run("build", file, "-o", index).code == 0)
    for (input, option, expected) in [
      (file, "--group-by=name", "pages cannot contain groups"), (file, "--quite", "Unknown option '--quite'"),
      (index, "--quite", "Unknown option '--quite'"), (index, "--split=mean", "'--split=mean' is an option for points"),
    ] {
      let result = try Tool.run("map", input, "-o", folder.path("map.html"), option)
      #expect(result.code == 64 && result.errors.contains(expected), "\(result.errors)")
    }
    #expect(try Tool.run("cluster", index, "0", "--order", "widest-first").errors.contains("Unknown option '--order'"))
  }

  @Test(arguments: ["report.html", "./report.html", "link.html"]) func oneFileIsNotWrittenTwice(name: String) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Self.rows, to: "points.csv")
    try FileManager.default.createSymbolicLink(atPath: folder.path("link.html"), withDestinationPath: "report.html")
    let result = try Tool.run([
      "compare", file, "--output", folder.path("report.html"), "--json", folder.url.path + "/" + name,
    ])
    #expect(result.code == 64)
    #expect(result.errors.contains("two of these inputs and outputs are the same file"), "\(result.errors)")
    #expect(try folder.contents() == ["link.html", "points.csv"])
  }

  /// Checks that the option is refused before points are read. The file of points does not exist.
  @Test(arguments: writers) func emptyNameIsRefusedAtOnce(words: [String]) throws {
    let result = try Tool.run([words[0], "/nowhere/points.csv"] + words.dropFirst() + [""])
    #expect(result.code == 64)
    #expect(result.errors.contains("'\(words.last!)' must name a file"), "\(result.errors)")
  }

  @Test(arguments: [["query", ""], ["compare", ""], ["build", "", "-o", "index"]]) func emptyInputIsRefused(
    words: [String]
  ) throws {
    let result = try Tool.run(words)
    #expect(result.code == 64 && result.errors.contains("'<points>' must name a file"), "\(result.errors)")
  }

  /// A path that ends in a slash must be refused. No file with an odd name may be created.
  @Test func nameOfAFolderIsRefused() throws {
    let folder = try TemporaryFolder()
    let result = try Tool.run(["build", "Fixtures/formats/plain.csv", "-o", folder.path("new") + "/"])
    #expect(result.code == 74 && result.errors.contains("it names no file"), "\(result.errors)")
    #expect(try folder.contents() == [])
  }

  @Test(arguments: writers.dropLast()) func standardOutputTakesNoFile(words: [String]) throws {
    let result = try Tool.run([words[0], "/nowhere/points.csv"] + words.dropFirst() + ["-"])
    #expect(result.code == 64)
    #expect(result.errors.contains("'./-'"), "\(result.errors)")
  }

  /// Checks that problems of a path are reported before minutes of work, if they can be known before.
  @Test(arguments: writers) func missingFolderIsFoundAtOnce(words: [String]) throws {
    let result = try Tool.run([words[0], "/nowhere/points.csv"] + words.dropFirst() + ["/missing/report.html"])
    #expect(result.code == 74)
    #expect(
      result.errors.contains(
        "/missing/report.html: expected the folder '/missing', found none; make this folder, or choose another one"),
      "\(result.errors)")
  }

  /// Checks that the next report removes the partial file of an incomplete report, but not a file of another program.
  @Test(arguments: ["--output", "--json"]) func leftoverOfAReportIsTakenOver(option: String) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Self.rows, to: "points.csv")
    let report = folder.path("report.html")
    let partial = URL(fileURLWithPath: folder.path(".report.html.partial"))
    #expect(try Tool.run(["compare", file, option, report]).code == 0)
    // Only the report in HTML can be recognized by its first lines.
    for length in option == "--output" ? [0, 1, 7, 200, 1000] : [0] {
      let begun = try Data(contentsOf: URL(fileURLWithPath: report)).prefix(length)
      for leftover in [begun, begun + Data(count: 1000 - length)] {
        try leftover.write(to: partial)
        let result = try Tool.run(["compare", file, option, report])
        #expect(result.code == 0, "\(result.errors)")
        #expect(try folder.contents() == ["points.csv", "report.html"])
      }
    }
    for text in ["<!DOCTYPE html>\n<html>mine", "{\"points\": 1}"] {
      try Data(text.utf8).write(to: partial)
      let result = try Tool.run(["compare", file, option, report])
      #expect(result.code == 74 && result.errors.contains("away or choose another name"), "\(result.errors)")
      #expect(try String(contentsOf: partial, encoding: .utf8) == text)
    }
  }

  @Test func publishingAgainRepairsADamagedFile() throws {
    let folder = try TemporaryFolder()
    let (index, site) = (folder.path("a.treeline"), folder.path("site"))
    try #require(try Tool.run("build", "Fixtures/airports.csv.gz", "--for", "badges", "-o", index).code == 0)
    try #require(try Tool.run("publish", index, "-o", site).code == 0)
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: site + "/pages").sorted().first)
    let page = URL(fileURLWithPath: "\(site)/pages/\(name)")
    var bytes = try Data(contentsOf: page)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: page)
    #expect(try Tool.run("verify", index, "--site", site).code == 65)
    #expect(try Tool.run("publish", index, "-o", site).code == 0)
    #expect(try Tool.run("verify", index, "--site", site).code == 0)
  }

  /// Checks that `--remove-old` leaves only the files that the new version needs, whatever form the old version had.
  @Test func publishingRemovesOldPages() throws {
    let folder = try TemporaryFolder()
    let (first, second) = (folder.path("a.treeline"), folder.path("b.treeline"))
    try #require(try Tool.run("build", "Fixtures/airports.csv.gz", "--for", "badges", "-o", first).code == 0)
    try #require(try Tool.run("build", "Fixtures/airports.csv.gz", "--for", "spacing", "-o", second).code == 0)
    func files(_ site: String) throws -> Set<String> {
      Set(
        try FileManager.default.subpathsOfDirectory(atPath: site).filter {
          $0.hasSuffix(".page") || $0.hasSuffix(".pages")
        })
    }
    for (old, new) in [
      ([], []), ([], ["--single-file"]), (["--single-file"], []), (["--single-file"], ["--single-file"]),
    ] {
      let (site, fresh) = (folder.path("site"), folder.path("fresh"))
      for path in [site, fresh] { try? FileManager.default.removeItem(atPath: path) }
      try #require(try Tool.run(["publish", first, "-o", site] + old).code == 0)
      try "own".write(toFile: site + "/own.pages", atomically: true, encoding: .utf8)
      try #require(try Tool.run(["publish", second, "-o", site, "--remove-old"] + new).code == 0)
      try #require(try Tool.run(["publish", second, "-o", fresh] + new).code == 0)
      #expect(try files(site) == files(fresh).union(["own.pages"]), "\(old) \(new)")
      #expect(try Tool.run("verify", second, "--site", site).code == 0)
    }
  }

  /// `-o` may name the index by mistake instead of the answer.
  @Test func anAnswerNeverReplacesAnIndex() throws {
    let folder = try TemporaryFolder()
    let (file, index) = (try folder.write(Self.rows, to: "points.csv"), folder.path("a.treeline"))
    try #require(try Tool.run("build", file, "-o", index).code == 0)
    let before = try Data(contentsOf: URL(fileURLWithPath: index))
    for words in [["query", file, "-o", index], ["compare", file, "--json", index]] {
      let result = try Tool.run(words)
      #expect(
        result.code == 64 && result.errors.contains("found an index; choose another name, or remove the index first"),
        "\(result.errors)")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: index)) == before)
  }

  @Test func aTableOfASearchShowsTheFoundText() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("lon,lat,kind,name\n1,2,a,Oslo\n3,4,b,Rome\n", to: "points.csv")
    let index = folder.path("a.treeline")
    try #require(try Tool.run("build", file, "-o", index, "--columns", "kind", "--search", "name").code == 0)
    let lines = try Tool.run("search", index, "ro", "--format", "table").output.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasSuffix("  name") && lines[1].hasSuffix("  Rome"), "\(lines)")
  }

  @Test func aTileArchiveOfAKilledRunIsReplaced() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("SQLite format 3\u{0}" + String(repeating: "x", count: 5000), to: ".k.mbtiles.partial")
    let result = try Tool.run("tiles", "Fixtures/airports.csv.gz", "-o", folder.path("k.mbtiles"), "--zooms", "0-1")
    #expect(result.code == 0, "\(result.errors)")
  }

  @Test func cellsOfCSVAreQuotedByBytes() throws {
    let folder = try TemporaryFolder()
    let text = "lon,lat,name\n1,2,\"5\"\"\u{301},x\"\n"
    let points = try folder.write(text, to: "points.csv")
    let result = try Tool.run("query", points, "--rows", "--format", "csv", "--quiet")
    #expect(result.output.contains("\"5\"\"\u{301},x\"\n"), "\(result.output)")
    let names = try folder.write("lon,lat,north,west,longitude\n1,2,5,6,7\n30,40,7,8,9\n", to: "names.csv")
    let header = try Tool.run(
      "query", names, "--longitude", "lon", "--latitude", "lat", "--format", "csv", "--quiet"
    ).output.split(separator: "\n")[0].split(separator: ",")
    #expect(Set(header).count == header.count, "\(header)")
  }
}

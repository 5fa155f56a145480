import Foundation
import TestSupport
import Testing

/// Checks that the tool refuses options with useless values, and that the error says what is wrong and what to do.
@Suite struct WrongOptionTests {
  private static let points = "Fixtures/formats/plain.csv"

  @Test(arguments: [
    (["map", points, "-o", "map.txt"], "'--output' must end with .html or .htm, found 'map.txt'."),
    (["compare", points, "-o", "report.csv"], "'--output' must end with .html or .htm, found 'report.csv'."),
    (["map", points, "-o", "a.html", "--title", ""], "'--title' must be one line of text, found \"\"."),
    (["map", points, "-o", "a.html", "--force"], "'--force' is about the file of an index"),
    (["query", points, "--filter", ""], "'--filter': "),
    (["query", points, "-o", "out.json.gz"], "'--output' must not end with .gz"),
    (["compare", points, "--json", "out.json.gz"], "'--json' must not end with .gz"),
    (
      ["query", points, "--limit", "99999999999999999999"],
      "'--limit' must be a whole number from 1 to 9223372036854775807"
    ),
    (["search", "a.treeline", "x", "--limit", "-3"], "'--limit' must be a whole number, 1 or more, found -3."),
    (["cluster", points, "1", "--offset", "-1"], "'--offset' must be 0 or more, found -1."),
    (["build", points, "-o", "a.treeline", "--badge-gap", "-1"], "'--badge-gap' must be"),
    (["build", points, "-o", "a.treeline", "--memory", "-1"], "found \"-1\""),
    (["tiles", points, "-o", "a.pmtiles", "--zooms", "-1-3"], "such as 0-14, found '-1-3'."),
    (["tiles", points, "-o", "a.pmtiles", "--tile-size", "-1"], "'--tile-size' must be 256 or 512, found -1."),
    (["compare", points, "--limit", "-1"], "'--limit' must be a whole number, 1 or more, found -1."),
    (["compare", points, "--cell", "0"], "'--cell' must be a number of pixels from 1 to 16384, found 0."),
    (["compare", points, "--methods", "nosuch"], "expected 'all', 'grid',"),
    (["publish", "a.treeline", "-o", ""], "'--output' must name a folder, found an empty name."),
    (
      ["build", points, "-o", "a.treeline", "--columns", "all:text"],
      "expected 'all' without a kind or a suffix, found \"all:text\""
    ),
    (["help", "nosuch"], "expected a subcommand, found 'nosuch'"),
  ])
  func isRefused(words: [String], expected: String) throws {
    let result = try Tool.run(words)
    #expect(result.code == 64 && result.errors.contains(expected), "\(result.errors)")
  }

  @Test(arguments: [
    "", "osm", "ftp://host/{z}/{x}/{y}.png", "mapbox:style", "https://host/{z}/{x}.png", "https://host/{x}/{y}.png",
    "https://host/{quadkey}.png",
  ])
  func addressOfNoBasemapIsRefused(address: String) throws {
    let result = try Tool.run("map", Self.points, "-o", "a.html", "--basemap", address)
    let found = address.isEmpty ? "nothing" : "'\(address)'"
    #expect(
      result.code == 64 && result.errors.contains("'--basemap' must be the address of a MapLibre style, such as"),
      "\(result.errors)")
    #expect(result.errors.contains("found \(found)"), "\(result.errors)")
  }

  @Test func folderForPiecesMustExist() throws {
    let folder = try TemporaryFolder()
    let missing = folder.path("missing")
    let result = try Tool.run("build", Self.points, "-o", folder.path("a.treeline"), "--scratch", missing)
    #expect(
      result.code == 74 && result.errors.contains("--scratch: expected the folder '\(missing)', found none; make"),
      "\(result.errors)")
  }

  @Test func filesThatAreNotIndexesAreDescribed() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("lon,lat\n1,2\n", to: "points.csv")
    for words in [["inspect"], ["verify"], ["publish", "-o", folder.path("site")]] {
      let result = try Tool.run([words[0], file] + words.dropFirst())
      #expect(
        result.code == 65 && result.errors.contains("found 6C 6F 6E 2C 6C 61 74 0A; make an index"), "\(result.errors)")
    }
    let pipe = try Tool.runShell("cat \"$0\" | \"$TREELINE\" inspect -", [file])
    #expect(
      pipe.code == 66
        && pipe.errors.contains("found a pipe; redirect standard input from a file with '<'"), "\(pipe.errors)")
  }

  @Test func anIndexWithGroupsIsNotPublished() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("lon,lat,kind\n1,2,a\n3,4,b\n", to: "points.csv")
    let index = folder.path("a.treeline")
    try #require(try Tool.run("build", file, "-o", index, "--group-by", "kind").code == 0)
    let result = try Tool.run("publish", index, "-o", folder.path("site"))
    #expect(result.errors.contains("build the index again without '--group-by'"), "\(result.errors)")
    let compared = try Tool.run("compare", index, "--limit", "1")
    #expect(compared.code == 64 && compared.errors.contains("give '--limit 2' or more"), "\(compared.errors)")
  }

  @Test func aNumberTooSmallForADoubleIsReported() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("lon,lat,n\n1,2,1e-400\n3,4,0.5\n", to: "points.csv")
    let result = try Tool.run("build", file, "-o", folder.path("a.treeline"), "--columns", "n:number")
    #expect(result.code == 0 && result.errors.contains("so many digits or so small a number"), "\(result.errors)")
  }
}

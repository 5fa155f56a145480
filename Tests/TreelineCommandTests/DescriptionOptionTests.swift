import TestSupport
import Testing
import Treeline

/// Checks the description that `build --title`, `--attribution` and `--unit` write to an index. `inspect` prints the
/// description.
@Suite struct DescriptionOptionTests {
  private static let degrees = "longitude,latitude\n1,2\n3,4\n"
  private static let metres = "x,y\n1,2\n3,4\n"

  private func build(_ text: String, _ options: [String], in folder: borrowing TemporaryFolder) throws -> Tool.Result {
    try Tool.run(["build", try folder.write(text, to: "points.csv"), "-o", folder.path("index")] + options)
  }

  @Test func textsAreKeptAndPrinted() throws {
    let folder = try TemporaryFolder()
    let options = ["--title", "Brunnen", "--attribution", "© \"Amt\"", "--unit", "m"]
    #expect(try build(Self.metres, options, in: folder).code == 0)
    let path = folder.path("index")
    #expect(
      try ClusterTree(contentsOfFile: path).indexDescription
        == IndexDescription(title: "Brunnen", attribution: "© \"Amt\"", unit: "m"))
    let text = try Tool.run(["inspect", path]).output
    for line in [
      "version          1.1", "title            \"Brunnen\"", #"attribution      "© \"Amt\"""#,
      "unit             \"m\"",
    ] { #expect(text.split(separator: "\n").contains { $0 == line }, "\(text)") }
    #expect(try Tool.run(["inspect", "--json", path]).output.contains("Brunnen"))
    #expect(try Tool.run(["verify", path]).code == 0)
  }

  @Test func nothingIsPrintedOfAnIndexWithoutThem() throws {
    let folder = try TemporaryFolder()
    #expect(try build(Self.degrees, [], in: folder).code == 0)
    for options in [[], ["--json"]] {
      let text = try Tool.run(["inspect", folder.path("index")] + options).output
      #expect(!text.contains("title") && !text.contains("attribution"))
    }
  }

  @Test(arguments: [
    (["--title", ""], "'--title' must be one line of text"), (["--title", "  "], "'--title' must be one line of text"),
    (["--attribution", "a\nb"], "'--attribution' must be one line of text"), (["--unit", "m"], "which are in degrees"),
  ]) func whatTellsNothingIsRefused(_ options: [String], _ error: String) throws {
    let folder = try TemporaryFolder()
    let result = try build(Self.degrees, options, in: folder)
    #expect(result.code == 64)
    #expect(result.errors.contains(error), "\(result.errors)")
    #expect(try folder.contents() == ["points.csv"])
  }
}

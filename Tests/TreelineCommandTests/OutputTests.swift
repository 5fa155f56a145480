import Foundation
import TestSupport
import Testing

/// Checks which files a command writes, and which files it must not write.
@Suite struct OutputTests {
  static let writers = [["build", "--force", "--output"], ["compare", "--output"], ["compare", "--json"]]
  private static let rows = "longitude,latitude\n1,2\n3,4\n"

  /// Checks that a command never writes to a file that it reads, under any name of this file.
  @Test(arguments: writers, ["points.csv", "./points.csv", "soft", "hard", "folder/points.csv"])
  func inputIsNeverOverwritten(words: [String], name: String) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Self.rows, to: "points.csv")
    try FileManager.default.createSymbolicLink(atPath: folder.path("soft"), withDestinationPath: "points.csv")
    try FileManager.default.createSymbolicLink(atPath: folder.path("folder"), withDestinationPath: ".")
    try FileManager.default.linkItem(atPath: file, toPath: folder.path("hard"))
    let before = try folder.contents()
    let result = try Tool.run([words[0], file] + words.dropFirst() + [folder.url.path + "/" + name])
    #expect(result.code == 64)
    #expect(result.errors.contains("two of these inputs and outputs are the same file"), "\(result.errors)")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == Self.rows)
    #expect(try folder.contents() == before)
  }

  @Test(arguments: writers) func inputOfARedirectIsNeverOverwritten(words: [String]) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Self.rows, to: "points.csv")
    let result = try Tool.runShell("\"$TREELINE\" \"$@\" < \"$0\"", [file, words[0], "-"] + words.dropFirst() + [file])
    #expect(result.code == 64)
    #expect(result.errors.contains("two of these inputs and outputs are the same file"), "\(result.errors)")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == Self.rows)
  }

  @Test(arguments: ["report", "./report", "link"]) func oneFileIsNotWrittenTwice(name: String) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Self.rows, to: "points.csv")
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "report")
    let result = try Tool.run([
      "compare", file, "--output", folder.path("report"), "--json", folder.url.path + "/" + name,
    ])
    #expect(result.code == 64)
    #expect(result.errors.contains("two of these inputs and outputs are the same file"), "\(result.errors)")
    #expect(try folder.contents() == ["link", "points.csv"])
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
    let result = try Tool.run([words[0], "/nowhere/points.csv"] + words.dropFirst() + ["/missing/report"])
    #expect(result.code == 74)
    #expect(result.errors.contains("/missing/report: could not create"), "\(result.errors)")
  }

  /// Checks that the next report removes the partial file of an incomplete report, but not a file of another program.
  @Test(arguments: ["--output", "--json"]) func leftoverOfAReportIsTakenOver(option: String) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Self.rows, to: "points.csv")
    let report = folder.path("report")
    let partial = URL(fileURLWithPath: folder.path(".report.partial"))
    #expect(try Tool.run(["compare", file, option, report]).code == 0)
    // Only the report in HTML can be recognized by its first lines.
    for length in option == "--output" ? [0, 1, 7, 200, 1000] : [0] {
      let begun = try Data(contentsOf: URL(fileURLWithPath: report)).prefix(length)
      for leftover in [begun, begun + Data(count: 1000 - length)] {
        try leftover.write(to: partial)
        let result = try Tool.run(["compare", file, option, report])
        #expect(result.code == 0, "\(result.errors)")
        #expect(try folder.contents() == ["points.csv", "report"])
      }
    }
    for text in ["<!DOCTYPE html>\n<html>mine", "{\"points\": 1}"] {
      try Data(text.utf8).write(to: partial)
      let result = try Tool.run(["compare", file, option, report])
      #expect(result.code == 74 && result.errors.contains("away or choose another name"), "\(result.errors)")
      #expect(try String(contentsOf: partial, encoding: .utf8) == text)
    }
  }
}

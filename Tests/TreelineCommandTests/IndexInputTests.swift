import Foundation
import TestSupport
import Testing

/// Checks that an index is recognized by its content, whether it is named or read from standard input.
@Suite struct IndexInputTests {
  private let folder: TemporaryFolder
  private let index: String

  init() throws {
    folder = try TemporaryFolder()
    index = folder.path("points.treeline")
    try #require(try Tool.run(["build", "Fixtures/cities.csv.gz", "-o", index]).code == 0)
  }

  @Test(arguments: [["query"], ["compare", "--methods", "grid,widest-first"], ["inspect"], ["verify"]])
  func redirectedIndexIsOpened(words: [String]) throws {
    let named = try Tool.run(words + [index])
    let redirected = try Tool.runShell("\"$TREELINE\" \"$@\" - < \"$0\"", [index] + words)
    #expect(redirected.code == 0 && redirected.errors.isEmpty, "\(redirected.errors)")
    #expect(named.output.replacing(index, with: "-") == redirected.output.replacing("standard input", with: "-"))
  }

  /// An index contains one tree. Checks that `--methods all` compares all methods that this tree supports, for any
  /// split rule, and reports the methods that it does not support.
  @Test(arguments: ["gamma:3.5", "least-scatter"]) func allMethodsAreThoseThatAnIndexHasWhatItTakesFor(rule: String)
    throws
  {
    let index = folder.path("rule.treeline")
    try #require(
      try Tool.run(["build", "Fixtures/airports.csv.gz", "--split", rule, "-o", index]).code == 0)
    let result = try Tool.run(["compare", "--methods", "all", "--bbox", "0,40,20,55", index])
    #expect(result.code == 0)
    #expect(result.output.contains("Steepest-first") || result.output.contains("steepest-first/\(rule)"))
    #expect(
      result.errors.contains("left out 'spacing/merge:distance', which needs a tree built for spacing"),
      "\(result.errors)")
    #expect(result.errors.contains("only the tree of this index, which is split by '\(rule)'"), "\(result.errors)")
  }

  /// Checks that each method of the default list is either compared or reported.
  @Test(arguments: [
    ("limit", ["badges", "spacing/merge:distance"]), ("spacing", ["badges"]), ("badges", ["spacing/merge:distance"]),
  ])
  func methodsThatAnIndexLacksAreReported(purpose: String, expected: [String]) throws {
    let index = folder.path("purpose.treeline")
    try #require(try Tool.run(["build", "Fixtures/airports.csv.gz", "--for", purpose, "-o", index]).code == 0)
    let notes = try Tool.run(["compare", "--bbox", "0,40,20,55", index]).errors.split(separator: "\n").filter {
      $0.contains("left out")
    }
    #expect(notes.count == expected.count, "\(notes)")
    for (note, name) in zip(notes, expected) {
      #expect(note.contains("left out '\(name)', which needs a tree"), "\(note)")
    }
  }

  /// Checks names of methods without a split rule. If the input is points, such a name means the tree of the article.
  /// If the input is an index, the name means the tree of the index.
  @Test func methodWithoutRuleIsThatOfTheIndex() throws {
    let result = try Tool.run(
      ["compare", "--methods", "breadth-first,breadth-first/least-scatter,grid", "--bbox", "0,40,20,55", index])
    #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(result.output.components(separatedBy: "breadth-first").count == 2, "\(result.output)")
    let other = try Tool.run(["compare", "--methods", "breadth-first/gamma:1.5", index])
    #expect(other.code == 64 && other.errors.contains("needs a tree split by 'gamma:1.5'"), "\(other.errors)")
  }

  @Test func anAnchorThatTheIndexDoesNotHaveIsRefused() throws {
    let members = folder.path("members.treeline")
    let built = try Tool.run(
      ["build", "Fixtures/airports.csv.gz", "--for", "spacing", "--anchor", "member", "-o", members])
    try #require(built.code == 0)
    for (path, anchor, other, place) in [
      (members, "mean", "member", "lie at one of their points"),
      (index, "member", "mean", "lie at the means of their points"),
    ] {
      let refused = try Tool.run(["query", path, "--anchor", anchor])
      #expect(refused.code == 64 && refused.errors.contains("'--anchor \(anchor)' needs points"), "\(refused.errors)")
      #expect(refused.errors.contains(place), "\(refused.errors)")
      #expect(try Tool.run(["query", path, "--anchor", other]).code == 0)
    }
    let grid = try Tool.run(["query", members, "--method", "grid", "--anchor", "member"])
    #expect(grid.code == 64 && grid.errors.contains("'--anchor' needs '--method pca'"), "\(grid.errors)")
  }

  @Test func redirectedPointsAreReadAsEver() throws {
    let named = try Tool.run(["query", "Fixtures/cities.csv.gz"])
    let redirected = try Tool.runShell("\"$TREELINE\" query - < Fixtures/cities.csv.gz", ["sh"])
    // The lines on standard error differ, because they name the input.
    #expect(redirected.output == named.output && redirected.code == named.code)
  }

  @Test(arguments: ["query", "compare", "build"]) func indexOfAPipeIsRefused(word: String) throws {
    let output = word == "build" ? ["-o", folder.path("new")] : []
    // The tool may close the pipe before `cat` has written everything.
    for script in ["cat \"$0\" 2>/dev/null | \"$TREELINE\" \"$@\" -", "\"$TREELINE\" \"$@\" <(cat \"$0\" 2>/dev/null)"]
    {
      let result = try Tool.runShell(script, [index, word] + output)
      #expect(result.code == 65)
      #expect(
        result.errors.contains("found an index; an index can be opened only from a file: give the path of the file"),
        "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1)
    }
  }

  @Test(arguments: ["query", "compare"]) func compressedIndexIsRefused(word: String) throws {
    for script in [
      "gzip -c \"$0\" > \"$0.gz\"; \"$TREELINE\" \"$@\" \"$0.gz\"", "gzip -c \"$0\" | \"$TREELINE\" \"$@\" -",
    ] {
      let result = try Tool.runShell(script, [index, word])
      #expect(result.code == 65)
      #expect(
        result.errors.contains("found an index inside gzip data; inflate it into a file with gzip -dc"),
        "\(result.errors)")
    }
  }

  @Test func indexIsNotBuiltFromAnIndex() throws {
    for script in ["\"$TREELINE\" build \"$0\" \"$@\"", "\"$TREELINE\" build - \"$@\" < \"$0\""] {
      let result = try Tool.runShell(script, [index, "-o", folder.path("new")])
      #expect(result.code == 64)
      #expect(result.errors.contains("this is already an index"), "\(result.errors)")
    }
    #expect(try folder.contents() == ["points.treeline"])
    #expect(!(try Tool.run(["build", "--help"]).output.contains("An index, or points")))
  }

  /// Only CSV has columns. For other inputs, an option that names a column is an error.
  @Test(arguments: [
    ["--longitude", "a", "--latitude", "b"], ["--x", "a", "--y", "b"], ["--wkt", "a"], ["--decimal", "comma"],
  ])
  func columnsOfOtherInputsAreRefused(options: [String]) throws {
    for (input, kind) in [(index, "an index"), ("Fixtures/formats/collection.geojson", "GeoJSON")] {
      for command in [["query", input], ["compare", input]] {
        let result = try Tool.run(command + options)
        #expect(result.code == 64)
        let names = options.filter { $0.hasPrefix("--") }.joined(separator: " and ")
        #expect(result.errors.contains(names), "\(result.errors)")
        #expect(
          result.errors.contains("\(input): ") && result.errors.contains("this input is \(kind);"), "\(result.errors)")
      }
    }
    let built = try Tool.run(["build", "Fixtures/formats/lines.geojsonl", "-o", folder.path("new")] + options)
    #expect(built.code == 64 && built.errors.contains("this input is GeoJSON;"), "\(built.errors)")
  }
}

import Foundation
import TestSupport
import Testing
import Treeline

/// A column has one type: text that looks like a number is text in every cell.
@Suite struct CellTypeTests {
  private static let zips =
    "lon,lat,zip\n-71.6,42.1,01569\n-122.4,37.7,94107\n-74.0,40.7,10001\n-73.0,40.8,00501\n-97.7,30.2,73301\n"

  /// The values of a property in an answer, sorted.
  private func values(_ name: String, _ arguments: [String]) throws -> [String] {
    let result = try Tool.run(["query"] + arguments + ["--limit", "100", "--quiet"])
    #expect(result.code == 0, "\(result.errors)")
    let features = try #require(
      (try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])?["features"]
        as? [[String: Any]])
    return features.map { feature in
      switch (feature["properties"] as? [String: Any])?[name] {
      case let text as String: "'\(text)'"
      case let value?: "\(value)"
      case nil: "none"
      }
    }.sorted()
  }

  /// As an index of a declared or a found kind, as attributes, in pieces, and as it is.
  private func inputs(_ text: String, _ name: String, _ folder: TemporaryFolder) throws -> [String] {
    let points = try folder.write(text, to: "points.csv")
    var inputs = [points]
    for (number, columns) in [
      ["--columns", "\(name):text"], ["--columns", "all"], ["--columns", "all", "--memory", "1B"],
      ["--columns", "\(name):text", "--memory", "1B"],
    ].enumerated() {
      let index = folder.path("\(number).treeline")
      let built = try Tool.run(["build", points, "-o", index] + columns)
      #expect(built.code == 0, "\(built.errors)")
      #expect(try Tool.run("verify", index).code == 0)
      inputs.append(index)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: inputs[2])) == Data(contentsOf: URL(fileURLWithPath: inputs[3])))
    #expect(try Data(contentsOf: URL(fileURLWithPath: inputs[1])) == Data(contentsOf: URL(fileURLWithPath: inputs[4])))
    return inputs
  }

  @Test(arguments: [
    ("zip = '94107'", ["94107"]), ("zip <> '94107'", ["00501", "01569", "10001", "73301"]),
    ("zip LIKE '0%'", ["00501", "01569"]), ("zip BETWEEN '00501' AND '10001'", ["00501", "01569", "10001"]),
    ("zip IN ('00501', '73301', '501')", ["00501", "73301"]), ("zip < '1'", ["00501", "01569"]),
  ]) func codesAreTexts(_ filter: String, _ expected: [String]) throws {
    let folder = try TemporaryFolder()
    for input in try inputs(Self.zips, "zip", folder) {
      #expect(try values("zip", [input, "--filter", filter]) == expected.map { "'\($0)'" }, "\(input)")
      #expect(try values("min_zip", [input, "--aggregate", "min(zip),max(zip)"]).contains("'00501'"))
      // A number is no zip code: it must not find nothing in silence.
      let number = try Tool.run("query", input, "--filter", "zip = 94107")
      #expect(number.code == 64 && number.errors.contains("expected a text in single quotes"), "\(number.errors)")
    }
  }

  /// Cells of a column, and what they are given back as.
  @Test(arguments: [
    (["0E0", "0E8", "1E8", "05U"], ["'0E0'", "'0E8'", "'1E8'", "'05U'"]),
    (["007", "8"], ["'007'", "'8'"]), (["0E0", "1"], ["'0E0'", "'1'"]),
    (["123456789012345678", "5"], ["'123456789012345678'", "'5'"]),
    (["123456789012345", "0"], ["123456789012345", "0"]), (["0.5", "0"], ["0.5", "0"]),
    (["-0.5", "7"], ["-0.5", "7"]),
    ([".5", "7.5"], ["0.5", "7.5"]), (["1.5", "1e3"], ["1.5", "1000"]), (["-007", "1"], ["'-007'", "'1'"]),
    (["+49301234", "5"], ["'+49301234'", "'5'"]), (["x", "12"], ["'x'", "'12'"]),
  ]) func aColumnHasOneType(_ cells: [String], _ expected: [String]) throws {
    let folder = try TemporaryFolder()
    let text = "lon,lat,v\n" + cells.enumerated().map { "\(10 * $0),\($0),\($1)\n" }.joined()
    for input in try inputs(text, "v", folder) where !input.hasSuffix("0.treeline") && !input.hasSuffix("3.treeline") {
      #expect(try values("v", [input]) == expected.sorted(), "\(input)")
    }
    // Declared as text, every cell is as it is written.
    #expect(try values("v", [folder.path("0.treeline")]) == cells.map { "'\($0)'" }.sorted())
    let attributes = try Tool.run("build", folder.path("points.csv"), "-o", folder.path("a"), "--attributes", "v")
    #expect(attributes.code == 0)
    let kept = try values("v", [folder.path("a")])
    #expect(Set(kept.map { $0.hasPrefix("'") }).count == 1, "\(kept)")
  }

  @Test func typesOfJSONAreKept() throws {
    let folder = try TemporaryFolder()
    let features = [#""02134""#, #""10001""#].enumerated().map { number, value in
      #"{"type":"Feature","properties":{"s":\#(value),"n":1234567890123456,"m":\#(number == 0 ? "7" : "\"x\"")},"#
        + #""geometry":{"type":"Point","coordinates":[\#(number),1]}}"#
    }
    let points = try folder.write(features.joined(separator: "\n"), to: "points.geojsonl")
    #expect(try Tool.run("build", points, "-o", folder.path("index"), "--columns", "all").code == 0)
    for input in [points, folder.path("index")] {
      #expect(try values("s", [input, "--filter", "s = '10001'"]) == ["'10001'"])
      #expect(try values("n", [input]) == ["1234567890123456", "1234567890123456"])
    }
    #expect(try values("m", [folder.path("index")]) == ["'7'", "'x'"])
  }

  /// Numbers that are declared may be written as coordinates may.
  @Test func declaredNumbers() throws {
    let folder = try TemporaryFolder()
    let points = try folder.write("lon,lat,v\n1,1,.5\n2,2,7.\n3,3,+5\n4,4,007\n", to: "points.csv")
    let built = try Tool.run("build", points, "-o", folder.path("index"), "--columns", "v:number")
    #expect(built.code == 0, "\(built.errors)")
    #expect(try values("v", [folder.path("index")]) == ["0.5", "5", "7", "7"])
  }

  @Test func everyCodeIsFound() throws {
    let folder = try TemporaryFolder()
    let codes = (0..<1_500).map { number in
      let digits = String(number * 65 + 501)
      return String(repeating: "0", count: 5 - digits.count) + digits
    }
    let rows = codes.enumerated().map { "\(Double($0) / 10 - 70),\($0 % 80),\($1)\n" }.joined()
    let points = try folder.write("lon,lat,zip\n" + rows, to: "points.csv")
    for columns in ["all", "zip:text"] {
      #expect(try Tool.run("build", points, "-o", folder.path("index"), "--columns", columns).code == 0)
      let tree = try ClusterTree(index: folder.path("index"))
      for (row, code) in codes.enumerated() {
        let filtered = try tree.selecting(Filter("zip = '\(code)'"))
        let found = (0..<tree.pointCount).filter(filtered.passes).map { tree.row(atTreeIndex: $0) }
        #expect(found == [row], "\(code)")
      }
    }
  }
}

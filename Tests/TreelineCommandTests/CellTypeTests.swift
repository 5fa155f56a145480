import Foundation
import TestSupport
import Testing
import Treeline

/// Checks that a column has only one type. If one of its cells, such as `00501`, is a text and not a number, all its
/// cells are texts.
@Suite struct CellTypeTests {
  private static let zips =
    "lon,lat,zip\n-71.6,42.1,01569\n-122.4,37.7,94107\n-74.0,40.7,10001\n-73.0,40.8,00501\n-97.7,30.2,73301\n"

  /// Returns the values of a property in an answer, sorted.
  private func values(_ name: String, _ arguments: [String]) throws -> [String] {
    let result = try Tool.run(["query"] + arguments + ["--limit", "100", "--quiet"])
    #expect(result.code == 0, "\(result.errors)")
    let features = try #require(
      (try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])?["features"]
        as? [[String: Any]])
    return features.map { feature in
      switch (feature["properties"] as? [String: Any])?[name] {
      case let text as String: "'\(text)'"
      case is NSNull: "<null>"
      case let value?: "\(value)"
      case nil: "none"
      }
    }.sorted()
  }

  /// Returns the paths of the points and of four indexes of them. The kind of the column is declared or detected, and
  /// the index is built in memory or in pieces.
  private func inputs(_ text: String, declared: String, _ folder: TemporaryFolder) throws -> [String] {
    let points = try folder.write(text, to: "points.csv")
    let options = [declared, "all"].flatMap { [["--columns", $0], ["--columns", $0, "--memory", "1B"]] }
    let indexes = try options.enumerated().map { number, options in
      let index = folder.path("\(number).treeline")
      let built = try Tool.run(["build", points, "-o", index] + options)
      #expect(built.code == 0, "\(built.errors)")
      return index
    }
    let bytes = try indexes.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    #expect(bytes[0] == bytes[1] && bytes[2] == bytes[3])
    for index in [indexes[0], indexes[2]] { #expect(try Tool.run("verify", index).code == 0) }
    return [points, indexes[0], indexes[2]]
  }

  @Test(arguments: [
    ("lon,lat,v\n1,2, .5\n3,4,\"1,234.5 \"\n5,6, +5\n7,8, NaN\n", [], ["0.5", "1234.5", "5", "<null>"]),
    ("lon;lat;v\n1; 2; 2,35\n3; 4;1,5 \n", ["--decimal", "comma"], ["1.5", "2.35"]),
  ]) func spacesAroundNumbersDoNotCount(text: String, options: [String], expected: [String]) throws {
    let folder = try TemporaryFolder()
    let points = try folder.write(text, to: "points.csv")
    #expect(try values("v", [points] + options) == expected)
    for declared in ["v", "v:number"] {
      let index = folder.path("\(declared).treeline")
      let built = try Tool.run(["build", points, "-o", index, "--columns", declared] + options)
      #expect(built.code == 0, "\(built.errors)")
      #expect(try values("v", [index]) == expected)
      #expect(try Tool.run(["query", index, "--filter", "v < 2", "--quiet"]).code == 0)
    }
  }

  @Test func aColumnWithOnlyNaNHasNoValues() throws {
    let folder = try TemporaryFolder()
    for input in try inputs("lon,lat,v\n1,2,NaN\n3,4,nan\n", declared: "v:number", folder) {
      #expect(try values("v", [input, "--filter", "v IS NULL"]) == ["<null>", "<null>"])
    }
  }

  @Test func missingValuesAreNotCounted() throws {
    let folder = try TemporaryFolder()
    let points = try folder.write("lon,lat,t,u,v\n1,2,,x,\n3,4,y,,\n", to: "points.csv")
    let columns = "t:text,u:category,v:text"
    let built = try Tool.run("build", points, "-o", folder.path("index"), "--columns", columns)
    #expect(built.errors.contains("t text (1 value), u category (1 value), v text (0 values)"), "\(built.errors)")
    let inspected = try Tool.run("inspect", folder.path("index"), "--json")
    let report = try JSONSerialization.jsonObject(with: Data(inspected.output.utf8)) as? [String: Any]
    let found = try #require(report?["columns"] as? [[String: Any]])
    #expect(found.map { $0["entries"] as? Int } == [1, 1, 0])
  }

  @Test func codesAreTexts() throws {
    let folder = try TemporaryFolder()
    for input in try inputs(Self.zips, declared: "zip:text", folder) {
      for (filter, expected) in [
        ("zip = '94107'", ["94107"]), ("zip <> '94107'", ["00501", "01569", "10001", "73301"]),
        ("zip LIKE '0%'", ["00501", "01569"]), ("zip BETWEEN '00501' AND '10001'", ["00501", "01569", "10001"]),
        ("zip IN ('00501', '73301', '501')", ["00501", "73301"]), ("zip < '1'", ["00501", "01569"]),
      ] {
        #expect(try values("zip", [input, "--filter", filter]) == expected.map { "'\($0)'" }, "\(input) \(filter)")
      }
      #expect(try values("min_zip", [input, "--aggregate", "min(zip),max(zip)"]).contains("'00501'"))
      // A zip code is not a number. A filter with a number must be an error instead of matching nothing.
      let number = try Tool.run("query", input, "--filter", "zip = 94107")
      #expect(number.code == 64 && number.errors.contains("expected a text in single quotes"), "\(number.errors)")
    }
  }

  /// Cells of a column, and the values that a query returns for them.
  private static let cells: [([String], [String])] = [
    (["0E0", "0E8", "1E8", "05U"], ["'0E0'", "'0E8'", "'1E8'", "'05U'"]),
    (["007", "8"], ["'007'", "'8'"]), (["0E0", "1"], ["'0E0'", "'1'"]),
    (["123456789012345678", "5"], ["'123456789012345678'", "'5'"]),
    (["123456789012345", "0"], ["123456789012345", "0"]), (["0.5", "0"], ["0.5", "0"]),
    (["-0.5", "7"], ["-0.5", "7"]),
    ([".5", "7.5"], ["0.5", "7.5"]), (["1.5", "25"], ["1.5", "25"]), (["-007", "1"], ["'-007'", "'1'"]),
    (["+49301234", "5"], ["'+49301234'", "'5'"]), (["x", "12"], ["'x'", "'12'"]),
    (["+5", "-3"], ["5", "-3"]), (["+5", "5.", ".5"], ["5", "5", "0.5"]), (["+0.5", "+1234567"], ["0.5", "1234567"]),
    (["+123456", "7"], ["123456", "7"]),
  ]

  @Test func aColumnHasOneType() throws {
    let folder = try TemporaryFolder()
    let names = Self.cells.indices.map { "v\($0)" }
    let rows = (0..<4).map { row in
      "\(10 * row),\(row)," + Self.cells.map { row < $0.0.count ? $0.0[row] : "" }.joined(separator: ",") + "\n"
    }
    let text = "lon,lat,\(names.joined(separator: ","))\n" + rows.joined()
    let inputs = try inputs(text, declared: names.map { "\($0):text" }.joined(separator: ","), folder)
    for (name, (cells, found)) in zip(names, Self.cells) {
      let missing = [String](repeating: "<null>", count: 4 - cells.count)
      #expect(try values(name, [inputs[0]]) == (found + missing).sorted())
      #expect(try values(name, [inputs[2]]) == (found + missing).sorted())
      #expect(try values(name, [inputs[1]]) == (cells.map { "'\($0)'" } + missing).sorted())
    }
    let index = folder.path("attributes")
    #expect(try Tool.run("build", inputs[0], "-o", index, "--attributes", names.joined(separator: ",")).code == 0)
    for name in names {
      let kept = try values(name, [index]).filter { $0 != "<null>" }
      #expect(Set(kept.map { $0.hasPrefix("'") }).count == 1, "\(kept)")
    }
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

  /// Checks that numbers in a column of declared kind may be spelled in all ways in which coordinates may be spelled.
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
      let tree = try ClusterTree(contentsOfFile: folder.path("index"))
      for (row, code) in codes.enumerated() {
        let filtered = try tree.filtered(by: Filter("zip = '\(code)'"))
        let found = (0..<tree.pointCount).filter(filtered.passes).map { tree.row(atTreeIndex: $0) }
        #expect(found == [row], "\(code)")
      }
    }
  }
}

import Foundation
import TestSupport
import Testing

/// If two columns have the same name, an option with this name must be refused.
@Suite struct ColumnNameTests {
  @Test(
    arguments: [
      ("total,total", "total"), ("caf\u{E9},cafe\u{301}", "caf\u{E9}"), ("v, v", "v"), ("column 4,", "column 4"),
      ("v,\u{A0}v", "v"),
    ],
    [
      ["--columns", "NAME"], ["--columns", "NAME:text"], ["--columns", "all"], ["--attributes", "NAME"],
      ["--row", "NAME"], ["--group-by", "NAME"], ["--never-cluster", "NAME"],
    ]) func buildRefusesIt(_ names: (header: String, name: String), _ options: [String]) throws
  {
    let folder = try TemporaryFolder()
    // Each row ends with an empty cell. Otherwise a trailing delimiter of the header would not start a column.
    let points = try folder.write("lon,lat,\(names.header),z\n1,2,5,6,\n3,4,7,8,\n", to: "points.csv")
    for memory in [[], ["--memory", "1B"]] {
      let words = options.map { $0.replacingOccurrences(of: "NAME", with: names.name) }
      let result = try Tool.run(["build", points, "-o", folder.path("index")] + words + memory)
      #expect(result.code == 64, "\(words) \(memory): \(result.errors)")
      #expect(
        result.errors.contains("there are 2 columns \(names.name.debugDescription) for --"), "\(result.errors)")
      #expect(try folder.contents() == ["points.csv"])
    }
  }

  @Test(arguments: ["total,total", "caf\u{E9},cafe\u{301}"]) func queryRefusesIt(_ header: String) throws {
    let folder = try TemporaryFolder()
    let names = (header: header, name: String(header.prefix { $0 != "," }))
    let points = try folder.write("lon,lat,\(header)\n1,2,5,6\n", to: "points.csv")
    let filtered = try Tool.run("query", points, "--filter", "\"\(names.name)\" > 5")
    #expect(filtered.code == 64 && filtered.errors.contains("for --filter; rename"), "\(filtered.errors)")
    let summed = try Tool.run("query", points, "--aggregate", "sum(\"\(names.name)\")")
    #expect(summed.code == 64 && summed.errors.contains("for --aggregate; rename"), "\(summed.errors)")
  }

  @Test func coordinatesMayHaveTheName() throws {
    let folder = try TemporaryFolder()
    let points = try folder.write("lon,lat,a\n1,2,5\n", to: "points.csv")
    let result = try Tool.run("build", points, "-o", folder.path("index"), "--columns", "all", "--row", "a")
    #expect(result.code == 0, "\(result.errors)")
  }

  /// Checks that no two features have the same id. Clusters and points are numbered together, and ids of the input
  /// become properties.
  @Test func idsAreDistinct() throws {
    let folder = try TemporaryFolder()
    let features = (0..<12).map { number in
      #"{"type":"Feature","id":\#(number % 5),"geometry":{"type":"Point","coordinates":[\#(number * 7),\#(number * 3)]},"#
        + #""properties":{"n":\#(number)\#(number == 3 ? ",\"id\":\"own\"" : "")}}"#
    }
    let points = try folder.write(features.joined(separator: "\n"), to: "points.geojsonl")
    for limit in ["1", "4", "12"] {
      let result = try Tool.run("query", points, "--limit", limit, "--quiet")
      let answer = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
      let found = try #require(answer?["features"] as? [[String: Any]])
      let ids = found.compactMap { $0["id"] as? Int }
      #expect(ids.count == Int(limit) && Set(ids).count == ids.count, "\(ids)")
      for feature in found {
        let properties = try #require(feature["properties"] as? [String: Any])
        #expect(properties["cluster_id"] as? Int == feature["id"] as? Int)
        guard let number = properties["n"] as? Int else { continue }
        #expect(properties[number == 3 ? "id_" : "id"] as? Int == number % 5)
        if number == 3 { #expect(properties["id"] as? String == "own") }
      }
    }
  }
}

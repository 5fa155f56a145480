import Foundation
import TestSupport
import Testing

/// Checks the line in which `build` and `query` say what they have read and what looks odd in it.
@Suite struct InputSummaryTests {
  private func said(_ text: String, _ options: [String] = [], name: String = "points.csv") throws -> [String] {
    let folder = try TemporaryFolder()
    let points = try folder.write(text, to: name)
    let queried = try Tool.run(["query", points] + options)
    let built = try Tool.run(["build", points, "-o", folder.path("index")] + options)
    let inPieces = try Tool.run(["build", points, "-o", folder.path("other"), "--memory", "1B"] + options)
    #expect(
      queried.code == 0 && built.code == 0 && inPieces.code == 0, "\(queried.errors)\(built.errors)\(inPieces.errors)")
    #expect(queried.errors == built.errors)
    #expect(inPieces.errors.contains(built.errors), "\(inPieces.errors)")
    for command in [["query", points], ["build", points, "-o", folder.path("index")]] {
      #expect(try Tool.run(command + options + ["--quiet"]).errors.isEmpty)
    }
    return queried.errors.replacingOccurrences(of: points, with: name).split(separator: "\n").map(String.init)
  }

  @Test func rowsExtentAndColumns() throws {
    #expect(
      try said("name,lon,lat\na,-122.4194155,37.7\nb,2.35,48.85\n") == [
        "treelinemap: points.csv: 2 rows; longitude -122.41942 to 2.35 from column \"lon\", "
          + "latitude 37.7 to 48.85 from column \"lat\""
      ])
    #expect(
      try said("geom\nPOINT (1 2)\n") == [
        "treelinemap: points.csv: 1 row; longitude 1 to 1, latitude 2 to 2 from column \"geom\""
      ])
    #expect(try said("lon,lat\n") == ["treelinemap: points.csv: 0 rows"])
    let feature = #"{"type":"Feature","geometry":{"type":"Point","coordinates":[3,4]},"properties":null}"#
    #expect(
      try said(feature, name: "p.geojsonl") == ["treelinemap: p.geojsonl: 1 row; longitude 3 to 3, latitude 4 to 4"])
  }

  @Test(arguments: [
    (
      "X,Y\n2.35,48.85\n-122.4,37.7\n", [],
      "x and y may be degrees (give --longitude \"X\" --latitude \"Y\" if they are)"
    ),
    (
      "lat,lon\n48.85,2.35\n40,10\n", ["--longitude", "lat", "--latitude", "lon"],
      "longitude and latitude may be swapped"
    ),
    ("a,b\n40.7,-74\n42.3,-71\n", ["--longitude", "a", "--latitude", "b"], "longitude and latitude may be swapped"),
    ("lon,lat\n0,0\n1,2\n0.0,-0\n", [], "2 points lie at 0, 0"),
    ("lon,lat\n5,6\n5,6\n", [], "all points lie at one spot"),
  ]) func whatLooksOdd(_ text: String, _ options: [String], _ odd: String) throws {
    let lines = try said(text, options)
    #expect(lines.count == 1 && lines[0].hasSuffix("; looks odd: " + odd), "\(lines)")
  }

  @Test(arguments: [
    ("x,y\n2.35,480.85\n-122.4,37.7\n", []), ("a,b\n2.35,48.85\n9,9\n", ["--x", "a", "--y", "b"]),
    ("lon,lat\n18,59\n24,69.9\n", []), ("lon,lat\n-170,-80\n170,80\n", []), ("lon,lat\n5,6\n", []),
  ]) func whatDoesNot(_ text: String, _ options: [String]) throws {
    #expect(try !said(text, options).joined().contains("odd"))
  }

  @Test func timesOfNumbers() throws {
    let folder = try TemporaryFolder()
    func errors(_ cells: [String], _ columns: String, _ memory: [String] = []) throws -> String {
      let rows = cells.map { "1,1,\($0)\n" }.joined()
      let points = try folder.write("lon,lat,d\n" + rows + "2,2,\n", to: "points.csv")
      return try Tool.run(["build", points, "-o", folder.path("index"), "--columns", columns] + memory).errors
    }
    let odd =
      "; looks odd: column \"d\" has times before 1971 or after 2100 (the kind 'time' reads numbers as seconds, "
    for memory in [[], ["--memory", "1B"]] {
      for cell in ["20240501", "2024", "1714521600000", "0", "-1"] {
        #expect(try errors([cell, "1714521600"], "d:time", memory).contains("; columns: d time" + odd), "\(cell)")
      }
      #expect(try errors(["1714521600"], "d:time-ms", memory).contains(odd))
      #expect(try !errors(["1714521600", "31536000"], "d:time", memory).contains("odd"))
      #expect(try !errors(["1714521600000"], "d:time-ms", memory).contains("odd"))
      #expect(try !errors(["1850-01-01", "2500-01-01"], "d:time", memory).contains("odd"))
    }
  }
}

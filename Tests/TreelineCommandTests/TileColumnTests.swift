import Foundation
import TestSupport
import Testing

/// Checks the tiles that the tool makes directly of points.
@Suite struct TileColumnTests {
  /// Points and an index with all columns must give the same tiles.
  @Test(arguments: [[], ["--filter", "n > 1"], ["--aggregate", "sum(n)"]]) func pointsKeepTheirColumns(
    options: [String]
  ) throws {
    let folder = try TemporaryFolder()
    let text = "lon,lat,n,name\n1,2,5,Oslo\n30,4,1,Rome\n-50,60,2.5,\n"
    let (file, index) = (try folder.write(text, to: "points.csv"), folder.path("points.treeline"))
    try #require(try Tool.run("build", file, "-o", index, "--columns", "all").code == 0)
    func tiles(_ input: String, _ name: String) throws -> Data {
      let path = folder.path(name)
      let result = try Tool.run(["tiles", input, "-o", path, "--zooms", "0-3", "--quiet"] + options)
      #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
      return try Data(contentsOf: URL(fileURLWithPath: path))
    }
    #expect(try tiles(file, "a.pmtiles") == tiles(index, "b.pmtiles"))
  }

  @Test func columnsWithOneNameAreLeftOut() throws {
    let folder = try TemporaryFolder()
    func tiles(_ lines: String, _ name: String) throws -> (bytes: Data, errors: String) {
      let (file, path) = (try folder.write(lines, to: "points.csv"), folder.path(name))
      let result = try Tool.run("tiles", file, "-o", path, "--zooms", "0-1")
      return (try Data(contentsOf: URL(fileURLWithPath: path)), result.errors)
    }
    let (found, expected) = (
      try tiles("lon,lat,n,m,n\n1,2,5,7,6\n", "a.pmtiles"), try tiles("lon,lat,m\n1,2,7\n", "b.pmtiles")
    )
    #expect(found.bytes == expected.bytes)
    #expect(
      found.errors.contains("left out 2 columns with the name \"n\"; give each column its own name"), "\(found.errors)")
  }
}

import Foundation
import TestSupport
import Testing
import Treeline

/// Checks that `build --columns` uses the declared kinds of columns, and detects the kinds of all other columns.
@Suite struct ColumnOptionTests {
  static let csv = """
    longitude,latitude,price,rooms,kind,open,since,note,nothing,mixed
    1,2,12.50,3,inn,true,1969-12-31T23:59:60Z,a note,,NaN
    2,3,,4,inn,FALSE,1815-06-18,"another, longer",,1
    3,4,-7,5,,true,,third,,x

    """

  private func kinds(_ columns: String) throws -> [String: Column.Kind] {
    let folder = try TemporaryFolder()
    let points = try folder.write(Self.csv, to: "points.csv")
    let built = try Tool.run("build", points, "-o", folder.path("index"), "--columns", columns)
    #expect(built.code == 0, "\(built.errors)")
    #expect(try Tool.run("verify", folder.path("index")).code == 0)
    return Dictionary(try ClusterTree(contentsOfFile: folder.path("index")).columns.map { ($0.name, $0.kind) }) { $1 }
  }

  @Test func kindsAreFound() throws {
    let found = try kinds("all")
    #expect(
      found == [
        "price": .number, "rooms": .number, "kind": .category, "open": .boolean, "since": .time, "note": .category,
        "nothing": .text, "mixed": .text,
      ])
  }

  @Test func kindsAreThoseThatAreSaid() throws {
    #expect(
      try kinds("price:text,kind:category,since:time,rooms:category") == [
        "price": .text, "kind": .category, "since": .time, "rooms": .category,
      ])
  }

  @Test(arguments: [
    ("mixed:number", "points.csv:4: column \"mixed\": expected a number"),
    ("since:number", "points.csv:2: column \"since\": expected a number"),
    ("nowhere:number", "there is no column"), ("longitude", "has coordinates, which every index keeps"),
    ("price:float", "the kinds are"), ("price,price:number", "each column only once"),
  ]) func whatDoesNotSuitIsRefused(_ columns: String, _ said: String) throws {
    let folder = try TemporaryFolder()
    let points = try folder.write(Self.csv, to: "points.csv")
    let built = try Tool.run("build", points, "-o", folder.path("index"), "--columns", columns)
    #expect([64, 65].contains(built.code) && built.errors.contains(said), "\(built.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("index")))
  }
}

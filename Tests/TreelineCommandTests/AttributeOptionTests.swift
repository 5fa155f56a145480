import Foundation
import TestSupport
import Testing
@_spi(Server) import Treeline

/// Checks how `build --attributes` names columns.
@Suite struct AttributeOptionTests {
  private static let csv = "longitude,latitude,name,category,\"b,c\",d,caf\u{E9},twice,twice\n1,2,n,k,v,w,x,y,z\n"
  private static let geoJSON =
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"name":1,"b,c":2,"category":3}}"#

  private func build(_ text: String, _ values: [String]) throws -> (names: [String], result: Tool.Result) {
    let folder = try TemporaryFolder()
    let points = try folder.write(text, to: "points")
    let index = folder.path("index")
    let result = try Tool.run(["build", points, "-o", index] + values.flatMap { ["--attributes", $0] })
    let names = result.code == 0 ? try ClusterTree(contentsOfFile: index).columns.map(\.name) : []
    #expect(try folder.contents() == (result.code == 0 ? ["index", "points"] : ["points"]))
    return (names, result)
  }

  @Test(arguments: [
    (["name,category"], ["name", "category"]), (["name, category"], ["name", "category"]),
    ([" name ,\tcategory "], ["name", "category"]), (["name", "category"], ["name", "category"]), (["b,c"], ["b,c"]),
    (["name,category", "b,c"], ["name", "category", "b,c"]),
  ]) func columnsAreNamed(values: [String], names: [String]) throws {
    for text in [Self.csv, Self.geoJSON] {
      let built = try build(text, values)
      // Columns come in the order of the input. The order of the CSV differs from the order of the GeoJSON.
      #expect(built.names.sorted() == names.sorted(), "\(built.result.errors)")
    }
  }

  /// Two names match if they are canonically equivalent in Unicode. The index contains the spelling of the input.
  @Test func namesAreComparedAsText() throws {
    let built = try build(Self.csv, ["cafe\u{301}"])
    #expect(built.names.map { Array($0.utf8) } == [Array("caf\u{E9}".utf8)], "\(built.result.errors)")
  }

  @Test(arguments: ["", " ", ",", "name,", ",name", "name,,d", "name, ,d"]) func emptyNamesAreRefused(value: String)
    throws
  {
    let result = try build(Self.csv, [value]).result
    #expect(result.code == 64)
    #expect(result.errors.contains("'--attributes' must name columns, found an empty name"), "\(result.errors)")
  }

  @Test(arguments: [["name,name"], ["name", "name"], ["d", "name,d"]]) func eachColumnIsNamedOnce(values: [String])
    throws
  {
    let result = try build(Self.csv, values).result
    #expect(result.code == 64)
    #expect(result.errors.contains("name each column only once"), "\(result.errors)")
  }

  /// Tests an input with rows and an input that has only a header.
  @Test(arguments: [csv, String(csv.prefix { $0 != "\n" }) + "\n"]) func nameOfNoColumnIsRefused(text: String) throws {
    let result = try build(text, ["name,nmae"]).result
    #expect(result.code == 64)
    #expect(
      result.errors.contains(
        "there is no column \"nmae\" for --attributes; "
          + "the columns are \"name\", \"category\", \"b,c\", \"d\", \"caf\u{E9}\", \"twice\", \"twice\"; did you mean \"name\"?"
      ), "\(result.errors)")
  }

  @Test func nameOfTwoColumnsIsRefused() throws {
    let result = try build(Self.csv, ["twice"]).result
    #expect(result.code == 64)
    #expect(result.errors.contains("there are 2 columns \"twice\" for --attributes"))
  }

  @Test func nameThatNoFeatureHasIsRefused() throws {
    let result = try build(Self.geoJSON, ["nmae"]).result
    #expect(result.code == 64 && result.errors.contains("there is no column"), "\(result.errors)")
    // If the input has no features, any name is accepted.
    let none = try build(#"{"type":"FeatureCollection","features":[]}"#, ["name, category"])
    #expect(none.names == ["name", "category"], "\(none.result.errors)")
  }
}

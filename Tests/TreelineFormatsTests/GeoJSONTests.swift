import Testing
import Treeline

@testable import TreelineFormats

@Suite struct GeoJSONTests {
  private let a = #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1.5,-2]},"properties":{"n":"a"}}"#
  private let b =
    #"{"properties":null,"id":7,"bbox":[1,[{}]],"geometry":{"coordinates":[ 3 , 4 , 9 ], "x":{},"type":"Point"},"type":"Feature"}"#
  private let two = [Coordinate(longitude: 1.5, latitude: -2), Coordinate(longitude: 3, latitude: 4)]

  @Test func collections() throws {
    for text in [
      #"{"type":"FeatureCollection","features":["# + a + "," + b + "]}",
      #"{"features":["# + a + "\n,\n" + b + #"],"type":"FeatureCollection"}"# + "\n\n",
      #" { "name" : {"features":[[]]}, "type" : "FeatureCollection" , "crs":[1,2e5,true,false,null,-0.1], "features" : [ "#
        + a + " , " + b + " ] , \"z\" : 1 } ",
      #"{"t\u0079pe":"Feature\u0043ollection","\u0066eatures":["# + a + "," + b + "]}",
      "\u{FEFF}\u{1E}" + #"{"type":"FeatureCollection","features":["# + a + "," + b + "]}\n",
    ] {
      let table = try read(text)
      #expect(table.coordinates == two)
      #expect(table.rowCount == 2)
      #expect(!table.isPlanar)
    }
    #expect(try read(#"{"type":"FeatureCollection","features":[ ]}"#).coordinates.isEmpty)
  }

  @Test func sequences() throws {
    for text in [
      a + "\n" + b, a + "\r\n\r\n" + b + "\r\n", "\n" + a + "\r" + b + "\n", "\u{1E}" + a + "\n\u{1E}" + b + "\n",
      "\u{1E}" + a + "\u{1E}\u{1E}" + b,
    ] { #expect(try read(text).coordinates == two) }
    #expect(try read(a).coordinates == [two[0]])
  }

  @Test func planeByOption() throws {
    let text = #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1000,2e5]},"properties":{}}"#
    let table = try read(text, ReadingOptions(isPlanar: true))
    #expect(table.isPlanar)
    #expect(table.coordinates == [Coordinate(x: 1000, y: 200_000)])
  }

  @Test(arguments: [
    (ColumnChoice.plane(x: "x", y: "y"), "--x and --y"),
    (.sphere(longitude: "1", latitude: "2"), "--longitude and --latitude"),
  ]) func columnsCannotBeChosen(choice: ColumnChoice, options: String) {
    #expect(
      message(a, ReadingOptions(columns: choice))
        == "points: \(options) name columns of CSV, but this input is GeoJSON; leave out both options")
  }

  @Test(arguments: [
    (#""a\"b\u00e9""#, AttributeValue.string("a\"b\u{E9}")), ("17", .number("17")), ("-1.50e3", .number("-1.50e3")),
    ("null", nil), ("true", nil), (#"{"a":1}"#, nil), ("[1]", nil),
  ]) func identifiers(literal: String, id: AttributeValue?) throws {
    for properties in [#"{"n":"{a}","id":"other"}"#, "null"] {
      for text in [
        #"{"type":"Feature","id":\#(literal),"geometry":{"type":"Point","coordinates":[0,0],"id":5},"properties":\#(properties)}"#,
        #"{"properties":\#(properties),"geometry":{"coordinates":[0,0],"type":"Point"},"type":"Feature","id": \#(literal) }"#,
      ] {
        let table = try read(text + "\n" + a, ReadingOptions(keepsColumns: true))
        #expect(table.featureID(ofPoint: 0) == id)
        #expect(table.kept(0) == (properties == "null" ? [] : ["n=string {a}", "id=string other"]))
        #expect(table.featureID(ofPoint: 1) == nil)
        #expect(table.kept(1) == ["n=string a"])
        #expect(try read(text).featureID(ofPoint: 0) == nil)
      }
    }
  }

  @Test func columnNames() throws {
    let table = try read(a + "\n" + b, ReadingOptions(keepsColumns: true))
    #expect(table.columnNames == nil)
    #expect(table.hasColumn(named: "n") && !table.hasColumn(named: "id"))
    #expect(try !read(a).hasColumn(named: "n"))
  }

  @Test func properties() throws {
    let text =
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[0,0]},"properties": {"s\n":"a\"\\\/\b\f\n\r\t\u00e9","#
      + #""pair":"\ud83d\ude00","lone":"\ud83dx\ude00","number": -1.50e+3 ,"t":true,"f":false,"z":null,"#
      + #""array":[1, {"a":"]"}],"object":{}}}"# + "\n" + b
    let table = try read(text, ReadingOptions(keepsColumns: true))
    #expect(
      table.kept(0) == [
        "s\n=string a\"\\/\u{8}\u{C}\n\r\té", "pair=string 😀", "lone=string \u{FFFD}x\u{FFFD}",
        "number=number -1.50e+3", "t=bool true", "f=bool false", "z=null", #"array=json [1, {"a":"]"}]"#,
        "object=json {}",
      ])
    #expect(table.kept(1).isEmpty)
    #expect(try read(text).kept(0).isEmpty)
  }

  @Test func recordsBeyondABlock() throws {
    let long = String(repeating: "x", count: 3 << 20)
    let text = (0..<5).map {
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#($0),0]},"properties":{"a":"\#($0)\#(long)"}}"#
    }.joined(separator: "\n")
    let table = try read(text, ReadingOptions(keepsColumns: true))
    #expect(table.coordinates.indices.allSatisfy { table.kept($0) == ["a=string \($0)\(long)"] })
  }
}

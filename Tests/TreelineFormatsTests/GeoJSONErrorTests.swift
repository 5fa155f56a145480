import Testing

@testable import TreelineFormats

@Suite struct GeoJSONErrorTests {
  private static let good = #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}"#
  private static let remedy = "; --skip-invalid skips and lists such rows"

  private static func feature(_ geometry: String, _ properties: String = "{}") -> String {
    #"{"type":"Feature","geometry":\#(geometry),"properties":\#(properties)}"#
  }

  /// If an object has two members with the same name, it is unclear which of them is meant. Some readers ignore the
  /// first member, and others ignore the second.
  @Test(arguments: [
    (#""a":1,"a":2"#, #""a""#), (#""a":null,"b":3,"a":5"#, #""a""#), (#""a":1,"\u0061":2"#, #""a""#),
    (#""\u00e9":1,"e\u0301":2"#, #""é""#), (#""é":1,"\u00e9":2"#, #""é""#),
    ((0..<40).map { #""\#($0)":1"# }.joined(separator: ",") + #","7":2"#, #""7""#),
  ]) func propertiesOfOneNameAreRefused(_ properties: String, _ name: String) throws {
    let feature = #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{\#(properties)}}"#
    let said = message(feature)
    #expect(said.contains("properties: expected names that differ, found \(name) twice; rename one of them"), "\(said)")
    let table = try read(Self.good + "\n" + feature, ReadingOptions(skipsInvalid: true))
    #expect(table.rowCount == 2 && table.invalidRowCount == 1)
  }

  @Test func propertiesOfDifferentNamesAreRead() throws {
    for count in [1, 15, 16, 17, 300] {
      let properties = (0..<count).map { #""\#($0)":1,"é\#($0)":null,"x\#($0)":0"# }.joined(separator: ",")
      let text = #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{\#(properties)}}"#
      #expect(try read(text).rowCount == 1, "\(properties)")
    }
  }

  @Test(arguments: [
    #"{"type":"Feature","type":"Feature","geometry":{"type":"Point","coordinates":[1,2]}}"#,
    #"{"type":"Feature","geometry":null,"geometry":{"type":"Point","coordinates":[1,2]}}"#,
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2],"coordinates":[3,4]}}"#,
    #"{"type":"Feature","properties":null,"geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}"#,
    #"{"type":"Feature","id":1,"geometry":{"type":"Point","coordinates":[1,2]},"id":2}"#,
  ]) func membersThatRepeatAreRefused(_ feature: String) {
    let said = message(feature)
    #expect(said.contains("expected each member once, found \"") && said.contains("\" twice"), "\(said)")
  }

  @Test(arguments: [
    (feature("null"), ", geometry: expected a Point, found null"),
    (feature(#"{"type":"LineString","coordinates":[[0,1]]}"#), ", geometry: expected a Point, found \"LineString\""),
    (feature(#"{"coordinates":[0,1]}"#), ", geometry: expected a Point, found an object without a type"),
    (feature(#"{"type":5,"coordinates":[0,1]}"#), ", geometry: expected a Point, found the type 5"),
    (feature("[0,1]"), ", geometry: expected a Point, found [0,1]"),
    (#"{"type":"Feature"}"#, ", geometry: expected a Point, found no geometry"),
    (feature(#"{"type":"Point"}"#), ", geometry: expected a Point with coordinates, found none"),
    (
      feature(#"{"type":"Point","coordinates":[]}"#),
      ", coordinates: expected an array of two or more numbers, found []"
    ),
    (
      feature(#"{"type":"Point","coordinates":["1","2"]}"#),
      #", coordinates: expected an array of two or more numbers, found ["1","2"]"#
    ),
    (
      feature(#"{"type":"Point","coordinates":[1]}"#),
      ", coordinates: expected an array of two or more numbers, found [1]"
    ),
    (
      feature(#"{"type":"Point","coordinates":[181,2]}"#),
      ", coordinates: expected a longitude from -180 to 180, found [181,2]"
    ),
    (
      feature(#"{"type":"Point","coordinates":[1,1e999]}"#),
      ", coordinates: expected a latitude from -90 to 90, found [1,1e999]"
    ),
    (feature(#"{"type":"Point","coordinates":[1,2]}"#, "[1]"), ", properties: expected an object or null, found [1]"),
    (#"{"type":"Point","coordinates":[1,2]}"#, ": expected a Feature, found \"Point\""),
    ("{}", ": expected a Feature, found an object without a type"), ("[1,\t2]", ": expected a Feature, found [1,\\t2]"),
    ("null", ": expected a Feature, found null"),
  ]) func invalidFeatures(_ feature: String, _ expected: String) throws {
    for text in [
      [Self.good, feature, Self.good].joined(separator: "\n"),
      #"{"type":"FeatureCollection","features":["# + [Self.good, feature, Self.good].joined(separator: "\n,") + "]}",
    ] {
      #expect(message(text) == "points:2: feature 2" + expected + Self.remedy)
      let table = try read(text, ReadingOptions(skipsInvalid: true))
      #expect(table.coordinates.count == 2)
      #expect(table.invalidRows.map(\.description) == ["2: feature 2" + expected])
      #expect(table.row(ofPoint: 1) == 2)
    }
  }

  @Test func swappedCoordinatesAreNoticed() {
    let said = message(Self.feature(#"{"type":"Point","coordinates":[48,120]}"#))
    #expect(
      said.contains("found [48,120]; are the coordinates swapped? The longitude must come first" + Self.remedy),
      "\(said)")
  }

  @Test(arguments: [
    ("[1]", "1: expected a GeoJSON FeatureCollection, or one Feature per line, found an array (byte 0)"),
    ("\u{1E}5", "1: expected a GeoJSON FeatureCollection, or one Feature per line, found another value (byte 1)"),
    ("{}", "1: expected a GeoJSON FeatureCollection, or one Feature per line, found an empty object (byte 0)"),
    (
      #"{"type":"Topology"}"#,
      "1: expected a GeoJSON FeatureCollection, or one Feature per line, found the type \"Topology\" (byte 0)"
    ),
    (
      #"{"a":1}"#,
      "1: expected a GeoJSON FeatureCollection, or one Feature per line, found an object without a type (byte 0)"
    ),
    (
      #"{"features":[]}"#,
      "1: expected an object with \"type\": \"FeatureCollection\" and an array \"features\", "
        + "found the type missing (byte 15)"
    ),
    (
      #"{"type":"FeatureCollection"}"#,
      "1: expected an object with \"type\": \"FeatureCollection\" and an array \"features\", found no features (byte 28)"
    ), (#"{"features":null}"#, "1: expected an array of Features, found \"n\" (byte 12)"),
    (#"{"features":[],"features":[]}"#, "1: expected one member \"features\", found \"[\" (byte 26)"),
    (
      "{\"type\":\"FeatureCollection\",\"features\":[]}\n{",
      "2: expected nothing after the FeatureCollection, found \"{\" (byte 43)"
    ), ("{\n\r\n\"type\"", "3: expected \":\" after a name, found the end of the input (byte 10)"),
    (
      "{\"a\":\"b\nc\"}",
      "1: expected a closing quote or an escaped control character, found \"\\n\" (byte 7)"
    ), (#"{"a":"\x"}"#, #"1: expected an escape: one of \" \\ \/ \b \f \n \r \t \u, found "x" (byte 7)"#),
    (#"{"a":"\u12g4"}"#, "1: expected four hexadecimal digits, found \"g\" (byte 10)"),
    (#"{"a":01}"#, "1: expected \",\" or \"}\", found \"1\" (byte 6)"),
    (#"{"a":1.}"#, "1: expected a digit, found \"}\" (byte 7)"),
    (#"{"a":é}"#, "1: expected a value, found a byte 0xC3 (byte 5)"),
    (#"{"a":NaN}"#, "1: expected a value, found \"N\" (byte 5)"),
    (#"{"a":trux}"#, "1: expected true, false or null, found \"x\" (byte 8)"),
    (#"{"a":[1,]}"#, "1: expected a value, found \"]\" (byte 8)"),
    (#"{"a":1,}"#, "1: expected a name in quotes, found \"}\" (byte 7)"),
    (good + "\n" + good + good, "2: expected a new line between two Features, found \"{\" (byte 165)"),
  ]) func brokenInputAlwaysStops(_ text: String, _ expected: String) {
    #expect(message(text, ReadingOptions(skipsInvalid: true)) == "points:" + expected)
  }

  @Test func longFeatures() {
    let long = #"{"type":"Feature","properties":{"a":""# + String(repeating: "x", count: 300) + #""}}"#
    #expect(throws: ReadingError.recordTooLong(file: "points", line: 2, limit: 256)) {
      try read(Self.good + "\n" + long, limits: ReadingLimits(chunk: 64, record: 256))
    }
    // White space between records does not belong to any record, so it may have any length.
    #expect(throws: Never.self) {
      try read(
        Self.good + String(repeating: "\n", count: 3000) + Self.good, limits: ReadingLimits(chunk: 64, record: 256))
    }
  }

  @Test func nesting() throws {
    func nested(_ levels: Int) -> String {
      let value = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
      return #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"a":\#(value)}}"#
    }
    #expect(try read(nested(126)).coordinates.count == 1)
    #expect(
      message(nested(127))
        == "points:1: expected JSON nested at most 128 levels deep, found deeper nesting; flatten the data")
    #expect(message(#"{"a":"# + String(repeating: "[{\"b\":", count: 1_000_000)).contains("at most 128 levels"))
  }
}

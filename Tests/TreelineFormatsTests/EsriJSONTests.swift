import Testing
import Treeline

@testable import TreelineFormats

/// Checks answers of ArcGIS servers in Esri's own JSON format.
@Suite struct EsriJSONTests {
  private static let degrees = #""spatialReference":{"wkid":4326,"latestWkid":4326}"#

  private static func answer(_ features: String, _ system: String = degrees, type: String = "esriGeometryPoint")
    -> String
  {
    #"{"objectIdFieldName":"OBJECTID","geometryType":"\#(type)",\#(system),"fields":[{"name":"n","type":"esriFieldTypeInteger"}],"#
      + "\n" + #""features":[\#(features)]}"#
  }

  private static func feature(_ geometry: String, _ attributes: String = #"{"n":1,"s":"é","t":null}"#) -> String {
    #"{"attributes":\#(attributes),"geometry":\#(geometry)}"#
  }

  @Test func pointsAndAttributes() throws {
    let text = Self.answer(
      Self.feature(#"{"x":2.35,"y":48.85}"#) + ",\n" + Self.feature(#"{"y":-1,"x":5e-1,"z":7,"m":null}"#, "null"))
    let table = try read(text, ReadingOptions(keepsColumns: true))
    #expect(
      table.coordinates == [Coordinate(longitude: 2.35, latitude: 48.85), Coordinate(longitude: 0.5, latitude: -1)])
    #expect(table.kept(0) == ["n=number 1", "s=string é", "t=null"])
    #expect(table.kept(1).isEmpty)
    #expect(!table.isPlanar && table.notes.isEmpty)
    #expect(try read(Self.answer("")).rowCount == 0)
    // The coordinate system may follow the features, be a member of a geometry, or be missing.
    let behind = #"{"features":[\#(Self.feature(#"{"x":1,"y":2}"#))],\#(Self.degrees)}"#
    #expect(try read(behind).coordinates == [Coordinate(longitude: 1, latitude: 2)])
    let own = #"{"features":[\#(Self.feature(#"{"x":1,"y":2,"spatialReference":{"wkid":4269}}"#))]}"#
    #expect(try read(own).coordinates == [Coordinate(longitude: 1, latitude: 2)])
  }

  @Test(arguments: [
    (#""spatialReference":{"wkid":102100,"latestWkid":3857}"#, "102100"),
    (#""spatialReference":{"wkid":27700}"#, "27700"),
    (#""spatialReference":{"wkt":"PROJCS[\"x\"]"}"#, #"{"wkt":"PROJCS[\"x\"]"}"#),
  ]) func otherSystemsAreRefused(_ system: String, _ found: String) throws {
    let remedy = "; request the data with outSR=4326, or as GeoJSON with f=geojson"
    let features = Self.feature(#"{"x":261600.5,"y":6250000}"#)
    for text in [Self.answer(features, system), Self.answer("", system)] {
      #expect(
        message(text, ReadingOptions(skipsInvalid: true))
          == "points:1: expected longitudes and latitudes of WGS 84, found the spatialReference \(found)" + remedy)
    }
    let own = #"{"features":[\#(Self.feature("{\"x\":1,\"y\":2,\(system)}"))]}"#
    #expect(
      message(own)
        == "points:1: feature 1, geometry, spatialReference: expected longitudes and latitudes of WGS 84, found \(found)"
        + remedy + "; --skip-invalid skips and lists such rows")
    // On a plain plane, coordinates in meters are read unchanged.
    let plane = try read(Self.answer(features, system), ReadingOptions(isPlanar: true))
    #expect(plane.coordinates == [Coordinate(x: 261600.5, y: 6_250_000)])
  }

  @Test(arguments: [
    (feature("null"), ", geometry: expected a point with x and y, found null"),
    (#"{"attributes":{"n":1}}"#, ", geometry: expected a point with x and y, found no geometry"),
    (feature(#"{"paths":[[[0,1]]]}"#), #", geometry: expected a point with x and y, found {"paths":[[[0,1]]]}"#),
    (feature(#"{"x":"NaN","y":"NaN"}"#), #", geometry: expected a point with x and y, found {"x":"NaN","y":"NaN"}"#),
    (feature(#"{"x":null,"y":1}"#), #", geometry: expected a point with x and y, found {"x":null,"y":1}"#),
    (
      feature(#"{"x":1,"y":91}"#),
      #", geometry: expected a latitude from -90 to 90, found {"x":1,"y":91}; are the coordinates swapped?"#
    ),
    (feature(#"{"x":1,"x":1,"y":1}"#), #": expected each member once, found "x" twice"#),
    (feature(#"{"x":1,"y":1}"#, #"{"n":1,"n":2}"#), #", attributes: expected names that differ, found "n" twice"#),
    (feature(#"{"x":1,"y":1}"#, "[1]"), ", attributes: expected an object or null, found [1]"),
  ]) func invalidFeatures(_ feature: String, _ expected: String) throws {
    let good = Self.feature(#"{"x":1,"y":2}"#)
    let text = Self.answer([good, feature, good].joined(separator: ","))
    #expect(message(text).hasPrefix("points:2: feature 2" + expected), "\(message(text))")
    let table = try read(text, ReadingOptions(skipsInvalid: true))
    #expect(table.coordinates.count == 2 && table.invalidRows.map(\.row) == [1])
  }

  /// Checks that GeoJSON ignores the members of Esri's JSON, and that its features need a type.
  @Test func geoJSONStaysStrict() throws {
    let both =
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2],"x":8,"y":9},"attributes":{"a":1},"#
      + #""properties":{"b":2},"geometryType":"none","spatialReference":{"wkid":3857}}"#
    let table = try read(both, ReadingOptions(keepsColumns: true))
    #expect(table.coordinates == [Coordinate(longitude: 1, latitude: 2)] && table.kept(0) == ["b=number 2"])
    #expect(message(#"{"features":[]}"#).contains("found the type missing"))
  }

  /// A server may send only a part of the features. It says so in a member that is easily overlooked. Checks that the
  /// reader adds a note.
  @Test func aPartOfTheFeaturesIsNoted() throws {
    for text in [
      Self.answer("", #""exceededTransferLimit":true"#),
      #"{"type":"FeatureCollection","properties":{"exceededTransferLimit":true},"features":[]}"#,
      #"{"type":"FeatureCollection","features":[],"exceededTransferLimit": true }"#,
    ] {
      #expect(
        try read(text).notes.map(\.description) == [
          "the server sent only a part of the features (exceededTransferLimit); request the rest with resultOffset"
        ])
    }
    #expect(try read(Self.answer("", #""exceededTransferLimit":false"#)).notes.isEmpty)
  }
}

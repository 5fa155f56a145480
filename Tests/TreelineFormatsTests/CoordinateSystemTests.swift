import Testing

@testable import TreelineFormats

/// Checks the member `crs`, which old GeoJSON may contain. It may declare coordinates that are not in degrees.
@Suite struct CoordinateSystemTests {
  private static let feature = #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":null}"#

  private func collection(_ crs: String) -> [String] {
    [
      #"{"type":"FeatureCollection","crs":\#(crs),"features":[\#(Self.feature)]}"#,
      #"{"features":[\#(Self.feature)],"type":"FeatureCollection","crs":\#(crs)}"#,
    ]
  }

  @Test(arguments: [
    #"{"type":"name","properties":{"name":"urn:ogc:def:crs:OGC:1.3:CRS84"}}"#,
    #"{"type":"name","properties":{"name":"EPSG:4326"}}"#, #"{"type":"name","properties":{"name":"ogc:crs84"}}"#,
    #"{"properties":{"name":"urn:ogc:def:crs:EPSG::4258"},"type":"name"}"#,
    #"{"type":"EPSG","properties":{"code":4326}}"#,
    "null",
  ]) func degreesAreRead(_ crs: String) throws {
    for text in collection(crs) { #expect(try read(text).coordinates.count == 1) }
    #expect(try read(#"{"crs":\#(crs),\#(Self.feature.dropFirst())"#).coordinates.count == 1)
  }

  @Test(arguments: [
    (#"{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::3857"}}"#, #""urn:ogc:def:crs:EPSG::3857""#),
    (#"{"type":"name","properties":{"name":"EPSG:2154"}}"#, #""EPSG:2154""#),
    (#"{"type":"EPSG","properties":{"code":3857}}"#, #""3857""#), (#""EPSG:3857""#, #""EPSG:3857""#), ("{}", "{}"),
  ]) func othersAreRefused(_ crs: String, _ found: String) throws {
    for text in collection(crs) {
      #expect(
        message(text) == "points:1: expected longitudes and latitudes of WGS 84, found the crs \(found); "
          + "convert the coordinates with ogr2ogr -t_srs EPSG:4326")
      #expect(try read(text, ReadingOptions(isPlanar: true)).coordinates.count == 1)
    }
    // PostGIS may write the coordinate reference system as a member of the geometry.
    let inner = Self.feature.replacing(#""type":"Point""#, with: #""type":"Point","crs":\#(crs)"#)
    #expect(message(inner).contains("feature 1, geometry, crs: expected longitudes and latitudes of WGS 84"))
    #expect(try read(inner, ReadingOptions(isPlanar: true)).coordinates.count == 1)
    let line = #"{"crs":\#(crs),\#(Self.feature.dropFirst())"#
    #expect(
      message(line).contains(
        "feature 1, crs: expected longitudes and latitudes of WGS 84, found \(found); "
          + "convert the coordinates with ogr2ogr"))
    let table = try read(line + "\n" + Self.feature, ReadingOptions(skipsInvalid: true))
    #expect(table.coordinates.count == 1 && table.invalidRowCount == 1)
  }

  @Test func aBrokenLineIsSkipped() throws {
    let lines = [Self.feature, Self.feature.replacing("[1,2]", with: "[NaN,2]"), Self.feature].joined(separator: "\n")
    #expect(message(lines).hasPrefix("points:2: expected a value, found \"N\""))
    let table = try read(lines, ReadingOptions(skipsInvalid: true))
    #expect(table.coordinates.count == 2 && table.row(ofPoint: 1) == 2)
    #expect(table.invalidRows.map(\.description) == ["2: feature 2: expected a value, found \"N\""])
  }

  /// Tests texts that look like numbers but contain special characters. The error shows these characters as escapes.
  @Test(arguments: [("\u{A0}-24.5", "\\u{a0}-24.5"), ("\u{2212}0.12", "\\u{2212}0.12"), ("1\u{200B}", "1\\u{200b}")])
  func lookAlikesAreShown(_ cell: String, _ shown: String) {
    #expect(message("lon,lat\n\(cell),1\n").contains("found \"\(shown)\""))
  }
}

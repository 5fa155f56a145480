import Testing
import Treeline

@testable import TreelineFormats

@Suite struct WellKnownTextTests {
  private let paris = Coordinate(longitude: 2.35, latitude: 48.85)

  private func scan(_ text: String) -> WellKnownText { Array(text.utf8).withUnsafeBufferPointer { WellKnownText($0) } }

  @Test(arguments: [
    "POINT (2.35 48.85)", "POINT(2.35 48.85)", "point ( 2.35  48.85 )", " Point\t(+2.35 4885e-2) ",
    "POINT Z (2.35 48.85 7)",
    "POINTZ(2.35 48.85 7)", "POINT M (2.35 48.85 -1)", "POINT ZM (2.35 48.85 7 8)", "POINTZM(2.35 48.85 7 8)",
    "POINT(2.35 48.85 7)", "POINT(2.35 48.85 7 8)", "SRID=4326;POINT(2.35 48.85)", "srid = 4326 ; POINT(2.35 48.85)",
    "SRID=0;POINT(2.35 48.85)",
  ]) func pointsAreRead(_ text: String) throws {
    #expect(try read("name,geom\na,\"\(text)\"\n").coordinates == [paris])
  }

  @Test(arguments: [
    "", "POINT", "POINT (", "POINT ()", "POINT (1)", "POINT (1 2", "POINT (1 2) x", "POINT (1,2)", "POINT Z (1 2)",
    "POINT ZM (1 2 3)", "POINT M (1 2 3 4)", "POINT (1 2 3 4 5)", "POINT (1 nan)", "POINT (1 2 nan)", "POINTLESS (1 2)",
    "POINTS (1 2)", "(1 2)", "1 2", "SRID=4326", "SRID=4326;", "SRID=;POINT(1 2)", "SRID=-1;POINT(1 2)",
    "SRID=99999999999999999999;POINT(1 2)", "SRID=4326 POINT(1 2)", "LINE (1 2)", "LINESTRING", "Paris (France)",
    "POINT EMPTY (1 2)", "0101", "01010000000000000000000G00", "0201000000000000000000", "pöint (1 2)",
  ]) func otherTextsAreNone(_ text: String) { #expect(scan(text) == .unknown) }

  @Test func geometriesAreToldApart() {
    #expect(scan("POINT EMPTY") == .emptyPoint)
    #expect(scan("SRID=4326;POINT Z EMPTY") == .emptyPoint)
    #expect(scan("LINESTRING (1 2,3 4)") == .other(type: "LINESTRING"))
    #expect(scan("SRID=3857;MultiPoint Z ((1 2 3))") == .other(type: "MULTIPOINT"))
    #expect(scan("MULTIPOINTM(1 2 3)") == .other(type: "MULTIPOINT"))
    #expect(scan("GEOMETRYCOLLECTION EMPTY") == .other(type: "GEOMETRYCOLLECTION"))
    #expect(scan("SRID=3857;POINT(1 2)") == .point(first: 1, second: 2, srid: 3857))
  }

  @Test(arguments: [
    "wkt", "WKT", "geom", "geometry", "the_geom", "Geometry", "wkt_geom", "st_astext", "ST_AsEWKT", "wkb_geometry",
    "st_transform", "st_pointonsurface",
  ])
  func columnIsFoundByItsName(_ name: String) throws {
    let table = try read("a,\(name),b\n1,POINT (2.35 48.85),2\n", ReadingOptions(keepsColumns: true))
    #expect(table.coordinates == [paris])
    #expect(table.kept(0) == ["a=number 1", "b=number 2"])
    #expect(!table.isPlanar && table.notes.isEmpty)
  }

  @Test func coordinateColumnsGoFirst() throws {
    #expect(try read("geom,lon,lat\nx,2.35,48.85\n").coordinates == [paris])
    #expect(try read("geom,Lon (deg),lat_wgs84\nx,2.35,48.85\n").coordinates == [paris])
    #expect(try read("geom,wkt\nx,POINT(2.35 48.85)\n").coordinates == [paris])
    #expect(message("geom,a,geom\n").hasPrefix("points:1: expected one column named \"geom\", found 2;"))
    #expect(message("geometries,a\n").contains("found none"))
  }

  @Test func columnIsChosen() throws {
    for column in ["place", "Place", "2"] {
      let options = ReadingOptions(columns: .wkt(column))
      #expect(try read("lon,place\n1,POINT (2.35 48.85)\n", options).coordinates == [paris])
    }
    // These files have no header. A bad first row must not be mistaken for a header.
    for row in ["POINT (2.35 48.85)", "LINESTRING (1 2)", "POINT EMPTY", "SRID=1;POINT(1 2)"] {
      let options = ReadingOptions(columns: .wkt("1"), skipsInvalid: true)
      let table = try read("\"\(row)\",a\nPOINT (2.35 48.85),b\n", options)
      #expect(table.rowCount == 2 && table.notes.isEmpty)
    }
    #expect(
      message("a,b\n", ReadingOptions(columns: .wkt("c"))).hasPrefix(
        "points:1: no column has the name \"c\";"))
    #expect(
      message("{\"type\":\"FeatureCollection\",\"features\":[]}", ReadingOptions(columns: .wkt("c")))
        == "points: --wkt names a column of CSV, but this input is GeoJSON; leave out the option")
  }

  @Test(arguments: [
    (
      "\"LINESTRING (1 2,3 4)\"",
      "expected a point as text, such as POINT (2.35 48.85), found a LINESTRING; "
        + "ST_PointOnSurface gives a point on a line or in an area"
    ), ("POINT EMPTY", "expected a point with coordinates, found \"POINT EMPTY\""),
    (
      "SRID=3857;POINT(1 2)",
      "expected degrees of WGS 84, with SRID 4326 or without an SRID, found SRID 3857; "
        + "convert the coordinates with ST_Transform(geom, 4326) or ogr2ogr -t_srs EPSG:4326"
    ),
    (
      "0101000020E6100000CDCCCCCCCCCC0240",
      "expected a point in well-known binary, found \"0101000020E6100000CDCCCCCCCCCC0240\"; "
        + "write points as text with ST_AsText or ogr2ogr -lco GEOMETRY=AS_WKT"
    ),
    (
      "0103000020E61000000000000000000000",
      "expected a point as text, such as POINT (2.35 48.85), found a POLYGON; ST_PointOnSurface gives a point on a line or in an area"
    ), ("POINT (181 2)", "expected a longitude from -180 to 180, found \"POINT (181 2)\""),
    ("POINT (100 -91)", "expected a latitude from -90 to 90, found \"POINT (100 -91)\""),
    (
      "POINT (1 -91)",
      "expected a latitude from -90 to 90, found \"POINT (1 -91)\"; "
        + "are the coordinates swapped? The longitude must come first; ST_FlipCoordinates swaps them"
    ), ("\"POINT (2,35 48,85)\"", "expected a point as text, such as POINT (2.35 48.85), found \"POINT (2,35 48,85)\""),
    ("", "expected a point as text, such as POINT (2.35 48.85), found an empty cell"),
  ]) func invalidRows(_ cell: String, _ expected: String) throws {
    let text = "name,geom\na,POINT (1 2)\nb,\(cell)\nc,POINT (3 4)\n"
    #expect(
      message(text) == "points:3: column \"geom\" (2): \(expected); --skip-invalid skips and lists such rows")
    #expect(try read(text, ReadingOptions(skipsInvalid: true)).coordinates.map(\.longitude) == [1, 3])
  }

  @Test func shortRows() {
    #expect(
      message("name,geom\na\n").hasPrefix(
        "points:2: column \"geom\" (2): expected a point as text, such as POINT (2.35 48.85), found a row of 1 column;")
    )
  }

  @Test func aPlaneTakesAnySystem() throws {
    let options = ReadingOptions(isPlanar: true)
    #expect(try read("geom\nSRID=25832;POINT(5e5 6e6)\n", options).coordinates == [Coordinate(x: 5e5, y: 6e6)])
  }

  /// Checks that a point is read as one cell, for any delimiter between cells.
  @Test(arguments: [",", ";", "\t"]) func delimiters(_ delimiter: String) throws {
    let table = try read("a\(delimiter)geom\n1\(delimiter)POINT(2.35 48.85)\n")
    #expect(table.coordinates == [paris])
    #expect(try read("geom\nPOINT(2.35 48.85)\n").coordinates == [paris])
    #expect(try read("geom\nSRID=4326;POINT(2.35 48.85)\n").coordinates == [paris])
  }
}

import Testing
import Treeline

@testable import TreelineFormats

/// Checks cells that contain both coordinates.
@Suite struct CoordinatePairTests {
  private let paris = Coordinate(longitude: 2.35, latitude: 48.85)

  @Test(arguments: [
    "48.85, 2.35", "48.85,2.35", " ( 48.85 , 2.35 ) ", "[2.35, 48.85]", "48.85 2.35", "48.85;2.35", "48.85\t2.35",
    "48°51'00\"N 2°21'00\"E", "48° 51' 0\" N, 2° 21' 0\" E", "48° 51' 0\" N 2° 21' 0\" E", "N 48 51 0 E 2 21 0",
    "2.35E, 48.85N", "E 2.35 N 48.85", "48.85N2.35E", "+48.85, +2.35",
  ]) func oneCellHasBoth(_ cell: String) throws {
    let quoted = "\"" + cell.replacing("\"", with: "\"\"") + "\""
    let table = try read("name,Location\na,\(quoted)\n", ReadingOptions(keepsColumns: true))
    #expect(table.coordinates.count == 1)
    let found = try #require(table.coordinates.first)
    #expect(abs(found.longitude - 2.35) < 1e-12 && abs(found.latitude - 48.85) < 1e-12, "\(found)")
    #expect(table.kept(0) == ["name=string a"])
    let isGuess = !cell.contains("E")
    let isArray = cell.hasPrefix("[")
    #expect(
      table.notes.map(\.description)
        == (isGuess
          ? [
            isArray
              ? "column \"Location\" is read as a longitude and a latitude; --lat-lon reads the latitude first"
              : "column \"Location\" is read as a latitude and a longitude; --lon-lat reads the longitude first"
          ] : []))
  }

  @Test(arguments: ["48,85; 2,35", "48,85, 2,35", "48,85 2,35", "48,85,2,35", "(48,85 2,35)"])
  func decimalCommas(_ cell: String) throws {
    let text = "koordinaten\tname\n\(cell)\ta\n"
    #expect(try read(text, ReadingOptions(decimal: .comma)).coordinates == [paris])
  }

  @Test func theNameTellsTheOrder() throws {
    for (name, text) in [
      ("latlon", "48.85,2.35"), ("lat_lng", "48.85,2.35"), ("latitude, longitude", "48.85,2.35"),
      ("lonlat", "2.35,48.85"),
      ("LngLat", "2.35,48.85"), ("lon/lat", "2.35,48.85"), ("geo_point_2d", "48.85,2.35"),
      ("Coordonnées", "48.85,2.35"),
      // The first number cannot be a latitude, so the longitude comes first.
      ("position", "148.85,2.35"),
    ] {
      let expected = text.hasPrefix("148") ? Coordinate(longitude: 148.85, latitude: 2.35) : paris
      #expect(try read("\"\(name)\";n\n\(text);1\n").coordinates == [expected], "\(name)")
    }
    #expect(try read("location,n\nPOINT (2.35 48.85),1\n").coordinates == [paris])
  }

  /// Checks that commas do not separate cells in a file of one column: such a file has no separator.
  @Test func aFileOfOneColumn() throws {
    let table = try read("coordinates\n48.85, 2.35\n\n48.5, 2.5\n")
    #expect(table.coordinates == [paris, Coordinate(longitude: 2.5, latitude: 48.5)])
    let chosen = ReadingOptions(columns: .latitudeLongitude("1"))
    #expect(try read("48.85 2.35\n48.5 2.5\n", chosen).coordinates == table.coordinates)
    #expect(message("name\na,b\n").contains("expected two columns (such as longitude and latitude"))
  }

  @Test func aColumnIsChosen() throws {
    let text = "place,address\na,\"2.35, 48.85\"\nb,\"2.5, 48.5\"\n"
    #expect(message(text).contains("expected two columns (such as longitude and latitude"))
    let first = ReadingOptions(columns: .longitudeLatitude("address"))
    let table = try read(text, first)
    #expect(table.coordinates == [paris, Coordinate(longitude: 2.5, latitude: 48.5)])
    #expect(table.notes.isEmpty)
    #expect(
      try read(text, ReadingOptions(columns: .latitudeLongitude("2"))).coordinates[0]
        == Coordinate(longitude: 48.85, latitude: 2.35))
  }

  @Test func otherCellsAreRefused() throws {
    let skip = "; --skip-invalid skips and lists such rows"
    let expected =
      "points:3: column \"location\" (2): expected a latitude and a longitude in one cell, such as \"48.85, 2.35\""
    for (cell, found) in [
      ("Paris", "\"Paris\""), ("48.85", "\"48.85\""), ("48.85, 2.35, 0", "\"48.85, 2.35, 0\""), ("", "an empty cell"),
      ("48.85N, 2.35", "\"48.85N, 2.35\""), ("48.85N, 2.35S", "\"48.85N, 2.35S\""),
      ("(48.85, 2.35", "\"(48.85, 2.35\""), ("48 51 2 21", "\"48 51 2 21\""), ("48 51 2", "\"48 51 2\""),
      ("48,85, 2,35", "\"48,85, 2,35\" with decimal commas; give --decimal comma to read such numbers"),
    ] {
      let text = "n,location\n1,\"48.85, 2.35\"\n2,\"\(cell)\"\n"
      #expect(message(text) == expected + ", found \(found)" + skip)
      let table = try read(text, ReadingOptions(skipsInvalid: true))
      #expect(table.coordinates == [paris] && table.invalidRowCount == 1)
    }
    #expect(
      message("n,location\n1,\"48.85, 2.35\"\n2,\"-122.4, 37.7\"\n")
        == "points:3: column \"location\" (2): expected a latitude from -90 to 90, found \"-122.4, 37.7\"; "
        + "are the coordinates swapped? --lon-lat reads the longitude first" + skip)
    #expect(message("n,location\n1,\"48.85, 2.35\"\n2\n").contains("found a row of 1 column"))
    #expect(
      message("{\"type\":\"FeatureCollection\",\"features\":[]}", ReadingOptions(columns: .latitudeLongitude("a")))
        == "points: --lat-lon names a column of CSV, but this input is GeoJSON; leave out the option")
  }
}

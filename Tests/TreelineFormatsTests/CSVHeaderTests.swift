import Testing
import Treeline

@testable import TreelineFormats

@Suite struct CSVHeaderTests {
  @Test(arguments: [
    ("longitude,latitude", false), ("LON,Lat", false), ("lng,lat", false), ("long,lat", false),
    ("Decimal_Longitude,decimalLatitude", false), ("X,y", true), ("easting,northing", true), (" lon , lat ", false),
  ]) func commonNames(_ names: String, _ isPlanar: Bool) throws {
    let table = try read(names + "\n1,2\n")
    #expect(table.coordinates == [Coordinate(longitude: 1, latitude: 2)])
    #expect(table.isPlanar == isPlanar)
  }

  /// Tests common names together with units and datums. The names are recognized as whole words.
  @Test(arguments: [
    ("Longitude (deg)", "Latitude (deg)", false), ("Longitude [°]", "Latitude [°]", false),
    ("lon_wgs84", "lat_wgs84", false), ("lon_WGS_84", "lat_EPSG:4326", false), ("GPSLongitude", "GPSLatitude", false),
    ("gpsLon", "gpsLat", false), ("GPS Longitude", "lat", false), ("lon", "Latitude in decimal degrees", false),
    ("Lng.", "Lat.", false), ("x (m)", "y_coord", true), ("Easting [m]", "Northing [m]", true),
  ]) func commonNamesAmongOtherWords(_ first: String, _ second: String, _ isPlanar: Bool) throws {
    let table = try read("platform;flat;\(second);\(first)\n7;8;2;1\n")
    #expect(table.coordinates == [Coordinate(longitude: 1, latitude: 2)])
    #expect(table.isPlanar == isPlanar)
    #expect(table.notes.isEmpty)
  }

  /// Tests names in other languages, names in timetables, and names in data of shared bicycles.
  @Test(arguments: [
    ("Breite", "Länge"), ("Breite", "La\u{308}nge"), ("BREITE", "Laenge"), ("Breitengrad", "Längengrad"),
    ("geo_breite", "geo_laenge"), ("Geogr. Breite", "Geogr. Länge"), ("latitud", "longitud"),
    ("latitudine", "longitudine"), ("breddegrad", "lengdegrad"), ("breddegrad", "længdegrad"),
    ("breedtegraad", "lengtegraad"), ("szerokość geograficzna", "długość geograficzna"), ("šířka", "délka"),
    ("широта", "долгота"), ("緯度", "経度"), ("纬度", "经度"), ("緯度", "經度"), ("위도", "경도"), ("enlem", "boylam"),
    ("stop_lat", "stop_lon"), ("stopLat", "stopLon"), ("shape_pt_lat", "shape_pt_lon"), ("start_lat", "start_lng"),
    ("start station latitude", "start station longitude"), ("Start Station Latitude", "Start Station Longitude"),
    ("pickup_latitude", "pickup_longitude"), ("venueLatitude", "venueLongitude"), ("Lat", "Lng"),
  ]) func namesOfOtherFiles(_ latitude: String, _ longitude: String) throws {
    let table = try read("id;\(latitude);\(longitude);name\n9;2;1;x\n")
    #expect(table.coordinates == [Coordinate(longitude: 1, latitude: 2)])
    #expect(!table.isPlanar)
    #expect(table.notes.isEmpty)
  }

  /// Degrees without a sign, whose hemisphere is in another column, would be read on the wrong side of the world.
  @Test(arguments: [
    ("LATITUDE,N/S,LONGITUDE,E/W", "22.9,S,43.1,W", "hemisphere"),
    ("GPSLatitude,GPSLatitudeRef,GPSLongitude,GPSLongitudeRef", "22.9,South,43.1,West", "hemisphere"),
    ("lat,lat_hemi,lon,lon_hemi", "22.9,s,43.1,w", "hemisphere"),
    ("LAT_DEG,LAT_MIN,LONG_DEG,LONG_MIN", "22,54,43,12", "minutes"),
    ("Latitude degrees,Latitude minutes,Longitude degrees,Longitude minutes", "22,54.5,43,12", "minutes"),
    ("stop_lat,stop_lat_hemi,stop_lon,stop_lon_hemi", "22.9,S,43.1,W", "hemisphere"),
    ("station_latitude,N/S,station_longitude,E/W", "22.9,S,43.1,W", "hemisphere"),
    ("Latitude,LatDir,Longitude,LonDir", "22.9,S,43.1,W", "hemisphere"),
    ("lat,lat_hemi,lon,lon_hemi", "0,,0,", "hemisphere"),
    ("stop_lat_deg,stop_lat_min,stop_lon_deg,stop_lon_min", "22,54,43,12", "minutes"),
    ("lat_deg,lat_min,lon_deg,lon_min", "22,,43,", "minutes"), ("lat,lat_min,lon,lon_min", "22,54,43,12", "minutes"),
    ("stop_lat,stop_lat_min,stop_lon,stop_lon_min", "22,,43,", "minutes"),
    ("lat,lat_min,lon,lon_min,temp_max", "22,54,43,12,30", "minutes"),
    ("lat,lat_min,lon,lon_min", "22,\"54,5\",43,\"12,0\"", "minutes"),
  ]) func partsOfCoordinatesInOtherColumnsAreRefused(_ names: String, _ cells: String, _ part: String) throws {
    let error = message("id,\(names)\n1,\(cells)\n")
    #expect(error.contains("found") && error.contains(part) && error.contains("combine these columns"), "\(error)")
    let named = try read("id,\(names)\n1,\(cells)\n", ReadingOptions(columns: .sphere(longitude: "4", latitude: "2")))
    #expect(named.coordinates.count == 1)
  }

  @Test(arguments: [
    ("lat,lon,lat_min,lat_max", "2,1,0,3"), ("lat,lon,lat_min,lon_min", "2.0,1,0,0"),
    ("lat_deg,lon_deg,lat_min,lat_max", "2,1,0,3"), ("lat,lon,NS", "2,1,"), ("lat,lon,lat_ref", "2,1,"),
    ("lat,lon,lat_ref,NS", "2,1,EPSG,12"), ("lat,lon,ew", "2,1,x"),
  ]) func otherColumnsAreNoParts(_ names: String, _ cells: String) throws {
    #expect(try read("\(names)\n\(cells)\n").coordinates == [Coordinate(longitude: 1, latitude: 2)])
  }

  /// PostgreSQL and MySQL write `\N` for a missing value.
  @Test func aFirstRowWithoutCoordinatesIsARow() throws {
    let options = ReadingOptions(columns: .sphere(longitude: "2", latitude: "3"), skipsInvalid: true)
    let table = try read("a,\\N,\\N\nb,1,2\nc,3,4\n", options)
    #expect(table.rowCount == 3 && table.coordinates.count == 2 && table.invalidRows.map(\.line) == [1])
  }

  @Test func aRideBeginsWhereItStarts() throws {
    let names = "end_lat,end_lng,start_lat,start_lng"
    let table = try read(names + "\n4,3,2,1\n")
    #expect(table.coordinates == [Coordinate(longitude: 1, latitude: 2)])
    #expect(
      table.notes.map(\.description) == [
        "points are read from \"start_lng\" and \"start_lat\", not from \"end_lng\" and \"end_lat\"; --longitude and "
          + "--latitude choose other columns"
      ])
    // Plain names take precedence over names with the word for a place, such as `start_lat`. If there are pairs for two
    // places, neither is chosen, unless one of them is a start.
    #expect(try read("start_lat,start_lng,lat,lon\n4,3,2,1\n").notes.isEmpty)
    #expect(
      message("home_lat,home_lon,shop_lat,shop_lon\n1,2,3,4\n").hasPrefix(
        "points:1: expected one pair of coordinate columns, found \"home_lon\" and \"home_lat\", \"shop_lon\" and "
          + "\"shop_lat\"; the columns are"))
    #expect(
      try read("start_lat,start_lng\n2,1\n", ReadingOptions(columns: .sphere(longitude: "2", latitude: "1"))).notes
        .isEmpty)
  }

  @Test(arguments: [
    "platform,longlist", "flat,balloon", "lattice,long", "latte,lon", "lat_error,lon_error", "lat (rad),lon (rad)",
    "max lat,max lon", "lat2,lon2", "x (deg),y (deg)", "long name,lat", "latlon,lonlat", "stop_lat,start_lon",
    "stop_x,stop_y", "stop_lat,lon_error",
  ]) func otherWordsAreNoCoordinates(_ names: String) {
    #expect(message(names + "\n1,2\n").contains("expected two columns (such as longitude and latitude"))
  }

  @Test func exactNamesGoFirst() throws {
    #expect(
      try read("lon (deg),lat (deg),lon,lat\n5,6,1,2\n").coordinates == [Coordinate(longitude: 1, latitude: 2)])
    #expect(
      message("lon (deg),lat,lon_wgs84\n").hasPrefix(
        "points:1: expected one column named like \"lon (deg)\", found \"lon (deg)\", \"lon_wgs84\"; the columns are"))
    #expect(
      message("lon,LON,lat\n").hasPrefix("points:1: expected one column named like \"lon\", found \"lon\", \"LON\";"))
  }

  @Test func missingHeaderIsNoted() throws {
    let sphere = try read("1,2,a\n").notes
    #expect(
      sphere.map(\.description) == [
        "there is no header: column 1 is read as longitude and column 2 as latitude; --longitude and --latitude choose other columns"
      ])
    let plane = try read("1,2\n", ReadingOptions(isPlanar: true)).notes
    #expect(
      plane.map(\.description) == [
        "there is no header: column 1 is read as x and column 2 as y; --x and --y choose other columns"
      ]
    )
    #expect(try read("lon,lat\n1,2\n").notes.isEmpty)
    // If the columns were chosen by options, there is no note.
    #expect(try read("1,2\n", ReadingOptions(columns: .sphere(longitude: "1", latitude: "2"))).notes.isEmpty)
  }

  @Test func degreesGoBeforeMetres() throws {
    let table = try read("x,y,lat,lon\n5,6,2,1\n")
    #expect(table.coordinates == [Coordinate(longitude: 1, latitude: 2)])
    #expect(!table.isPlanar)
  }

  @Test func withoutHeader() throws {
    let table = try read("1,2,a\n3,4,b\n", ReadingOptions(keepsColumns: true))
    #expect(table.rowCount == 2)
    #expect(!table.isPlanar)
    #expect(table.kept(1) == ["column 3=string b"])
    #expect(try read("1000,2\n", ReadingOptions(isPlanar: true)).coordinates == [Coordinate(x: 1000, y: 2)])
  }

  @Test func chosenColumns() throws {
    let text = "a,b,B,c\n9,1,5,2\n"
    let expected = [Coordinate(longitude: 1, latitude: 2)]
    for (first, second) in [("b", "c"), ("b", "C"), ("2", "4"), ("b", "4")] {
      let sphere = try read(text, ReadingOptions(columns: .sphere(longitude: first, latitude: second)))
      #expect(sphere.coordinates == expected)
      #expect(!sphere.isPlanar)
      let plane = try read(text, ReadingOptions(columns: .plane(x: first, y: second)))
      #expect(plane.coordinates == expected)
      #expect(plane.isPlanar)
    }
  }

  @Test func positionsTellAHeaderByItsCells() throws {
    let options = ReadingOptions(columns: .sphere(longitude: "2", latitude: "1"), skipsInvalid: true)
    #expect(try read("2,1\n4,3\n", options).rowCount == 2)
    #expect(try read("n,e\n4,3\n", options).rowCount == 1)
    // If a bad first row of data counted as a header, it would be lost silently.
    for row in ["nan,NaN", "x,1", ",", "-inf,NA"] {
      let table = try read(row + "\n4,3\n", options)
      #expect(table.rowCount == 2)
      #expect(table.invalidRowCount == 1)
    }
  }

  @Test func unknownColumns() {
    let remedy =
      "choose columns by name or number: with --longitude and --latitude, with --x and --y, with --lat-lon or with --wkt"
    #expect(
      message("\nname,kind\na,b\n")
        == "points:2: expected two columns (such as longitude and latitude, lon and lat, or x and y) or one column "
        + "(such as wkt, geometry or location), found none; the columns are \"name\", \"kind\"; \(remedy)")
    #expect(
      message("lat,lon,lat\n")
        == "points:1: expected one column named \"lat\", found 2; the columns are \"lat\", \"lon\", \"lat\"; \(remedy)")
    let sphere = ReadingOptions(columns: .sphere(longitude: "east", latitude: "2"))
    #expect(
      message("a,b\n", sphere)
        == "points:1: no column has the name \"east\"; the columns are \"a\", \"b\"; \(remedy)")
    #expect(
      message("a,b\n", ReadingOptions(columns: .plane(x: "1", y: "3")))
        == "points:1: there is no column 3; the first row has 2 columns, numbered from 1; "
        + "the columns are \"a\", \"b\"; \(remedy)")
    #expect(
      message("a,b\n", ReadingOptions(columns: .plane(x: "1", y: "a")))
        == "points:1: column 1 was chosen for both coordinates; "
        + "the columns are \"a\", \"b\"; \(remedy)")
    for position in ["0", "99999999999999999999999"] {
      #expect(message("a,b\n", ReadingOptions(columns: .plane(x: position, y: "2"))).contains("there is no column"))
    }
    let wide = (1...30).map { "c\($0)" }.joined(separator: ",")
    #expect(message(wide).contains("\"c20\" and 10 more;"))
  }
}

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
    // A bad first row of data is no header: it would be lost in silence.
    for row in ["nan,NaN", "x,1", ",", "-inf,NA"] {
      let table = try read(row + "\n4,3\n", options)
      #expect(table.rowCount == 2)
      #expect(table.invalidRowCount == 1)
    }
  }

  @Test func unknownColumns() {
    let remedy = "choose with --longitude and --latitude, or --x and --y, by name or number"
    #expect(
      message("\nname,kind\na,b\n")
        == "points:2: expected columns named longitude and latitude, lon and lat, x and y or the like, found none; "
        + "the columns are \"name\", \"kind\"; \(remedy)")
    #expect(
      message("lat,lon,lat\n")
        == "points:1: expected one column named \"lat\", found 2; the columns are \"lat\", \"lon\", \"lat\"; \(remedy)")
    let sphere = ReadingOptions(columns: .sphere(longitude: "east", latitude: "2"))
    #expect(
      message("a,b\n", sphere)
        == "points:1: expected a column named \"east\", found none; the columns are \"a\", \"b\"; \(remedy)")
    #expect(
      message("a,b\n", ReadingOptions(columns: .plane(x: "1", y: "3")))
        == "points:1: expected a column 3, found 2 in the first row, counted from 1; "
        + "the columns are \"a\", \"b\"; \(remedy)")
    #expect(
      message("a,b\n", ReadingOptions(columns: .plane(x: "1", y: "a")))
        == "points:1: expected two different coordinate columns, found column 1 twice; "
        + "the columns are \"a\", \"b\"; \(remedy)")
    for position in ["0", "99999999999999999999999"] {
      #expect(message("a,b\n", ReadingOptions(columns: .plane(x: position, y: "2"))).contains("expected a column"))
    }
    let wide = (1...30).map { "c\($0)" }.joined(separator: ",")
    #expect(message(wide).contains("\"c20\" and 10 more;"))
  }
}

import TestSupport
import Testing
import Treeline

@testable import TreelineFormats

@Suite struct DecimalCommaTests {
  private let places = [Coordinate(longitude: 2.35, latitude: 48.85), Coordinate(longitude: -7, latitude: 0.5)]
  private let options = ReadingOptions(keepsColumns: true, decimal: .comma)

  @Test(arguments: [
    "lon;lat;n\n2,35;48,85;a\n-7;0,5;b\n", "2,35;48,85;a\n-7;,5;b\n", "lon\tlat\tn\n2,35\t48,85\ta\n-7\t+0,5\tb\n",
    "lon,lat,n\n\"2,35\",\"48,85\",a\n\"-7,0\",\"5,0e-1\",b\n",
    "\"lon, deg\";\"lat, deg\";n, c\n2,35;48,85;a\n -7 ; 0,5 ;b",
    "\"2,35\",\"48,85\",a\n\"-7\",\"0,5\",b",
  ]) func filesAreRead(_ text: String) throws {
    let table = try read(text, options)
    #expect(table.coordinates == places)
    #expect(table.columns(ofPoint: 0).map(\.value.text) == ["string a"])
  }

  @Test func otherColumnsHaveThemToo() throws {
    let table = try read("lon;lat;a;b;c;d;e;f\n2,35;48,85;1,5;1.5;1,2,3;12;x,y;-0,5e2\n", options)
    #expect(
      table.kept(0) == [
        "a=number 1.5", "b=string 1.5", "c=string 1,2,3", "d=number 12", "e=string x,y", "f=number -0.5e2",
      ])
  }

  /// Tests numbers with a plus sign, with leading zeros, or with no digit on one side of the comma. They are detected
  /// as numbers, so they are also returned as numbers.
  @Test func numbersThatJSONWritesInAnotherWay() throws {
    let table = try read("lon;lat;a;b;c;d;e\n2,35;48,85;,5;5,;-,5;01,5;02134\n", options)
    #expect(table.kept(0) == ["a=number 0.5", "b=number 5", "c=number -0.5", "d=number 1.5", "e=string 02134"])
  }

  /// If a column also has cells that are not numbers, its numbers are texts, too. Texts are returned as they are
  /// written.
  @Test func textsStayAsTheyAreWritten() throws {
    let table = try read("lon;lat;a;b;c\n2,35;48,85;1,5;1.500;7\n-7;0,5;x;2,5;8,0\n", options)
    #expect(table.kept(0) == ["a=string 1,5", "b=string 1.500", "c=number 7"])
    #expect(table.kept(1) == ["a=string x", "b=string 2,5", "c=number 8.0"])
    #expect(table.value(ofColumn: "a", point: 0, asWritten: true) == .string("1,5"))
    #expect(table.value(ofColumn: "b", point: 0, asWritten: true) == .string("1.500"))
    #expect(table.value(ofColumn: "c", point: 0, asWritten: true) == .number("7"))
  }

  @Test(arguments: [
    ("lon;lat\n2,35;48,85\n", "points:2: column \"lon\" (1)", "2,35"),
    ("lon\tlat\n2\t48,85\n", "points:2: column \"lat\" (2)", "48,85"),
    ("lon,lat\n2.35,\"48,85\"\n", "points:2: column \"lat\" (2)", "48,85"),
    ("2,35;48,85\n", "points:1: column 1", "2,35"), ("-2,35\t48,85\tParis, France\n", "points:1: column 1", "-2,35"),
  ]) func errorNamesThem(_ text: String, _ place: String, _ found: String) {
    let said = message(text)
    #expect(said.hasPrefix(place + ": expected a l"), "\(said)")
    #expect(
      said.hasSuffix(
        "found \"\(found)\" with a decimal comma; give --decimal comma to read such numbers; "
          + "--skip-invalid skips and lists such rows"), "\(said)")
  }

  /// A comma before three digits may also separate thousands. With `--decimal comma`, the number would be read as a
  /// thousandth of its value.
  @Test func aCommaMaySeparateThousands() {
    for (cell, remedy) in [
      ("351,999", "remove the ',' between thousands; or, if the ',' is a decimal comma, give --decimal comma"),
      ("1,351,999", "remove the ',' between thousands"),
      ("0,351", "with a decimal comma; give --decimal comma to read such numbers"),
    ] { #expect(message("x;y\n\(cell);1\n").contains("\(remedy); --skip-invalid"), "\(cell)") }
    #expect(message("lon;lat\n2,352;48\n").contains("\"2,352\" with a decimal comma; give --decimal comma"))
    #expect(message("lon;lat\n2°21'03,5\"O;48\n").contains("instead of O"))
  }

  @Test func firstRowOfNumbersIsNoHeader() throws {
    let options = ReadingOptions(columns: .sphere(longitude: "1", latitude: "2"), skipsInvalid: true)
    let table = try read("2,35;48,85\n2,35;48,85\n", options)
    #expect(table.rowCount == 2 && table.invalidRowCount == 2)
    #expect(table.notes.map(\.description) == ["most rows are invalid; give --decimal comma to read such numbers"])
  }

  @Test(arguments: ["1.234,5", "1,234,567", "1.5", "1,5.5", "1 234,5", "48,85N", ",", "1,e", "0x1,5"])
  func otherNumbersAreRefused(_ cell: String) {
    let said = message("lon;lat\n\(cell);1\n", ReadingOptions(decimal: .comma))
    #expect(said.contains("expected a longitude from -180 to 180, found \"\(cell)\""), "\(said)")
    #expect(said.contains("with a decimal point; leave out --decimal comma") == (cell == "1.5"))
    #expect(message("lon;lat\n\(cell);x\n").contains("decimal comma") == (cell == "1.234,5"))
  }

  @Test func commasThatPartCellsStillDo() throws {
    for text in ["1,2\n3,4\n", "lon,lat,tags\n1,2,a;b\n3,4,c;d\n", "1,2,a;b\n3,4,e\n", "1,2,\"5,6;7,8\"\n3,4,\n"] {
      #expect(try read(text).coordinates.map(\.longitude) == [1, 3])
    }
  }

  @Test func geoJSONHasNone() {
    #expect(
      message("{\"type\":\"FeatureCollection\",\"features\":[]}", options)
        == "points: --decimal describes numbers in CSV, but this input is GeoJSON; leave out --decimal")
  }

  /// If a number has decimals after a comma, its points can only separate thousands. Otherwise a point may also be a
  /// decimal point.
  @Test func marksBetweenThousands() throws {
    let text = "x;y;a;b;c;d\n1.234,56;-12.345.678,5;1.234,56;1.500;1.234.567;+1.000,0\n2,5;3;-2.000,00;1,5;7;3\n"
    let table = try read(text, options)
    #expect(table.coordinates == [Coordinate(x: 1234.56, y: -12_345_678.5), Coordinate(x: 2.5, y: 3)])
    #expect(table.kept(0) == ["a=number 1234.56", "b=string 1.500", "c=string 1.234.567", "d=number 1000.0"])
    #expect(table.kept(1) == ["a=number -2000.00", "b=string 1,5", "c=string 7", "d=number 3"])
    #expect(table.value(ofColumn: "a", point: 0) == .number("1234.56"))
    let points = try read("x;y;a;b\n1,234.56;2;1,234.5;1,234\n3;4;7;8\n", ReadingOptions(keepsColumns: true))
    #expect(points.coordinates[0] == Coordinate(x: 1234.56, y: 2))
    #expect(points.kept(0) == ["a=number 1234.5", "b=string 1,234"])
    for cell in ["1.23,4", "12.34.567,8", "0.123,4", "1234.567,8", "1..234,5", ".123,4", "1.234,", "1.2345,6"] {
      #expect(message("x;y\n\(cell);1\n", options).contains("expected an x"), "\(cell)")
    }
    #expect(message("x;y\n1.234,5;1\n").contains("with a decimal comma; give --decimal comma to read such numbers"))
  }

  /// Checks that a number with a decimal comma equals the number with a decimal point, bit for bit.
  @Test func randomNumbers() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<Trials.count(20_000, seed: seed) {
      let text = "\(Double.random(in: -180...180, using: &generator))"
      let value = Array(text.replacing(".", with: ",").utf8).withUnsafeBufferPointer { parseDecimalComma($0) }
      #expect(value?.bitPattern == Double(text)?.bitPattern, "\(text), seed \(seed)")
    }
  }
}

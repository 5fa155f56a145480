import Testing

@testable import TreelineFormats

@Suite struct CSVErrorTests {
  private static let remedy = "; --skip-invalid skips and lists such rows"

  @Test(arguments: [
    ("100,91.5,a", "column \"latitude\" (2): expected a latitude from -90 to 90, found \"91.5\""),
    ("-180.1,0,a", "column \"lon\" (1): expected a longitude from -180 to 180, found \"-180.1\""),
    (",0,a", "column \"lon\" (1): expected a longitude from -180 to 180, found an empty cell"),
    ("0,\"  \",a", "column \"latitude\" (2): expected a latitude from -90 to 90, found an empty cell"),
    ("0,nan,a", "column \"latitude\" (2): expected a latitude from -90 to 90, found \"nan\""),
    ("-inf,0,a", "column \"lon\" (1): expected a longitude from -180 to 180, found \"-inf\""),
    ("1e999,0,a", "column \"lon\" (1): expected a longitude from -180 to 180, found \"1e999\""),
    ("0x10,0,a", "column \"lon\" (1): expected a longitude from -180 to 180, found \"0x10\""),
    ("0;0;a", "column \"latitude\" (2): expected a latitude from -90 to 90, found a row of 1 column"),
    ("0,0", "the row: expected 3 columns as in the first row, found 2"),
    ("0,0,a,b", "the row: expected 3 columns as in the first row, found 4"),
    ("0,0,\"a\"b", "column \"name\" (3): expected a delimiter after the closing quote, found other text"),
    ("0,\u{1},a", "column \"latitude\" (2): expected a latitude from -90 to 90, found \"\\u{1}\""),
  ]) func invalidRows(_ row: String, _ expected: String) throws {
    // The record before the row has two lines. The line after the row shows whether reading continues.
    let text = "lon,latitude,name\n1,2,\"a\r\nb\"\n\n" + row + "\n3,4,c\n"
    #expect(message(text) == "points:5: " + expected + Self.remedy)
    let table = try read(text, ReadingOptions(skipsInvalid: true))
    #expect(table.coordinates.count == 2)
    #expect(table.rowCount == 3)
    #expect(table.invalidRows.map(\.description) == ["5: " + expected])
    #expect(table.invalidRows.map(\.row) == [1])
    #expect(table.row(ofPoint: 0) == 0)
    #expect(table.row(ofPoint: 1) == 2)
  }

  @Test func plane() throws {
    #expect(
      message("x,y\n0,-1.1e300\n")
        == "points:2: column \"y\" (2): expected a y from -1e300 to 1e300, found \"-1.1e300\"" + Self.remedy)
    #expect(try read("x,y\n1e300,-1e300\n").coordinates.count == 1)
  }

  @Test func withoutHeaderAColumnHasItsNumberOnly() {
    #expect(
      message("0,0\n100,95\n") == "points:2: column 2: expected a latitude from -90 to 90, found \"95\"" + Self.remedy)
  }

  @Test func longCellsAreCut() {
    let found = String(repeating: "é", count: 60) + "..."
    #expect(
      message("lon,lat\n" + String(repeating: "é", count: 300) + ",0\n")
        == "points:2: column \"lon\" (1): expected a longitude from -180 to 180, found \"\(found)\"" + Self.remedy)
  }

  @Test func unclosedQuotes() {
    let options = ReadingOptions(skipsInvalid: true)
    #expect(
      message("lon,lat,n\n1,2,\"\"\n1,2,\"a\n3,4,b\n", options)
        == "points:3: expected a closing quote for column 3 of the record, found the end of the input (byte 17)")
    #expect(
      message("\"lon,lat\n1,2\n")
        == "points:1: expected a closing quote for column 1 of the record, found the end of the input (byte 0)")
    #expect(
      message("\"lon\"x,lat\n1,2\n")
        == "points:1: expected a delimiter after the closing quote in column 1, found other text (byte 0)")
  }

  @Test func longRecords() {
    let text = "lon,lat,n\n1,2,a\n1,2,\"" + String(repeating: "x", count: 300) + "\"\n"
    #expect(throws: ReadingError.recordTooLong(file: "points", line: 3, limit: 256)) {
      try read(text, limits: ReadingLimits(chunk: 64, record: 256))
    }
    #expect(
      ReadingError.recordTooLong(file: "points", line: 3, limit: 256).description
        == "points:3: expected a record of at most 256 bytes, found a longer record; look for a quote that is never closed"
    )
  }
}

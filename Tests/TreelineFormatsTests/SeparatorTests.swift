import Testing
import Treeline

@testable import TreelineFormats

/// Checks separators between cells, and lines that programs write before the header.
@Suite struct SeparatorTests {
  private let places = [Coordinate(longitude: 2.5, latitude: 48.5), Coordinate(longitude: 3.5, latitude: 49.5)]

  @Test(arguments: [
    "name|lon|lat\na, b|2.5|48.5\nc;d|3.5|49.5\n", "2.5|48.5|a\n3.5|49.5|b\n",
    "lon|lat|n\n\"2.5\"|48.5|\"a|b\"\n3.5|49.5|\"c\nd\"\n",
  ]) func cellsBetweenBars(_ text: String) throws { #expect(try read(text).coordinates == places) }

  @Test func barsWithDecimalCommas() throws {
    let options = ReadingOptions(keepsColumns: true, decimal: .comma)
    let table = try read("lon|lat|n\n2,5|48,5|a\n3,5|49,5|b\n", options)
    #expect(table.coordinates == places)
    #expect(table.kept(0) == ["n=string a"])
  }

  /// Tests lines such as `sep=;`, which Excel reads and writes. Such a line names the separator. It is neither a header
  /// nor data.
  @Test(arguments: [
    ("sep=;\n", ";"), ("sep=;\r\n", ";"), ("SEP=,\n", ","), ("\"sep=;\"\n", ";"), ("sep=\t\n", "\t"), ("sep=|\r", "|"),
    ("\n sep=;\n", ";"),
  ]) func aLineNamesTheSeparator(_ line: String, _ separator: String) throws {
    // Without this line, the comma would be the separator, because it is the most frequent separator here.
    let rows = [["a,b,c,d", "lon", "lat"], ["x", "2.5", "48.5"], ["y", "3.5", "49.5"]]
    let quoted = rows.map { row in
      row.map { separator == "," && $0.contains(",") ? "\"\($0)\"" : $0 }.joined(separator: separator)
    }
    let table = try read(line + quoted.joined(separator: "\n"), ReadingOptions(keepsColumns: true))
    #expect(table.coordinates == places)
    #expect(table.kept(1) == ["a,b,c,d=string y"])
    #expect(table.rowCount == 2)
  }

  @Test func anotherSeparatorIsRefused() {
    #expect(
      message("sep=:\nlon:lat\n1:2\n")
        == "points:1: expected \"sep=\" with a comma, a semicolon, a tab or |, found \"sep=:\"; "
        + "separate the cells with one of these signs (byte 0)")
  }

  @Test func linesBeforeTheHeaderAreSkipped() throws {
    let preamble = "# Stations, as of 2024-05-01; see (a|b)\r\n#\r\n\n  # \"open\n"
    for rest in ["lon,lat,n\n2.5,48.5,a\n3.5,49.5,#b\n", "lon;lat;n\n2.5;48.5;a\n3.5;49.5;#b\n"] {
      let table = try read(preamble + rest, ReadingOptions(keepsColumns: true))
      #expect(table.coordinates == places)
      #expect(table.kept(1) == ["n=string #b"])
      #expect(table.rowCount == 2)
      #expect(table.notes.map(\.description) == ["skipped 3 lines above the first row, because they begin with #"])
    }
    let one = try read("#x\nlon,lat\n2.5,48.5\n")
    #expect(one.notes.map(\.description) == ["skipped 1 line above the first row, because it begins with #"])
    #expect(try read("# a\nsep=;\nlon;lat\n2.5;48.5\n").coordinates == [places[0]])
    // Errors count the lines before the header, too.
    #expect(message("# a\nlon,lat\n1,95\n").hasPrefix("points:3: column \"lat\" (2)"))
    #expect(message("# a\n# b\n") == "points: expected CSV or GeoJSON, found an empty input")
  }

  /// A header may begin with `#`, like a comment.
  @Test func aHeaderMayBeginWithIt() throws {
    for text in ["#lon,lat,n\n2.5,48.5,1\n3.5,49.5,2\n", "# v1\n# lon,lat,n\n2.5,48.5,1\n3.5,49.5,2\n"] {
      #expect(try read(text).coordinates == places)
    }
    let numbers = ReadingOptions(columns: .sphere(longitude: "2", latitude: "3"), keepsColumns: true)
    let table = try read("# v1\n#n,e,o\n1,2.5,48.5\n2,3.5,49.5\n", numbers)
    #expect(table.coordinates == places)
    #expect(table.kept(0) == ["#n=number 1"])
    #expect(try read("# a, b\n1,2.5,48.5\n2,3.5,49.5\n", numbers).coordinates == places)
    #expect(try read("# a, b, c\n\n# d\n1,2.5,48.5\n2,3.5,49.5\n", numbers).coordinates == places)
  }
}

import Testing

@testable import TreelineFormats

/// Checks the error for an invalid latitude that would be a valid longitude. It asks whether the columns are swapped.
@Suite struct SwappedColumnsTests {
  private static let question = "; are the columns swapped? If so, give --longitude "
  private static let remedy = "; --skip-invalid skips and lists such rows"

  @Test func errorAsksAndTellsTheOptions() {
    #expect(
      message("a,lon,lat\nx,48.85,2.35\nx,35.7,139.7\n")
        == "points:3: column \"lat\" (3): expected a latitude from -90 to 90, found \"139.7\"" + Self.question
        + "3 --latitude 2" + Self.remedy)
    #expect(message("35.7,-139.7\n").contains(Self.question + "2 --latitude 1;"))
    let chosen = ReadingOptions(columns: .sphere(longitude: "b", latitude: "a"))
    #expect(message("a,b\n139.7,35.7\n", chosen).contains(Self.question + "1 --latitude 2;"))
    #expect(message("lon;lat\n35,7;139,7\n", ReadingOptions(decimal: .comma)).contains(Self.question))
  }

  /// Checks that the error does not ask whether the columns are swapped if the swapped numbers would be invalid, too,
  /// or if a cell is not a number.
  @Test(arguments: ["95,95", "139.7,200", "x,139.7", "139.7,x", "10,nan", ",139.7", "200,10"])
  func otherMistakesAreNotAskedAbout(_ row: String) {
    #expect(message("lon,lat\n" + row + "\n").hasSuffix("\"" + Self.remedy) || row.hasPrefix(","))
    #expect(!message("lon,lat\n" + row + "\n").contains("swapped"))
  }

  @Test func aPlaneHasNoSwappedColumns() {
    #expect(!message("x,y\n1,2e300\n").contains("swapped"))
    #expect(!message("lon,lat\n1,2e300\n", ReadingOptions(isPlanar: true)).contains("swapped"))
  }

  @Test func mostRowsOfAFileAreNoted() throws {
    let (bad, good) = ("35.7,139.7\n", "48.85,2.35\n")
    func notes(_ rows: String...) throws -> [String] {
      try read("lon,lat\n" + rows.joined(), ReadingOptions(skipsInvalid: true)).notes.map(\.description)
    }
    let note = "most rows are invalid; are the columns swapped? If so, give --longitude 2 --latitude 1"
    #expect(try notes(bad, good, bad) == [note])
    #expect(try notes(bad, "x,y\n", bad, bad) == [note])
    #expect(try notes(bad, good) == [])
    #expect(try notes(bad, "x,y\n", "x,y\n") == [])
    #expect(try notes() == [])
  }
}

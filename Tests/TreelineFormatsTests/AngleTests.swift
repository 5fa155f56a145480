import TestSupport
import Testing
import Treeline

@testable import TreelineFormats

/// Checks coordinates in degrees, minutes and seconds, and with letters of hemispheres.
@Suite struct AngleTests {
  private func angle(of text: String) -> Angle? { Array(text.utf8).withUnsafeBufferPointer { Angle($0) } }

  @Test(arguments: [
    ("48°51'24\"N", 48.856666666666666, true), ("48° 51' 24.6\" N", 48.856833333333334, true),
    ("N 48° 51′ 24″", 48.856666666666666, true), ("N48°51.4'", 48.85666666666667, true),
    ("48º51’24”S", -48.856666666666666, true), ("48°51'24''N", 48.856666666666666, true),
    ("48d51m24s", 48.856666666666666, nil), ("-48:51:24", -48.856666666666666, nil), ("+2:30", 2.5, nil),
    ("48 51 24", 48.856666666666666, nil), ("48 51 24 N", 48.856666666666666, true), ("48 30 N", 48.5, true),
    ("2°30'W", -2.5, false), ("2.35 W", -2.35, false), ("2,35E", 2.35, false), ("W2.35", -2.35, false),
    ("2.35°", 2.35, nil), ("-0°30'", -0.5, nil), ("0°0'0\"E", 0, false), ("33d52m10sS", -33.86944444444445, true),
    (" 48°\u{A0}51,5' N ", 48.858333333333334, true), ("180°0'0\"W", -180, false), ("5.N", 5, true),
  ]) func anglesAreRead(_ text: String, _ degrees: Double, _ isLatitude: Bool?) throws {
    let found = try #require(angle(of: text), "\(text)")
    #expect(found.degrees == degrees && found.isLatitude == isLatitude, "\(text): \(found)")
  }

  @Test(arguments: [
    "", "48", "48.85", "-48.85", "1.5e", "1,e", "48 51", "48°60'N", "48°51'60\"N", "48.5°30'N", "48°51.5'24\"N",
    "-48°N",
    "48'N", "48\"N", "N48°S", "48°51'24\"NN", "48°51'24\"O", "48°N51", "1°2'3\"4", "48:", ":48", "48::51", "48-51-24",
    "N",
    "°", "48°51", "\u{2212}48°51'24\"", "485124N x", "1 2 3 4", "48n",
  ]) func otherTextsAreNot(_ text: String) {
    // Minutes that follow a degree sign need no mark, so `48°51` is the only angle in the list.
    #expect((angle(of: text) != nil) == (text == "48°51"), "\(text)")
  }

  @Test func columnsOfAngles() throws {
    let text = "name,lat,lon\na,48°51'24\"N,\"2° 21' 3,6\"\" E\"\nb,33 52 10 S,-70:30:00\nc,1.5,2.5\n"
    let table = try read(text, ReadingOptions(keepsColumns: true))
    let expected = [(2.351, 48.856666666666666), (-70.5, -33.86944444444445), (2.5, 1.5)]
    #expect(table.coordinates == expected.map { Coordinate(longitude: $0, latitude: $1) })
    #expect(table.kept(1) == ["name=string b"])
    let commas = try read("lat;lon\n48°30'N;2,5\n", ReadingOptions(decimal: .comma))
    #expect(commas.coordinates == [Coordinate(longitude: 2.5, latitude: 48.5)])
  }

  @Test func wrongAnglesAreRefused() throws {
    let skip = "; --skip-invalid skips and lists such rows"
    #expect(
      message("lon,lat\n2°61'E,48°N\n")
        == "points:2: column \"lon\" (1): expected a longitude from -180 to 180, found \"2°61'E\"" + skip)
    #expect(
      message("lon,lat\n2°E,95°N\n")
        == "points:2: column \"lat\" (2): expected a latitude from -90 to 90, found \"95°N\"" + skip)
    #expect(
      message("lon,lat\n48°N,2°E\n")
        == "points:2: column \"lon\" (1): expected a longitude from -180 to 180, found \"48°N\"; "
        + "are the columns swapped? If so, give --longitude 2 --latitude 1" + skip)
    // The letter O means east in German and west in French.
    #expect(
      message("lon,lat\n2°30'O,48°N\n")
        == "points:2: column \"lon\" (1): expected a longitude from -180 to 180, found \"2°30'O\"; "
        + "write E or W instead of O, which means east in German but west in French, Italian and Spanish" + skip)
    #expect(message("x,y\n2°E,48°N\n").contains("expected an x from"))
    // The file has no header: its first row is data.
    let numbers = ReadingOptions(columns: .sphere(longitude: "1", latitude: "2"))
    #expect(try read("2°E,48°N\n3°E,49°N\n", numbers).rowCount == 2)
  }

  /// Checks that reading returns the angle that was written, or one of the two doubles next to it.
  @Test func randomAngles() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<Trials.count(20_000, seed: seed) {
      let hundredths = Int.random(in: 0...90 * 360_000, using: &generator)
      let (degrees, minutes) = (hundredths / 360_000, hundredths / 6000 % 60)
      let (seconds, part) = (hundredths / 100 % 60, hundredths % 100)
      let south = Bool.random(using: &generator)
      let text = "\(degrees)°\(minutes)'\(seconds).\(part < 10 ? "0" : "")\(part)\"\(south ? "S" : "N")"
      let expected = Double(hundredths) / 360_000 * (south ? -1 : 1)
      let found = try #require(angle(of: text)?.degrees, "\(text), seed \(seed)")
      #expect(abs(found - expected) <= 2 * expected.ulp, "\(text), seed \(seed)")
    }
  }
}

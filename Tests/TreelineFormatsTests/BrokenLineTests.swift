import Testing
import Treeline

@testable import TreelineFormats

/// Checks that a line of GeoJSON that is not valid JSON counts as a row, and that this row can be skipped.
@Suite struct BrokenLineTests {
  private static func feature(_ x: String, _ properties: String = "{}") -> String {
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(x),2]},"properties":\#(properties)}"#
  }

  private static let deep = feature("3", #"{"a":"# + String(repeating: "[", count: 200) + "}")
  private let skipping = ReadingOptions(skipsInvalid: true)

  @Test(arguments: [
    feature("NaN"), feature("2", #"{"a":Infinity}"#), feature("2", "{'a':1}"), #"{"type":"Feature","geometry":{"#, deep,
    #"{"type":"Feature","properties":{"a":"b}"#, "{not json}", "{\"type\":\"Feature\"\"geometry\":null}",
  ]) func anyLineOfASequence(_ line: String) throws {
    let good = [Self.feature("1"), Self.feature("5")]
    for (lines, broken) in [
      ([good[0], line, good[1]], 2), ([line, good[0], good[1]], 1), ([good[0], good[1], line], 3),
    ] {
      for end in ["\n", "\r\n", "\r"] {
        let text = lines.joined(separator: end) + end
        let table = try read(text, skipping)
        #expect(table.coordinates.map(\.longitude) == [1, 5], "\(text)")
        #expect(table.rowCount == 3 && table.invalidRows.map(\.line) == [broken], "\(table.invalidRows)")
        #expect(message(text).hasPrefix("points:"), "\(message(text))")
      }
    }
    let twice = [line, line, good[0], line, line].joined(separator: "\n")
    let table = try read(twice, skipping)
    #expect(table.coordinates.count == 1 && table.invalidRows.map(\.line) == [1, 2, 4, 5])
  }

  /// Tests collections with one Feature in each line, in the form in which GDAL and most other programs write them.
  @Test(arguments: [feature("NaN"), feature("2", #"{"a":Infinity}"#), feature("2", "{'a':1}"), deep + "}"])
  func anyLineOfACollection(_ line: String) throws {
    let good = [Self.feature("1"), Self.feature("5")]
    for (features, broken) in [
      ([good[0], line, good[1]], 3), ([line, good[0], good[1]], 2), ([good[0], good[1], line], 4),
      ([good[0], line + " ", good[1] + " "], 3),
    ] {
      for (start, separator, end) in [
        ("{\"type\":\"FeatureCollection\",\"features\":[\n", ",\n", "\n]}\n"),
        ("{ \"type\": \"FeatureCollection\", \"features\": [\r\n", ",\r\n  ", "\r\n]\r\n}"),
        ("{\"type\":\"FeatureCollection\",\"features\":[\n", "\n,", "]}"),
      ] {
        let text = start + features.joined(separator: separator) + end
        let isLast = features.last == line && end == "]}"
        guard !isLast else { continue }
        let table = try read(text, skipping)
        #expect(table.coordinates.map(\.longitude) == [1, 5], "\(text)")
        #expect(table.rowCount == 3 && table.invalidRows.map(\.line) == [broken], "\(table.invalidRows)")
      }
    }
  }

  /// Tests lines that are cut off, and lines that are not JSON at all, in a collection with one Feature in each line.
  @Test func cutOffLinesOfACollection() throws {
    let line = Self.feature("2", #"{"a":"b"}"#)
    let broken = (1..<line.count).map { String(line.prefix($0)) } + ["garbage", ",", "{}}", "]["]
    for text in broken {
      for comma in ["", ","] where text != "," || comma.isEmpty {
        let lines = [
          "{\"type\":\"FeatureCollection\",\"features\":[", Self.feature("1") + ",", text + comma, Self.feature("5"),
          "]}",
        ]
        let table = try read(lines.joined(separator: "\n"), skipping)
        #expect(table.coordinates.map(\.longitude) == [1, 5], "\(text)")
        #expect(table.invalidRows.map(\.line) == [3], "\(text): \(table.invalidRows)")
        #expect(
          message(lines.joined(separator: "\n")).hasSuffix("--skip-invalid skips and lists such lines"), "\(text)")
      }
    }
  }

  @Test(arguments: ["}", ",", " x", "]"]) func linesOfASequenceWithMoreAfterTheFeature(_ rest: String) throws {
    let text = [Self.feature("1"), Self.feature("3") + rest, Self.feature("5")].joined(separator: "\n")
    let table = try read(text, skipping)
    #expect(table.coordinates.map(\.longitude) == [1, 5] && table.invalidRows.map(\.line) == [2])
    #expect(message(text).contains("points:2: expected a new line between two Features"), "\(message(text))")
  }

  /// Two Features of a line would be lost as one.
  @Test func twoFeaturesOnALineStop() {
    let text = "\(Self.feature("1"))\n\(Self.feature("2"))\(Self.feature("3"))\n"
    #expect(
      message(text, skipping).contains("2: expected a new line between two Features"), "\(message(text, skipping))")
  }

  @Test func errorsNameTheLineOnWhichAFeatureBegins() {
    let text = "\(Self.feature("1"))\n{\"type\":\"Feature\",\"geometry\":\n\(Self.feature("5"))\n"
    #expect(message(text).contains("; the Feature begins on line 2)"), "\(message(text))")
  }

  /// If a broken Feature shares its line with anything else, the end of the Feature is unknown. Checks that reading
  /// stops.
  @Test func otherLinesStop() {
    let (good, bad) = (Self.feature("1"), Self.feature("NaN"))
    let start = "{\"type\":\"FeatureCollection\",\"features\":["
    for text in [
      "\(start)\(bad),\n\(good)]}", "\(start)\n\(good),\(bad),\n\(good)]}", "\(start)\n\(bad),\(good),\n\(good)]}",
      "\(start)\n\(bad)]}", "\(start)\n{\"type\":\"Feature\",\n\"geometry\":NaN},\n\(good)]}", "\(start)\n\(bad),\n",
      "\(start)\n{\"type\":\"Feature\",\"geometry\":NaN,\n\"properties\":{}},\n\(good)]}",
      "{\"type\":NaN}\n\(start)\n\(good)]}", "{\n\"type\": NaN}\n\(good)\n",
    ] {
      #expect(message(text, skipping).contains("expected a value, found \"N\""), "\(text): \(message(text, skipping))")
    }
  }
}

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
      for end in ["\n", "\r\n"] {
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

  /// If a broken Feature shares its line with anything else, the end of the Feature is unknown. Checks that reading stops.
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

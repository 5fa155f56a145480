import Testing
import Treeline
import TreelineFormats

/// Checks the order of columns that agrees with the order in every feature.
@Suite struct InputOrderTests {
  private func features(_ properties: [String]) throws -> PointTable {
    let lines = properties.map {
      "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]},\"properties\":\($0)}"
    }
    return try PointReader.read(
      bytes: Array(lines.joined(separator: "\n").utf8), name: "lines", options: ReadingOptions(keepsColumns: true))
  }

  @Test func oneOrderOfAll() throws {
    let table = try features([#"{"a":1,"c":1}"#, #"{"b":1,"c":1}"#, #"{"a":1,"b":1}"#, "null", #"{"d":1}"#])
    for names in [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]] {
      #expect(table.inputOrder(ofColumns: names) == ["a", "b", "c"])
    }
    // Columns that are not requested do not appear in the answer, so they do not affect the order.
    #expect(table.inputOrder(ofColumns: ["c", "a"]) == ["a", "c"])
  }

  @Test func whatIsOpenIsAsAsked() throws {
    let table = try features([#"{"a":1,"c":1}"#, #"{"b":1,"c":1}"#])
    #expect(table.inputOrder(ofColumns: ["c", "b", "a"]) == ["b", "a", "c"])
    #expect(table.inputOrder(ofColumns: ["a", "b", "c"]) == ["a", "b", "c"])
  }

  @Test func contradictionIsAsAsked() throws {
    let table = try features([#"{"a":1,"b":1,"c":1}"#, #"{"b":1,"a":1}"#])
    #expect(table.inputOrder(ofColumns: ["c", "b", "a"]) == ["c", "b", "a"])
    #expect(table.inputOrder(ofColumns: ["c", "b"]) == ["b", "c"])
  }

  @Test func columnsThatNoPointHasAreLeftOut() throws {
    let table = try features([#"{"b":1,"a":1}"#, "{}"])
    #expect(table.inputOrder(ofColumns: ["x", "a", "y", "b"]) == ["b", "a"])
    #expect(table.inputOrder(ofColumns: []) == [])
  }

  /// Names are compared like Swift strings. They are returned in the spelling of the input.
  @Test func namesAreAsTheInputSpellsThem() throws {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    let table = try features(["{\"\(decomposed)\":1,\"a\":2}", "{}"])
    let order = table.inputOrder(ofColumns: ["a", composed])
    #expect(order.map { Array($0.utf8) } == [Array(decomposed.utf8), [UInt8(ascii: "a")]])
    #expect(table.value(ofColumn: composed, point: 0) == .number("1"))
  }

  @Test func columnsOfCSVAreInTheOrderOfTheFile() throws {
    let table = try PointReader.read(
      bytes: Array("c,longitude,a,latitude,\n1,2,3,4,5\n".utf8), name: "csv",
      options: ReadingOptions(keepsColumns: true))
    #expect(table.inputOrder(ofColumns: ["a", "column 5", "x", "c"]) == ["c", "a", "column 5"])
  }
}

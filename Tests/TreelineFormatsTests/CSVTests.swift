import Testing
import Treeline

@testable import TreelineFormats

@Suite struct CSVTests {
  private let two = [Coordinate(longitude: 1.5, latitude: -2), Coordinate(longitude: 3, latitude: 4)]

  @Test(arguments: ["\n", "\r\n", "\r"]) func lineBreaks(_ end: String) throws {
    let table = try read(["lon,lat", "1.5,-2", "", "  ", "3,4"].joined(separator: end))
    #expect(table.coordinates == two)
    #expect(table.rowCount == 2)
    #expect(!table.isPlanar)
    #expect(try read("lon,lat" + end + "1.5,-2" + end + "3,4" + end).coordinates == two)
  }

  @Test func quoting() throws {
    let text = """
      name,lon,"la\u{74}",note
      "a, ""b""
      c","1.5",-2,"x"
      d"e, 3 ,"+4",""
      """
    let table = try read(text, ReadingOptions(keepsColumns: true))
    #expect(table.coordinates == two)
    #expect(table.kept(0) == ["name=string a, \"b\"\nc", "note=string x"])
    #expect(table.kept(1) == ["name=string d\"e", "note=null"])
  }

  @Test func keptCellsHaveTheTypeTheyLookLike() throws {
    let text = "lon,lat,a,b,c,d,e,f,\n1,2,12,007,-1.5e3,+1,,\"5\",z\n"
    let table = try read(text, ReadingOptions(keepsColumns: true))
    #expect(
      table.kept(0) == [
        "a=number 12", "b=string 007", "c=number -1.5e3", "d=number 1", "e=null", "f=number 5", "column 9=string z",
      ])
    #expect(try read(text).kept(0).isEmpty)
  }

  @Test func brokenUTF8IsRepaired() throws {
    let bytes = Array("lon,lat,n\n1,2,".utf8) + [0xFF, 0x41, 0xC3]
    let table = try PointReader.read(bytes: bytes, name: "b", options: ReadingOptions(keepsColumns: true))
    #expect(table.kept(0) == ["n=string \u{FFFD}A\u{FFFD}"])
  }

  @Test(arguments: [
    ([0x41], 0), (Array("aaaaaaa\u{E9}\u{6771}\u{1F600}".utf8), 0), ([0xFF], 1), ([0xC3], 1), ([0xC0, 0x80], 1),
    ([0xED, 0xA0, 0x80], 1), ([0xF5, 0x80, 0x80, 0x80], 1), (Array("aaaaaaaaaaaaaaaa".utf8) + [0x80], 1),
  ]) func repairedRowsAreCounted(text: [UInt8], count: Int) throws {
    for name in [Array("n".utf8), text] {
      let bytes = Array("lon,lat,".utf8) + name + Array("\n1,2,".utf8) + text + Array("\n3,4,x\n".utf8)
      let table = try PointReader.read(bytes: bytes, name: "b", options: ReadingOptions(keepsColumns: true))
      #expect(table.repairedRowCount == (name == text ? 2 * count : count))
      #expect(try PointReader.read(bytes: bytes, name: "b").repairedRowCount == 0)
    }
  }

  @Test func columnNames() throws {
    for rows in ["", "1,2,3,4,5\n"] {
      let table = try read("lon,lat,a,,\"b,c\"\n" + rows, ReadingOptions(keepsColumns: true))
      #expect(table.columnNames == ["a", "column 4", "b,c"])
      #expect(table.hasColumn(named: "b,c") && !table.hasColumn(named: "lon"))
    }
    #expect(try read("lon,lat,a\n").columnNames == nil)
    #expect(try !read("lon,lat,a\n").hasColumn(named: "a"))
  }

  @Test func byteOrderMark() throws {
    #expect(try read("\u{FEFF}lon,lat\n1.5,-2\n3,4").coordinates == two)
    #expect(try read("\u{FEFF}\"lon\",lat\n1.5,-2\n3,4").coordinates == two)
  }

  @Test(arguments: [",", "\t", ";"]) func delimiters(_ delimiter: String) throws {
    let rows = [["a;b,c\t".filter { String($0) != delimiter }, "lon", "lat", "e"], ["n", "1.5", "-2", "q"]]
    let quoted = rows.map { $0.map { "\"\($0)\"" }.joined(separator: delimiter) }.joined(separator: "\n")
    let table = try read(quoted, ReadingOptions(keepsColumns: true))
    #expect(table.coordinates == [two[0]])
    #expect(table.columns(ofPoint: 0).count == 2)
  }

  @Test func skippedRowsAreCountedAndListed() throws {
    let text = "lon,lat\n" + (0..<3000).map { $0 % 2 == 0 ? "x,\($0)" : "1,2" }.joined(separator: "\n")
    let table = try read(text, ReadingOptions(skipsInvalid: true))
    #expect(table.rowCount == 3000)
    #expect(table.invalidRowCount == 1500)
    #expect(table.invalidRows.count == 1000)
    #expect(table.invalidRows[1].row == 2)
    #expect(table.invalidRows[1].line == 4)
    #expect(table.coordinates.indices.allSatisfy { table.row(ofPoint: $0) == 2 * $0 + 1 })
  }

  @Test func emptyCellsAfterTheLastColumnAreATrailingDelimiter() throws {
    let table = try read("lon,lat\n1.5,-2,\n3,4,,\n", ReadingOptions(keepsColumns: true))
    #expect(table.coordinates == two)
    #expect(table.kept(0).isEmpty)
  }

  /// GDAL's driver writes a header that ends with a delimiter if a layer has no attributes.
  @Test func headersMayEndWithADelimiterThatRowsLack() throws {
    #expect(try read("X,Y,\n1.5,-2\n3,4\n").coordinates == two)
    #expect(try read("X,Y,\n1.5,-2,\n3,4\n").coordinates == two)
    let table = try read("lon,lat,name,,\n1.5,-2,a\n3,4,b,c\n", ReadingOptions(keepsColumns: true))
    #expect(table.coordinates == two)
    #expect(table.kept(0) == ["name=string a"] && table.kept(1) == ["name=string b", "column 4=string c"])
    #expect(throws: ReadingError.self) { try read("lon,lat,name,\n1.5,-2\n") }
    #expect(throws: ReadingError.self) { try read("1.5,-2,\n3,4\n") }
  }
}

import Foundation
import TestSupport
import Testing

/// Checks that invalid UTF-8 is repaired, and that the repair is reported only once.
@Suite struct BrokenTextTests {
  @Test func repairedRowsAreCounted() throws {
    let rows: [[UInt8]] = [
      Array("longitude,latitude,n".utf8) + [0xE4], Array("1,2,caf".utf8) + [0xE9], Array("3,4,ok".utf8),
      Array("5,6,".utf8) + [0xC0, 0x80],
    ]
    let result = try Tool.run(["query", "-"], input: Data(rows.joined(separator: [0x0A])))
    #expect(result.code == 0)
    #expect(result.output.contains("\"n\u{FFFD}\":\"caf\u{FFFD}\""))
    #expect(
      result.errors == """
        treelinemap: standard input: 3 rows hold bytes that are not UTF-8, shown as \u{FFFD}; convert the text, for example with iconv -f WINDOWS-1252 -t UTF-8
        treelinemap: standard input: 3 rows; longitude 1 to 5 from column "longitude", latitude 2 to 6 from column "latitude"

        """)
    #expect(try !Tool.run(["query", "Fixtures/cities.csv.gz", "--limit", "3"]).errors.contains("UTF-8"))
  }
}

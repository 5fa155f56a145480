import Testing
import Treeline

@testable import TreelineFormats

/// By convention TSV has no quotes. So a quote at the start of a cell only counts if another quote ends the cell.
@Suite struct TSVQuoteTests {
  private func names(_ text: String) throws -> [String] {
    let table = try read(text, ReadingOptions(keepsColumns: true))
    return table.coordinates.indices.flatMap { point in
      table.columns(ofPoint: point).map { column in
        switch column.value {
        case .string(let text), .number(let text): "\(column.name)=\(text)"
        default: "\(column.name)=\(column.value)"
        }
      }
    }
  }

  @Test func anOpeningQuoteSwallowsNoRows() throws {
    let tsv = "id\tname\tlat\tlon\n1\t\"Old\t48\t2\n2\tB\t49\t3\n3\tC\"\t50\t4\n4\tD\t51\t5\n"
    #expect(
      try names(tsv) == ["id=1", "name=\"Old", "id=2", "name=B", "id=3", "name=C\"", "id=4", "name=D"])
  }

  @Test(arguments: [
    ("\"a\"", "a"), ("\"say \"\"a\"\"\"", "say \"a\""), ("\"a\" b", "\"a\" b"), ("\"", "\""), ("\"a", "\"a"),
    ("\"a\"\"", "\"a\"\""), ("a\"b\"", "a\"b\""),
  ]) func aClosedCellIsQuoted(_ cell: String, _ text: String) throws {
    for end in ["\n", "\r\n", ""] { #expect(try names("lon\tlat\tname\n1\t2\t\(cell)\(end)") == ["name=\(text)"]) }
    #expect(try names("name\tlon\tlat\n\(cell)\t1\t2") == ["name=\(text)"])
  }

  @Test func quotesOfCSVMayHoldLines() throws {
    #expect(try names("lon,lat,name\n1,2,\"a\tb\nc\"\n") == ["name=a\tb\nc"])
  }
}

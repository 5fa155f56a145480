import Foundation
import TestSupport
import Testing

/// Checks that the bytes of an answer, except row numbers, do not depend on the order of the rows.
@Suite struct QueryDeterminismTests {
  @Test(arguments: ["cities.csv.gz", "airports.csv.gz", "iceland_addresses.csv.gz"]) func shuffledRowsGiveTheSameBytes(
    fixture: String
  ) throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let shuffled = try folder.write(shuffledRows(of: fixture), to: "shuffled.csv")

    for arguments in [["--limit", "500"], ["--bbox", "-24,35,30,66", "--limit", "100"]] {
      let straight = try Tool.run(["query", "Fixtures/\(fixture)"] + arguments)
      let mixed = try Tool.run(["query", shuffled] + arguments)
      #expect(straight.code == 0)
      #expect(straight.output.split(separator: "\n").count > 50)
      #expect(straight.output != mixed.output || !straight.output.contains("\"index\":"))
      #expect(withoutRowNumbers(straight.output) == withoutRowNumbers(mixed.output))
    }
  }

  /// Returns the header and then the rows in another order: reversed, with every third row moved to the front. No
  /// quoted field of the fixtures contains a line break, so each line is a row.
  private func shuffledRows(of fixture: String) throws -> String {
    let text = try Tool.run(URL(fileURLWithPath: "/bin/gzip"), ["-dc", "Fixtures/\(fixture)"]).output
    let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
    let rows = lines.dropFirst().reversed().enumerated()
    let mixed = rows.filter { $0.offset % 3 == 0 } + rows.filter { $0.offset % 3 != 0 }
    return ([lines[0]] + mixed.map(\.element)).joined(separator: "\n") + "\n"
  }

  private func withoutRowNumbers(_ text: String) -> String { text.replacing(/"(?:shown_)?index":\d+/, with: "") }
}

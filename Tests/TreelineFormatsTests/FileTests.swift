import TestSupport
import Testing
import Treeline

@testable import TreelineFormats

@Suite struct FileTests {
  /// Runs `body` with a temporary file that is removed afterwards.
  private func withFile(_ name: String, _ bytes: [UInt8], _ body: (String) throws -> Void) throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    try body(folder.write(bytes, to: name))
  }

  private let rows = 100_000
  private var text: [UInt8] { Array(("lon,lat\n" + (0..<rows).map { "\($0 % 180),0.5\n" }.joined()).utf8) }

  @Test func contentTellsTheFormatAndProgressReachesTheEnd() throws {
    for bytes in [text, gzip(text)] {
      try withFile("points.txt", bytes) { path in
        var reported: [Int64] = []
        let table = try PointReader.read(path: path) { read, total in
          reported.append(read)
          #expect(total == Int64(bytes.count))
        }
        #expect(table.coordinates.count == rows)
        #expect(table.coordinates[179] == Coordinate(longitude: 179, latitude: 0.5))
        #expect(reported.last == Int64(bytes.count))
        #expect(reported == reported.sorted())
      }
    }
  }

  @Test func messagesNameThePath() throws {
    try withFile("points.csv", text + Array("200,0\n".utf8)) { path in
      let row = InvalidRow(
        row: rows, line: rows + 2, part: "column \"lon\" (1)", expected: "a longitude from -180 to 180",
        found: "\"200\"")
      #expect(throws: ReadingError.invalidRow(file: path, row)) { try PointReader.read(path: path) }
    }
  }

  @Test func aDeviceWithoutASize() throws {
    var totals: [Int64?] = []
    #expect(throws: ReadingError.empty(file: "/dev/null")) {
      try PointReader.read(path: "/dev/null") { totals.append($1) }
    }
    #expect(totals.allSatisfy { $0 == nil })
  }
}

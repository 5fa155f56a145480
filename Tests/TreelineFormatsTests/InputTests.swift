import Foundation
import Testing
import Treeline

@testable import TreelineFormats

@Suite struct InputTests {
  @Test(arguments: [
    ([0xFF, 0xFE, 0x6C, 0], "UTF-16 text; convert it with iconv -f UTF-16 -t UTF-8"),
    ([0xFE, 0xFF, 0, 0x6C], "UTF-16 text; convert it with iconv -f UTF-16 -t UTF-8"),
    ([0xFF, 0xFE, 0, 0], "UTF-32 text; convert it with iconv -f UTF-32 -t UTF-8"),
    (
      [0x6C, 0, 0x6F, 0],
      "binary data, or UTF-16 text without a byte order mark; convert UTF-16 text with iconv -f UTF-16LE -t UTF-8"
    ), ([0x28, 0xB5, 0x2F, 0xFD, 0, 0], "zstd data; inflate it with zstd -dc"),
    ([0x50, 0x4B, 3, 4, 0, 0], "a zip archive or spreadsheet; unpack it, or export it as CSV"),
    ([0x42, 0x5A, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26], "bzip2 data; inflate it with bzip2 -dc"),
    (
      Array("PMTiles".utf8) + [3, 127, 0],
      "a PMTiles archive; give the points or the index from which the tiles were made"
    ),
    (
      Array("lon,lat\n".utf8) + [0, 1, 2],
      "binary data with a zero at byte 8; give another file; or, if this is text, remove the zeros with tr -d '\\0'"
    ),
  ]) func otherKinds(_ bytes: [UInt8], _ expected: String) {
    #expect(message(bytes) == "points: expected CSV or GeoJSON in UTF-8, plain or gzip-compressed, found " + expected)
  }

  @Test func indexes() {
    let expected = "points: expected CSV or GeoJSON in UTF-8, plain or gzip-compressed, found an index"
    #expect(
      message(IndexHeader.magic) == expected + "; an index can be opened only from a file: give the path of the file")
    #expect(
      message(gzip(IndexHeader.magic + [1, 0])) == expected + " inside gzip data; inflate it into a file with gzip -dc")
  }

  @Test(arguments: ["", "\n \r\n\t", "\u{FEFF}"]) func empty(_ text: String) {
    #expect(message(text) == "points: expected CSV or GeoJSON, found an empty input")
    #expect(message(gzip(Array(text.utf8))) == "points: expected CSV or GeoJSON, found an empty input")
  }

  @Test func aColumnMayBeNamedLikeAMagicNumber() throws {
    #expect(try read("BZh,lon,lat\n0,1,2\n").coordinates.count == 1)
    #expect(try read("PAR1,lon,lat\n0,1,2\n").coordinates.count == 1)
    #expect(try read("PMTiles,lon,lat\n0,1,2\n").coordinates.count == 1)
  }

  @Test func paths() {
    #expect(throws: ReadingError.unopenable(file: "/nowhere/at.csv", reason: "No such file or directory")) {
      try PointReader.read(path: "/nowhere/at.csv")
    }
    #expect(
      throws: ReadingError.unopenable(
        file: "/", reason: "this is a folder; for a folder of Parquet files, use treelinemap.build_parquet in Python")
    ) { try PointReader.read(path: "/") }
    #expect(ReadingError.unopenable(file: "/", reason: "x").description == "/: cannot be opened: x")
    #expect(ReadingError.readFailed(file: "/", reason: "x").description == "/: reading failed: x")
  }
}

import Foundation
import TestSupport
import Testing

@_spi(Server) @testable import TreelineFormats

@Suite struct GzipTests {
  private let text = Array("lon,lat,name\n1.5,-2,a\n3,4,\"b\nc\"\n".utf8)
  private let options = ReadingOptions(keepsColumns: true)

  @Test func inflates() { #expect(outcome(gzip(text), options) == outcome(text, options)) }

  @Test func membersAndPadding() {
    let parts = gzip(Array(text[..<20])) + gzip([]) + gzip(Array(text[20...])) + [0, 0, 0]
    for chunk in 1...parts.count {
      #expect(outcome(parts, options, limits: ReadingLimits(chunk: chunk)) == outcome(text, options))
    }
  }

  @Test func everyTruncationIsAnError() {
    let whole = gzip(text)
    for count in 2..<whole.count {
      #expect(
        message(Array(whole[..<count]))
          == "points: invalid gzip data: the data is cut off after \(count) bytes; "
          + "fetch or compress the file again")
    }
  }

  @Test func everyFlippedByteOfDataOrChecksumIsSeen() {
    let whole = gzip(text)
    // The header contains a time and an operating system, which the checksum does not cover. So it is left out.
    for index in 10..<whole.count {
      var broken = whole
      broken[index] ^= 0x55
      #expect(message(broken).hasPrefix("points"), "byte \(index)")
    }
    var broken = whole
    broken[whole.count - 8] ^= 1
    #expect(
      message(broken) == "points: invalid gzip data: the data is corrupt near byte \(whole.count - 4) "
        + "(incorrect data check); fetch or compress the file again")
  }

  @Test func otherDataAfterTheEnd() {
    let whole = gzip(text)
    #expect(
      message(whole + [65])
        == "points: invalid gzip data: other data follows the gzip data at byte \(whole.count); "
        + "fetch or compress the file again")
    #expect(message(gzip(whole)).contains("found gzip data inside gzip data; inflate it once with gzip -dc"))
  }
}

/// Checks that compressed data can be read back.
@Suite struct GzipWritingTests {
  @Test(arguments: [0, 1, 2, 1000, 100_000]) func whatIsCompressedComesBack(_ count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    for level in [Int32(1), 6, 9] {
      let file = try folder.write(bytes.withUnsafeBytes { Gzip.compressed($0, level: level) }, to: "file")
      #expect(try InputContents.read(path: file) == bytes)
    }
  }
}

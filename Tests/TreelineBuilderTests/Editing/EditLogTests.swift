import Foundation
import TestSupport
import Testing

@testable @_spi(Server) import TreelineBuilder

/// Changes the last record of a log in every way in which a write may break off, and in ways in which a disk may lose
/// bits. Only the former may remove the record.
@Suite struct EditLogTests {
  private let folder: TemporaryFolder
  private let contents: [[UInt8]]
  private let bytes: [UInt8]
  /// Offset of the last record.
  private let start: Int

  init() throws {
    folder = try TemporaryFolder()
    contents = [[1, 0, 0, 0], Array(repeating: 7, count: 600), (0..<1400).map { UInt8($0 % 255 + 1) }]
    let (log, records, removed) = try EditLog.open(folder.path("log"))
    #expect(records.isEmpty && removed == 0)
    for content in contents { try log.append(content) }
    bytes = try Array(Data(contentsOf: URL(fileURLWithPath: folder.path("log"))))
    start = bytes.count - EditLog.length(ofRecord: contents[2])
  }

  /// Returns the contents of the records of a log with other bytes; nil if the log is damaged. A damaged log does not
  /// change, and another log ends after its last record.
  private func records(_ bytes: [UInt8]) throws -> [[UInt8]]? {
    let path = try folder.write(bytes, to: "other")
    func written() throws -> [UInt8] { try Array(Data(contentsOf: URL(fileURLWithPath: path))) }
    do {
      let (log, records, removed) = try EditLog.open(path)
      #expect(log.length + removed == bytes.count)
      #expect(try written() == Array(bytes.prefix(log.length)))
      return records
    } catch EditLogError.damaged {
      #expect(try written() == bytes)
      return nil
    }
  }

  @Test func aRecordThatIsCutShortIsRemoved() throws {
    #expect(try records(bytes) == contents)
    for end in start..<bytes.count { #expect(try records(Array(bytes[..<end])) == Array(contents[..<2]), "\(end)") }
  }

  @Test func aRecordWithBlocksThatWereNotWrittenIsRemoved() throws {
    for block in stride(from: start / 512 * 512, to: bytes.count, by: 512) {
      let range = (block..<block + 512).clamped(to: start..<bytes.count)
      for last in [range.upperBound, bytes.count] {
        var torn = bytes
        for index in range.lowerBound..<last { torn[index] = 0 }
        #expect(try records(torn) == Array(contents[..<2]), "\(block)")
      }
    }
    #expect(try records(Array(bytes[..<start]) + Array(repeating: 0, count: 5)) == Array(contents[..<2]))
  }

  @Test func aRecordWithAFlippedBitIsDamaged() throws {
    // Every bit of all headers and some bits of the contents.
    for index in bytes.indices where index < 64 || index - start < 64 || index % 64 == 0 || index == bytes.count - 1 {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[index] ^= 1 << UInt8(bit)
        #expect(try records(flipped) == nil, "bit \(bit) of byte \(index)")
      }
    }
    var flipped = bytes
    flipped[start + 100] ^= 1
    let path = try folder.write(flipped, to: "other")
    let error = try #require(throws: EditLogError.self) { try EditLog.open(path) }
    #expect("\(error)".hasPrefix("\(path), record 3 at byte \(start): expected the checksum "))
    #expect("\(error)".contains("'truncate -s \(start)'"))
  }
}

import Foundation
import PointSets
import TestSupport
import Testing
@testable import Treeline
import TreelineBuilder
import TreelineFormats

/// Checks that the worked example in the format's document equals the writer's output, byte by byte.
@Suite struct FormatDocumentTests {
  private static let document = try! String(
    contentsOfFile: Repository.path("Fixtures/index/IndexFormat.md"), encoding: .utf8)

  /// Returns the lines of the first code block in a given language.
  private func block(_ language: String) throws -> [Substring] {
    let start = try #require(Self.document.range(of: "```\(language)\n")).upperBound
    let end = try #require(Self.document.range(of: "\n```", range: start..<Self.document.endIndex)).lowerBound
    return Self.document[start..<end].split(separator: "\n")
  }

  /// Returns the bytes of the dump. Lines that the dump omits contain only zeros.
  private func dump() throws -> [UInt8] {
    var bytes: [UInt8] = []
    for line in try block("hexdump") {
      let offset = try #require(Int(line.prefix(8), radix: 16))
      bytes += [UInt8](repeating: 0, count: offset - bytes.count)
      let digits = line.dropFirst(10).prefix(47).split(separator: " ")
      bytes += try digits.map { try #require(UInt8($0, radix: 16)) }
    }
    return bytes
  }

  @Test func headingNamesTheLatestVersion() {
    #expect(Self.document.hasPrefix("# The index format, version 1.\(IndexHeader.minorVersion)\n"))
    #expect(Self.document.contains("- **1.\(IndexHeader.minorVersion)** — "))
  }

  /// Compares the table of sections with the kinds of sections in the sources.
  @Test func tableOfSectionsNamesEveryKind() throws {
    let start = try #require(Self.document.range(of: "| kind | section | flags | length | number of sections |\n"))
    let rows = Self.document[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
    var kinds: [IndexSection.Kind] = []
    for row in rows.prefix(while: { $0.hasPrefix("|") }) {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let kind = IndexSection.Kind(rawValue: try #require(UInt32(cells[0])))
      kinds.append(kind)
      let since = kind.minorVersion == 0 ? "" : ", since 1.\(kind.minorVersion)"
      #expect(cells[1] == kind.description + since)
      #expect(cells[2] == (kind.isRequired ? "1" : "0"), "\(kind)")
      #expect(cells[4].contains("for each column") == kind.isOfColumn, "\(kind)")
      #expect((cells[4] == "0 or more") == kind.isColumn, "\(kind)")
      // With 1000 points and 13 nodes, no two formulas for the length have the same value.
      let lengths = [
        "8 × points": 8000, "4 × points": 4000, "2 × points": 2000, "⌈points / 2⌉": 500, "⌈points / 8⌉": 125,
        "24 × nodes": 312, "16 × ⌊nodes / 2⌋": 96, "12 × ⌊nodes / 2⌋": 72,
      ]
      #expect(kind.length(ofPoints: 1000, nodes: 13) == lengths[cells[3]], "\(kind)")
    }
    #expect(kinds.sorted { $0.rawValue < $1.rawValue } == IndexSection.Kind.all)
  }

  @Test func workedExampleIsWhatTheWriterWrites() throws {
    let points = Array(try block("csv").joined(separator: "\n").utf8)
    let table = try PointReader.read(bytes: points, name: "csv", options: ReadingOptions(keepsColumns: true))
    let tree = try ClusterTree(table.coordinates).withSeparations()
    let kind = IndexAttribute(name: "kind") { table.columns(ofPoint: $0).first { $0.name == "kind" }!.value }
    #expect(try dump() == tree.indexBytes(attributes: [kind]))
  }

  @Test func workedExampleIsSound() throws {
    let index = IndexBytes(try dump())
    #expect(try index.problems() == [])
    #expect(try index.open().attributes(atTreeIndex: 2).first?.value == .string("ice"))
    #expect(Self.document.contains("writes \(try dump().count) bytes"))
  }
}

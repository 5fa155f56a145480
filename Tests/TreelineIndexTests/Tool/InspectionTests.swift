import Foundation
import PointSets
import TestSupport
import Testing
import Treeline
import TreelineBuilder

/// Checks that `treelinemap inspect` accounts for every byte of an index.
@Suite struct InspectionTests {
  private func lines(of index: TestIndex) throws -> [[Substring]] {
    let folder = try TemporaryFolder()
    let path = try folder.write(try index.bytes(), to: "index")
    let result = try Tool.run("inspect", path)
    #expect(result.code == 0)
    return result.output.split(separator: "\n", omittingEmptySubsequences: false).map { $0.split(separator: " ") }
  }

  @Test(arguments: TestIndex.all) func rowsAddUpToTheFile(_ index: TestIndex) throws {
    let lines = try lines(of: index)
    let start = try #require(lines.firstIndex { $0.first == "section" }) + 1
    let table = lines[start...].prefix { !$0.isEmpty }
    #expect(table.last?.starts(with: ["header", "and", "padding"]) == true)
    // The number of bytes is the last whole number of a row. Offsets come before it, and the bytes per point have a
    // decimal point.
    let bytes = try table.map { row in try #require(row.prefix { !$0.contains(".") }.compactMap { Int($0) }.last) }
    #expect(bytes.reduce(0, +) == (try index.bytes().count))
  }

  @Test func attributesAndTheirEncodings() throws {
    let lines = try lines(of: .columns)
    let start = try #require(lines.firstIndex { $0.first == "attribute" && $0.contains("entries") })
    #expect(
      Array(lines[(start + 1)...].prefix { !$0.isEmpty }) == [
        ["dictionary", "3", "\"name\""], ["numbers", "\"population\""], ["dictionary", "6", "\"mixed\""],
      ])
  }

  @Test func spacingThatCanBeAskedFor() throws {
    #expect(try lines(of: .spaced).contains(["spacing", "supported"]))
    #expect(try lines(of: .nodes).contains { $0.starts(with: ["spacing", "not", "supported:"]) })
  }

  @Test func noAttributesNoTable() throws { #expect(try !lines(of: .tiny).contains { $0.contains("entries") }) }
}

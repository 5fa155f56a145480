import Foundation
import PointSets
import TestSupport
import Testing
@_spi(Server) @testable import Treeline
import TreelineBuilder
import TreelineVerification

/// Checks that `verify` finds impossible values in any bytes of a column, and that no reader traps.
@Suite struct ColumnDamageTests {
  private static let columns = [
    IndexColumn(name: "price", kind: .number) { $0 % 7 == 0 ? .null : .number("\($0 * 37 % 900).25") }
      .prepared(for: .percentiles, .distinct),
    IndexColumn(name: "real", kind: .number) { .number($0 % 2 == 0 ? "1e300" : "1e-300") },
    IndexColumn(name: "kind", kind: .category) { $0 % 5 == 0 ? .null : .string("kind \($0 % 3)") }
      .prepared(for: .percentiles, .distinct, .search),
    IndexColumn(name: "open", kind: .boolean) { $0 % 4 == 0 ? .null : .bool($0 % 3 == 0) },
    IndexColumn(name: "opened", kind: .time) { .string("19\(60 + $0 % 40)-05-01T00:00:0\($0 % 10).5Z") },
    IndexColumn(name: "note", kind: .text) { [.string("a b c"), .number("1.50"), .null, .json("[1]"), nil][$0 % 5] }
      .prepared(for: .search),
  ]

  private func bytes() throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let tree = try PointSet.cities(60, clusters: 3, seed: 71).tree()
    try tree.write(toFile: folder.path("index"), columns: Self.columns)
    return Array(try Data(contentsOf: URL(fileURLWithPath: folder.path("index"))))
  }

  private func exercise(_ tree: ClusterTree) {
    for index in 0..<tree.pointCount { _ = tree.attributes(atTreeIndex: index) }
    for column in tree.searchableColumns {
      for text in ["a", "kind 1", "b", "2", "z"] {
        let hits = (try? tree.search(text, in: column, limit: 100)) ?? []
        #expect(hits.allSatisfy { $0.treeIndex < tree.pointCount })
      }
    }
    guard let clusters = try? tree.clusters(.limit(5), in: .everything) else { return }
    for column in tree.columns {
      for filter: Filter in [
        .whereMissing(column.name), !.whereMissing(column.name), .where(column.name, .isLess, 100),
        .where(column.name, .equals, "kind 1"), .where(column.name, isLike: "%1%"), .where(column.name, .equals, true),
        .where(column.name, .isAtLeast, .instant(Instant(seconds: 0))),
      ] { _ = try? tree.filtered(by: filter).clusters(.limit(5), in: .everything).map(\.x) }
      for aggregate: Aggregate in [
        .count(column.name), .sum(column.name), .mean(column.name), .variance(column.name), .min(column.name),
        .max(column.name), .counts(column.name), .median(column.name), .distinct(column.name), .any(column.name),
        .mean(column.name, weight: "price"), .percentile(100, of: column.name),
      ] { _ = try? clusters.values(of: [aggregate]) }
    }
  }

  @Test func soundColumnsAreSound() throws {
    let index = IndexBytes(try bytes())
    #expect(try index.problems() == [])
    exercise(try index.open())
  }

  /// Changes each byte in several ways, with and without repaired checksums.
  @Test func changedBytesAreFoundOrHarmless() throws {
    let bytes = try bytes()
    let sections = try IndexEditor(bytes).header.sections.filter { $0.kind == .column }
    #expect(sections.count == Self.columns.count)
    var (foundCount, soundCount) = (0, 0)
    for section in sections {
      for offset in Int(section.offset)..<Int(section.offset + section.length) {
        for change in Trials.some(of: [0x01, 0x80, 0xFF] as [UInt8]) {
          var editor = try IndexEditor(bytes)
          editor.store(bytes[offset] ^ change, at: offset)
          if change == 1 {
            let problems = try? IndexBytes(editor.bytes).problems()
            #expect(problems?.isEmpty != true, "byte \(offset)")
          }
          let forged = editor.repaired()
          if let tree = try? forged.open() { exercise(tree) }
          let isSound = (try? forged.problems().isEmpty) ?? false
          (foundCount, soundCount) = isSound ? (foundCount, soundCount + 1) : (foundCount + 1, soundCount)
        }
      }
    }
    // A change that is not detected gives another possible value, which cannot be distinguished from the right value.
    #expect(foundCount > (Trials.chosen == .fast ? 300 : 1000), "\(foundCount) found, \(soundCount) not")
  }

  /// The values determine every bit of the ranks, links and searches. Checks that each change of a byte is found and
  /// located.
  @Test func changedBytesOfSectionsOfColumnsAreFoundAndHarmless() throws {
    let bytes = try bytes()
    let sections = try IndexEditor(bytes).header.sections.filter(\.kind.isOfColumn)
    #expect(sections.map(\.kind) == [.ranks, .links, .ranks, .links, .search, .search])
    for section in sections {
      for offset in Int(section.offset)..<Int(section.offset + section.length) {
        for change in Trials.some(of: [0x01, 0x80, 0xFF] as [UInt8]) {
          var editor = try IndexEditor(bytes)
          editor.store(bytes[offset] ^ change, at: offset)
          let forged = editor.repaired()
          guard let tree = try? forged.open() else { continue }
          exercise(tree)
          let problems = try forged.problems()
          #expect(
            problems.contains { $0.location.contains("\(section.kind)") && $0.location.contains("column") },
            "byte \(offset - Int(section.offset)) of \(section.kind): \(problems)")
          if change == 1 {
            #expect(try !IndexBytes(editor.bytes).problems().isEmpty)
          }
        }
      }
    }
  }

  /// Checks that a query returns a number, whatever a section contains.
  @Test func randomSectionsOfColumnsAreHarmless() throws {
    let bytes = try bytes()
    let sections = try IndexEditor(bytes).header.sections.filter(\.kind.isOfColumn)
    for seed in Trials.seeds(300) {
      var random = SplitMix64(seed: 51_000 + seed)
      var editor = try IndexEditor(bytes)
      for section in sections {
        // The loop begins after the part that is checked on opening.
        let start = Int(section.offset) + (section.kind == .search ? ColumnSearch.Offset.lists : 12)
        for offset in stride(from: start, to: Int(section.offset + section.length), by: 4) {
          editor.store([0, UInt32.max, UInt32(truncatingIfNeeded: random.next())][random.index(below: 3)], at: offset)
        }
      }
      exercise(try editor.repaired().open())
    }
  }

  @Test func sectionsOfOtherColumnsAreRefused() throws {
    let bytes = try bytes()
    let sections = try IndexEditor(bytes).header.sections.filter { $0.kind == .ranks }
    // Two sections of columns that do not exist, and a second section of a column that already has one.
    for (section, number) in [(sections[0], UInt32(6)), (sections[0], .max), (sections[1], 0)] {
      var editor = try IndexEditor(bytes)
      editor.store(number, at: Int(section.offset))
      #expect(throws: IndexError.self) { try editor.repaired().open() }
    }
  }
}

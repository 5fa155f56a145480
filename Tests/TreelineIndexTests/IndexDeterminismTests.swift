import PointSets
import Testing
import Treeline
import TreelineBuilder

/// Checks that equal points give the same file.
@Suite struct IndexDeterminismTests {
  /// Some sets are large enough to keep several threads busy.
  static let sets =
    PointSet.nasty + [.cities(30_000, seed: 21), .coarse(20_000, side: 30, seed: 22), .roads(20_000, seed: 23)]

  @Test(arguments: sets) func anyOrderGivesTheSameHierarchy(_ set: PointSet) throws {
    for (purpose, codes) in [(.limit, []), (.spacing, [.separations])] as [(BuildPurpose, [IndexSection.Kind])] {
      let bytes = try IndexEditor(set.tree(supporting: purpose).indexBytes())
      let shuffled = try IndexEditor(set.shuffled(seed: 31).tree(supporting: purpose).indexBytes())
      for kind in IndexSection.Kind.hierarchy + codes {
        #expect(bytes.section(kind) == shuffled.section(kind), "\(purpose), \(kind)")
      }
      // Only the rows may differ, and with them the checksum of the rows and the checksum of the header.
      #expect(bytes.header.contentHash == shuffled.header.contentHash)
      #expect(bytes.bytes.count == shuffled.bytes.count)
    }
  }

  @Test(arguments: sets) func anyNumberOfThreadsGivesTheSameFile(_ set: PointSet) throws {
    for purpose in [BuildPurpose.limit, .spacing] {
      let bytes = try set.tree(supporting: purpose, threads: 1).indexBytes()
      for threads in [1, 2, 3] {
        let found = try set.tree(supporting: purpose, threads: threads).indexBytes()
        #expect(found == bytes, "\(purpose), \(threads) threads")
      }
    }
  }

  /// Swift's hash values differ from run to run and from set to set. Checks that the dictionaries of columns do not.
  @Test func columnsAreTheSameInEveryBuild() throws {
    let bytes = try TestIndex.columns.bytes()
    for _ in 0..<10 { #expect(try TestIndex.columns.bytes() == bytes) }
  }

  /// Tests points with distinct positions, so that the tree determines the order of their values.
  @Test func typedColumnsDependOnNeitherThreadsNorOrder() throws {
    let set = PointSet.uniformWorld(20_000, seed: 24)
    #expect(Set(set.coordinates).count == 20_000)
    func index(_ rows: [Int], threads: Int) throws -> IndexEditor {
      let coordinates = rows.map { set.coordinates[$0] }
      let columns = [
        IndexColumn(name: "price", kind: .number) { rows[$0] % 9 == 0 ? .null : .number("\(rows[$0] * 7919 % 5000).5") }
          .prepared(for: .percentiles, .distinct),
        IndexColumn(name: "kind") { .string("kind \(rows[$0] % 11)") }.prepared(for: .percentiles, .distinct),
        IndexColumn(name: "real", kind: .number) { .number("\(rows[$0] % 30)e-100") }
          .prepared(for: .percentiles, .distinct),
      ]
      let tree = try ClusterTree(coordinates, options: BuildOptions(threads: threads))
      return try IndexEditor(tree.indexBytes(columns: columns))
    }
    let rows = Array(set.coordinates.indices)
    let expected = try index(rows, threads: 1)
    let kinds = [IndexSection.Kind.column, .ranks, .links]
    let sections = expected.header.sections.filter { kinds.contains($0.kind) }
    #expect(sections.count == 9)
    var random = SplitMix64(seed: 25)
    #expect(try index(rows, threads: 2).bytes == expected.bytes)
    let shuffled = try index(random.shuffled(rows), threads: 3)
    for (section, other) in zip(sections, shuffled.header.sections.filter { kinds.contains($0.kind) }) {
      #expect(section == other, "\(section.kind)")
      #expect(expected.bytes[section.range] == shuffled.bytes[other.range])
    }
  }
}

extension IndexEditor {
  func section(_ kind: IndexSection.Kind) -> ArraySlice<UInt8> {
    let section = header.sections.first { $0.kind == kind }!
    return bytes[Int(section.offset)..<Int(section.offset + section.length)]
  }
}

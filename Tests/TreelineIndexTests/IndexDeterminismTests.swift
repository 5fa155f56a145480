import PointSets
import Testing
import Treeline
import TreelineBuilder

/// The same points give the same file.
@Suite struct IndexDeterminismTests {
  /// Large enough for several threads to have something to do.
  static let sets =
    PointSet.nasty + [.cities(30_000, seed: 21), .coarse(20_000, side: 30, seed: 22), .roads(20_000, seed: 23)]

  @Test(arguments: sets) func anyOrderGivesTheSameHierarchy(_ set: PointSet) throws {
    let bytes = try IndexEditor(set.tree(computesSeparations: true).indexBytes())
    let shuffled = try IndexEditor(set.shuffled(seed: 31).tree(computesSeparations: true).indexBytes())
    for kind in IndexSection.Kind.hierarchy + [.separations] {
      #expect(bytes.section(kind) == shuffled.section(kind), "\(kind)")
    }
    // Only rows may differ, and with them their checksum and the header's.
    #expect(bytes.header.contentHash == shuffled.header.contentHash)
    #expect(bytes.bytes.count == shuffled.bytes.count)
  }

  @Test(arguments: sets) func anyNumberOfThreadsGivesTheSameFile(_ set: PointSet) throws {
    let bytes = try set.tree(threads: 1, computesSeparations: true).indexBytes()
    for threads in [1, 2, 3] {
      let found = try set.tree(threads: threads, computesSeparations: true).indexBytes()
      #expect(found == bytes, "\(threads) threads")
    }
  }

  /// Hashing differs from run to run and from set to set; dictionaries of columns must not.
  @Test func columnsAreTheSameInEveryBuild() throws {
    let bytes = try TestIndex.columns.bytes()
    for _ in 0..<10 { #expect(try TestIndex.columns.bytes() == bytes) }
  }
}

extension IndexEditor {
  func section(_ kind: IndexSection.Kind) -> ArraySlice<UInt8> {
    let section = header.sections.first { $0.kind == kind }!
    return bytes[Int(section.offset)..<Int(section.offset + section.length)]
  }
}

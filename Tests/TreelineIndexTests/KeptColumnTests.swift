import Foundation
import PointSets
import TestSupport
import Testing
import TreelineBuilder
import TreelineVerification

@_spi(Server) @testable import Treeline

/// Opens a tree and writes it again. Its columns must stay the same, byte for byte.
@Suite struct KeptColumnTests {
  static let attributes = [
    IndexAttribute(name: "note") { $0 % 3 == 0 ? nil : .string("note \($0 % 5)") },
    IndexAttribute(name: "height") { .number("\($0).5") },
  ]

  static let columns = [
    IndexColumn(name: "price", kind: .number) { .number("\($0 % 40)") }.prepared(for: .percentiles, .distinct),
    IndexColumn(name: "kind", kind: .category) { .string("kind \($0 % 4)") }.prepared(for: .search),
    IndexColumn(name: "opened", kind: .time) { .number("\($0 * 1000)") }.prepared(for: .distinct),
  ]

  private static func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

  private static func expectSound(_ path: String) throws {
    #expect(try ClusterTree.problems(ofIndex: path).isEmpty)
  }

  @Test func anIndexThatIsOpenedAndWrittenIsTheSame() throws {
    let tree = try PointSet.cities(700, clusters: 4, seed: 12).tree()
    let folder = try TemporaryFolder()
    let description = IndexDescription(title: "Inns", attribution: "Ours")
    try tree.write(
      toFile: folder.path("first"), attributes: Self.attributes, columns: Self.columns, description: description)
    try ClusterTree(contentsOfFile: folder.path("first")).write(toFile: folder.path("second"))
    #expect(try Self.bytes(folder.path("first")) == Self.bytes(folder.path("second")))
    // The tree may have a filter, and the new index may replace the file that the tree was opened from.
    let filtered = try ClusterTree(contentsOfFile: folder.path("first")).filtered(by: Filter("kind = 'kind 1'"))
    try filtered.write(toFile: folder.path("first"))
    #expect(try Self.bytes(folder.path("first")) == Self.bytes(folder.path("second")))
    try Self.expectSound(folder.path("second"))
  }

  @Test func columnsThatWereAddedAreKept() throws {
    let tree = try PointSet.cities(700, clusters: 4, seed: 13).tree()
    let folder = try TemporaryFolder()
    try tree.write(toFile: folder.path("given"), columns: Self.columns)
    try tree.adding(columns: [Self.columns[0]]).adding(columns: Array(Self.columns[1...]))
      .write(toFile: folder.path("added"))
    #expect(try Self.bytes(folder.path("given")) == Self.bytes(folder.path("added")))
    // Adds a column to the columns that the file already has.
    try tree.write(toFile: folder.path("one"), columns: [Self.columns[0]])
    try ClusterTree(contentsOfFile: folder.path("one")).adding(columns: [Self.columns[1]])
      .write(toFile: folder.path("three"), columns: [Self.columns[2]])
    #expect(try Self.bytes(folder.path("given")) == Self.bytes(folder.path("three")))
  }

  @Test func aColumnThatIsGivenTakesThePlaceOfItsName() throws {
    let tree = try PointSet.cities(300, clusters: 4, seed: 14).tree()
    let folder = try TemporaryFolder()
    try tree.write(toFile: folder.path("old"), attributes: Self.attributes, columns: Self.columns)
    try ClusterTree(contentsOfFile: folder.path("old")).write(
      toFile: folder.path("new"), attributes: [IndexAttribute(name: "kind") { .string("\($0)") }],
      columns: [IndexColumn(name: "note", kind: .number) { .number("\($0)") }.prepared(for: .percentiles)],
      description: IndexDescription(title: "New"))
    let new = try ClusterTree(contentsOfFile: folder.path("new"))
    #expect(new.columns.map(\.name) == ["height", "kind", "price", "opened", "note"])
    #expect(new.indexDescription.title == "New")
    for index in 0..<new.pointCount {
      let row = new.row(atTreeIndex: index)
      #expect(
        new.columns.map { $0.value(atTreeIndex: index)?.text } == [
          "\(row).5", "\(row)", "\(row % 40)", "\(Instant(seconds: Int64(row) * 1000, nanoseconds: 0))", "\(row)",
        ])
    }
    // Checks the ranks and links of columns that now have another number.
    let all = try new.clusters(.limit(1), in: .everything)
    let expected = try ClusterTree(contentsOfFile: folder.path("old")).clusters(.limit(1), in: .everything)
    let aggregates: [Aggregate] = [.median("price"), .distinct("price"), .distinct("opened")]
    #expect(try all.values(of: aggregates) == expected.values(of: aggregates))
    #expect(new.columns.map { $0.ranks != nil } == [false, false, true, false, true])
    #expect(new.columns.map { $0.links != nil } == [false, false, true, true, false])
    try Self.expectSound(folder.path("new"))
    #expect(throws: IndexWritingError.attributeTwice(name: "a")) {
      let twice = IndexColumn(name: "a") { _ in nil }
      try new.write(toFile: folder.path("none"), columns: [twice, twice])
    }
  }

  @Test func columnsAreRemoved() throws {
    let tree = try PointSet.cities(300, clusters: 4, seed: 15).tree()
    let folder = try TemporaryFolder()
    try tree.write(toFile: folder.path("bare"))
    let full = try tree.adding(columns: Self.columns)
    try full.removing(columns: Set(full.columns.map(\.name))).write(toFile: folder.path("removed"))
    #expect(try Self.bytes(folder.path("bare")) == Self.bytes(folder.path("removed")))
    #expect(full.removing(columns: ["kind", "none"]).columns.map(\.name) == ["price", "opened"])
  }

  /// Checks that indexes of versions 1.0 to 1.3 keep their columns, too.
  @Test func oldIndexesKeepTheirAttributes() throws {
    let tree = try PointSet.cities(300, clusters: 4, seed: 16).tree()
    let folder = try TemporaryFolder()
    try tree.write(toFile: folder.path("old"), attributes: Self.attributes)
    #expect(try IndexHeader(ofIndex: folder.path("old")).minorVersion == 0)
    try ClusterTree(contentsOfFile: folder.path("old")).write(toFile: folder.path("again"))
    #expect(try Self.bytes(folder.path("old")) == Self.bytes(folder.path("again")))
  }
}

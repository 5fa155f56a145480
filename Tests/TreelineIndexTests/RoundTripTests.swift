import Foundation
import PointSets
import TestSupport
import Testing
@_spi(Server) @testable import Treeline
import TreelineBuilder
import TreelineFormats
import TreelineVerification

/// Checks that answers from a file equal answers from memory, to the last bit.
@Suite struct RoundTripTests {
  static let random = Trials.seeds(40, from: 1).map { PointSet.random(seed: $0) }

  @Test(arguments: PointSet.nasty + random) func fileAnswersAsMemoryDoes(_ set: PointSet) throws {
    for tree in try [set.tree(hasSeparations: true), set.tree(supporting: .spacing)] {
      let index = IndexBytes(try tree.indexBytes())
      try expectSameAnswers(tree, index.open(), set)
      #expect(try index.problems() == [])
    }
  }

  static let fixtures = [
    "cities.csv.gz", "airports.csv.gz", "iceland_addresses.csv.gz", "nasty/extremes.csv", "nasty/geometric_spread.csv",
    "formats/planar.csv",
  ]

  @Test(arguments: fixtures) func fixturesAnswerAsMemoryDoes(_ name: String) throws {
    let table = try PointReader.read(path: Repository.path("Fixtures/\(name)"))
    let set = PointSet(name, table.coordinates, as: table.isPlanar ? .planar : .webMercator)
    let folder = try TemporaryFolder()
    for tree in try [set.tree(threads: 2), set.tree(supporting: .spacing, threads: 2)] {
      try tree.write(toFile: folder.path("index"))
      try expectSameAnswers(tree, ClusterTree(contentsOfFile: folder.path("index")), set)
      #expect(try ClusterTree.problems(ofIndex: folder.path("index")) == [])
    }
  }

  private func expectSameAnswers(_ tree: ClusterTree, _ opened: ClusterTree, _ set: PointSet) throws {
    #expect(opened.pointCount == tree.pointCount)
    #expect(opened.plane == tree.plane)
    #expect(opened.clippedPointCount == tree.clippedPointCount)
    #expect(opened.splitRule == tree.splitRule)
    #expect(opened.contentHash == tree.contentHash)
    #expect(try opened.shape() == tree.shape())
    var boxes = BoxMaker(for: set, seed: 11)
    for limit in [1, 2, 5, 20, 100, 1000] {
      for _ in 0..<2 {
        let box = boxes.next()
        #expect(try answer(tree, box, limit) == answer(opened, box, limit), "\(set), \(box), limit \(limit)")
      }
    }
    #expect(opened.hasSeparations == tree.hasSeparations)
    if tree.hasSeparations { try expectSameAnswersBySpacing(tree, opened, set) }
  }

  private func expectSameAnswersBySpacing(_ tree: ClusterTree, _ opened: ClusterTree, _ set: PointSet) throws {
    var boxes = BoxMaker(for: set, seed: 12)
    for zoom in Trials.some(of: Array(stride(from: -1.0, through: 25, by: 1.7)), atLeast: 4) {
      let (box, limit) = (boxes.next(), Int(zoom) % 2 == 0 ? 300 : .max)
      let expected = try describe(tree.clusters(.spacing(44).atMost(limit), in: Viewport(box, zoom: zoom)), of: tree)
      let found = try describe(opened.clusters(.spacing(44).atMost(limit), in: Viewport(box, zoom: zoom)), of: opened)
      #expect(found == expected, "\(set), \(box), zoom \(zoom)")
    }
  }

  /// Checks that the file of a tree without separations refuses a query with a spacing.
  @Test func fileWithoutSeparationsRefusesASpacing() throws {
    let opened = try IndexBytes(TestIndex.nodes.bytes()).open()
    #expect(!opened.hasSeparations)
    #expect(throws: QueryError.noSeparations) {
      _ = try opened.clusters(.spacing(44), in: PlaneWindow.everything, zoom: 3)
    }
  }

  /// The hierarchy determines the separations. Checks that separations do not change the content hash, and that they
  /// only add their own section to the file.
  @Test(arguments: [PointSet.cities(3000, seed: 13), .none, .one]) func separationsAddTheirSectionAndNothingElse(
    _ set: PointSet
  ) throws {
    let (with, without) = try (
      IndexEditor(set.tree(hasSeparations: true).indexBytes()), IndexEditor(set.tree().indexBytes())
    )
    #expect(with.header.contentHash == without.header.contentHash)
    for section in without.header.sections { #expect(with.section(section.kind) == without.section(section.kind)) }
    #expect(with.section(.separations).count == 2 * set.coordinates.count)
    #expect(with.header.sections.count == without.header.sections.count + 1)
  }

  /// Returns all properties of the clusters in a box, as texts with all digits of the doubles.
  private func answer(_ tree: ClusterTree, _ box: BoundingBox, _ limit: Int) throws -> [String] {
    try describe(tree.clusters(.limit(limit), in: Viewport(box)), of: tree)
  }

  private func describe(_ clusters: Clusters, of tree: ClusterTree) -> [String] {
    clusters.map { cluster in
      let rows = tree.members(of: cluster).reduce(0 as UInt64) { $0 &* 0x100_0000_01B3 ^ UInt64($1) }
      return "\(cluster) \(cluster.ellipse) \(cluster.coordinate) \(cluster.bounds) rows \(rows)"
    }
  }
}

import Foundation
import PointSets
import Testing
import Treeline
import TreelineBuilder
import TreelineFormats

/// Answers from a file are those from memory, to the last bit.
@Suite struct RoundTripTests {
  static let random = (1...40).map { PointSet.random(seed: $0) }

  @Test(arguments: PointSet.nasty + random)
  func fileAnswersAsMemoryDoes(_ set: PointSet) throws {
    let tree = try set.tree()
    let index = IndexBytes(try tree.indexBytes())
    try expectSameAnswers(tree, index.open(), set)
    #expect(try index.problems() == [])
  }

  static let fixtures = [
    "cities.csv.gz", "airports.csv.gz", "iceland_addresses.csv.gz", "nasty/extremes.csv",
    "nasty/geometric_spread.csv",
    "formats/planar.csv",
  ]

  @Test(arguments: fixtures)
  func fixturesAnswerAsMemoryDoes(_ name: String) throws {
    let table = try PointReader.read(path: Repository.path("Fixtures/\(name)"))
    let set = PointSet(name, table.coordinates, as: table.isPlanar ? .planar : .webMercator)
    let tree = try set.tree(threads: 2)
    let folder = try TemporaryFolder()
    try tree.write(index: folder.path("index"))
    try expectSameAnswers(tree, ClusterTree(index: folder.path("index")), set)
    #expect(try ClusterTree.problems(ofIndex: folder.path("index")) == [])
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
  }

  /// All that can be said of the clusters in a box; doubles in full.
  private func answer(_ tree: ClusterTree, _ box: BoundingBox, _ limit: Int) throws -> [String] {
    try tree.clusters(in: box, limit: limit).map { cluster in
      let rows = tree.members(of: cluster).reduce(0 as UInt64) { $0 &* 0x100_0000_01B3 ^ UInt64($1) }
      return "\(cluster) \(cluster.ellipse) \(cluster.coordinate) \(cluster.bounds) rows \(rows)"
    }
  }
}

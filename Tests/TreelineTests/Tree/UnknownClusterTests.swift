import PointSets
import Testing
@_spi(Server) import Treeline

/// Checks that an unknown id leads to an error, never to another cluster.
@Suite struct UnknownClusterTests {
  @Test(arguments: [
    PointSet.none, .one, .coincident(20), .twoStacks(3, 30), .uniformWorld(60, seed: 151),
    .coarse(60, side: 5, seed: 152),
  ]) func idsNearThoseOfTheTreeAreUnknown(_ set: PointSet) throws {
    let outline = try set.outline()
    let known = Set(outline.entries.map(\.cluster.id.rawValue))
    // Tries all levels up to the last level that fits into an id, for every point and for some indices beyond the last
    // point.
    for first in 0..<UInt64(set.coordinates.count + 3) {
      for level: UInt64 in Array(0...40) + [511, 512, 1022, 1023] {
        let raw = first << 10 | level
        if known.contains(raw) { continue }
        expectUnknown(raw, in: outline.tree)
      }
    }
    for raw: UInt64 in [1 << 41, 1 << 42, 1 << 53, 1 << 63, .max, .max - 1023] { expectUnknown(raw, in: outline.tree) }
  }

  private func expectUnknown(_ raw: UInt64, in tree: ClusterTree) {
    let id = ClusterID(rawValue: raw)
    let expected = QueryError.unknownCluster(id)
    #expect(throws: expected) { try tree.cluster(id) }
    #expect(throws: expected) { try tree.children(of: id) }
    #expect(throws: expected) { try tree.parent(of: id) }
    #expect(throws: expected) { try tree.ancestors(of: id) }
    #expect(expected.description.contains("the id \(raw);"))
  }

  @Test func aPointThatIsNoneIsRefused() throws {
    let tree = try PointSet.one.tree()
    for treeIndex in [-1, 1, .max, .min] {
      let expected = QueryError.unknownPoint(treeIndex: treeIndex, pointCount: 1)
      #expect(throws: expected) { try tree.clusters(containingTreeIndex: treeIndex) }
      #expect(throws: expected) { try tree.unclusteredZoom(ofTreeIndex: treeIndex, for: .detail(3)) }
      #expect(!tree.passes(treeIndex))
    }
  }

  @Test func aPositionThatIsNoneTraps() async {
    await #expect(processExitsWith: .failure) { _ = try PointSet.none.tree().position(atTreeIndex: 0) }
    await #expect(processExitsWith: .failure) {
      let tree = try PointSet.one.tree()
      _ = tree.members(of: try #require(tree.root))[1]
    }
  }
}

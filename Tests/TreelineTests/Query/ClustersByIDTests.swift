import PointSets
import TestSupport
import Testing
@_spi(Server) @testable import Treeline

@Suite struct ClustersByIDTests {
  /// Checks that the ids of an answer, in any order, give the same answer again.
  @Test(arguments: PointSet.nasty + Trials.seeds(20, from: 880).map { PointSet.random(seed: $0) })
  func answersComeBackByTheirIDs(_ set: PointSet) throws {
    let tree = try set.tree()
    var random = SplitMix64(seed: 171)
    for limit in [1, 3, 20, 1000] {
      let answer = try tree.clusters(.limit(limit), in: PlaneWindow.everything)
      #expect(try tree.clusters(withIDs: answer.map(\.id).shuffled(using: &random)) == answer)
    }
  }

  @Test func whatIsNoAnswerIsRefused() throws {
    let tree = try PointSet.random(seed: 5).tree()
    let root = try #require(tree.root)
    let child = try #require(tree.children(of: root.id).last)
    #expect(throws: QueryError.overlappingClusters(root.id, child.id)) {
      try tree.clusters(withIDs: [child.id, root.id])
    }
    #expect(throws: QueryError.overlappingClusters(child.id, child.id)) {
      try tree.clusters(withIDs: [child.id, child.id])
    }
    let unknown = ClusterID(rawValue: 1 << 52)
    #expect(throws: QueryError.unknownCluster(unknown)) { try tree.clusters(withIDs: [unknown]) }
    #expect(try tree.clusters(withIDs: []).isEmpty)
  }
}

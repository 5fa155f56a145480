import PointSets
import TestSupport
import Testing
import TreelineBuilder

@_spi(Server) @testable import Treeline

@Suite struct AnswerArraysTests {
  /// Checks that arrays equal the values of the clusters bit for bit: for every growth, for clusters positioned at
  /// members, and with a filter.
  @Test(arguments: Trials.seeds(200)) func arraysSayWhatClustersSay(_ seed: UInt64) throws {
    var random = SplitMix64(seed: 30_000 + seed)
    let tree = try ClusterTree.any(&random)
    for tree in [tree, FilteredTree(tree, &random).filtered] {
      for cut in [Cut.limit(1), .limit(60), .detail(30), .spacing(44), .badges()].filter(tree.supports) {
        let answer = try tree.clusters(cut, in: PlaneWindow.everything, zoom: random.number(from: 0, to: 16))
        #expect(answer.coordinates == answer.map(\.coordinate), "seed \(seed), \(cut)")
        #expect(answer.pointCounts == answer.map(\.pointCount), "seed \(seed), \(cut)")
      }
    }
  }

  @Test func anEmptyAnswerHasEmptyArrays() throws {
    let answer = try PointSet("none", []).tree().clusters(.limit(5), in: PlaneWindow.everything, zoom: 3)
    #expect(answer.coordinates.isEmpty && answer.pointCounts.isEmpty)
  }
}

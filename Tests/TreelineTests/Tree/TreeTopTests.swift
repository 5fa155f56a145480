import PointSets
import Testing
import TreelineBuilder

@testable import Treeline

/// Checks the upper part of a tree, from which web pages answer queries.
@Suite struct TreeTopTests {
  @Test(arguments: PointSet.nasty + [.cities(1500, seed: 401), .antimeridian(800, seed: 402)], [1, 2, 7, 100, 5000])
  func holdsWhatIsShownAtEveryScaleThatItReaches(_ set: PointSet, most: Int) throws {
    let tree = try set.tree(computesSeparations: true)
    let leaves = try tree.top(most: most).leaves
    #expect(leaves.count <= most)
    #expect(leaves.reduce(0) { $0 + Int($1.count) } == tree.pointCount)
    // A leaf is the node directly below the deeper of the splits next to it, and it has the sums of that node.
    var first: UInt32 = 0
    for (number, leaf) in leaves.enumerated() {
      let beside = (number > 0 ? [leaf] : []) + leaves[(number + 1)...].prefix(1)
      let level = beside.map { Int($0.level) + 1 }.max() ?? 0
      let cluster = try tree.cluster(ClusterID(first: first, level: level))
      #expect(cluster.pointCount == Int(leaf.count) && cluster.rect == leaf.box)
      #expect(cluster.meanX == mean(leaf.box.minX, leaf.sums.x, leaf.count))
      first += leaf.count
    }
    // A leaf is split only at scales at which all splits of the top are made.
    let least = leaves.dropFirst().map(\.code).min() ?? .max
    #expect(leaves.allSatisfy { $0.ownCode < least || $0.ownCode == 0 })
  }

  @Test func isAllOfATreeThatFits() throws {
    let tree = try PointSet.cities(700, seed: 403).tree(computesSeparations: true)
    let leaves = try tree.top(most: 700).leaves
    #expect(leaves.allSatisfy { $0.ownCode == 0 && $0.box.isPoint })
  }

  @Test func needsSeparations() throws {
    let tree = try PointSet.cities(10, seed: 404).tree()
    #expect(throws: QueryError.noSeparations) { try tree.top(most: 3) }
  }

  private func mean(_ corner: UInt32, _ sum: UInt64, _ count: UInt32) -> Double {
    let x = Double(corner) + Double(sum) / Double(count)
    return x < 0x1p32 ? x : x - 0x1p32
  }
}

import PointSets
import Testing
@testable import Treeline

/// Follows all paths through small trees, cluster by cluster.
@Suite struct NavigationExhaustiveTests {
  static let sets: [PointSet] =
    PointSet.stacks + PointSet.geometricSpreads + [
      .uniformWorld(200, seed: 141), .cities(200, seed: 142), .coarse(200, side: 6, seed: 143), .circle(90), .poles,
      .tenths,
    ]

  @Test(arguments: sets) func everyIdLeadsToItsCluster(_ set: PointSet) throws {
    let outline = try set.outline()
    for entry in outline.entries {
      #expect(try outline.tree.cluster(entry.cluster.id) == entry.cluster)
      #expect(ClusterID(rawValue: entry.cluster.id.rawValue) == entry.cluster.id)
      #expect(entry.cluster.id.rawValue < 1 << 53)
    }
    #expect(Set(outline.entries.map(\.cluster.id)).count == outline.entries.count)
    // The outline lists clusters in tree order, each before its descendants. The order of their ids is the same.
    #expect(outline.entries.map(\.cluster.id) == outline.entries.map(\.cluster.id).sorted())
  }

  @Test(arguments: sets) func everyParentHasItsChildren(_ set: PointSet) throws {
    let outline = try set.outline()
    for entry in outline.entries {
      var ancestors: [Cluster] = []
      var above = entry.parent
      while let parent = above {
        ancestors.append(outline.entries[parent].cluster)
        above = outline.entries[parent].parent
      }
      #expect(try outline.tree.parent(of: entry.cluster.id) == ancestors.first)
      #expect(try outline.tree.ancestors(of: entry.cluster.id) == ancestors.reversed())
    }
  }

  @Test(arguments: sets) func everyPointIsHeldByAPathFromTheRoot(_ set: PointSet) throws {
    let outline = try set.outline()
    let tree = outline.tree
    var holding = [[Cluster]](repeating: [], count: tree.pointCount)
    for entry in outline.entries { for index in entry.cluster.range { holding[index].append(entry.cluster) } }
    for index in holding.indices {
      #expect(try tree.clusters(containingTreeIndex: index) == holding[index], "point \(index)")
    }
  }

  @Test(arguments: [PointSet.cities(40, seed: 144), .twoStacks(3, 2), .coarse(50, side: 4, seed: 145)])
  func ancestorsContainAndNothingElseDoes(_ set: PointSet) throws {
    let outline = try set.outline()
    for (index, entry) in outline.entries.enumerated() {
      for (other, below) in outline.entries.enumerated() {
        var above = below.parent
        while let parent = above, parent != index { above = outline.entries[parent].parent }
        #expect(entry.cluster.isAncestor(of: below.cluster) == (above != nil), "\(index), \(other)")
      }
    }
  }
}

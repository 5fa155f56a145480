import PointSets
import Testing
import Treeline

@Suite struct MembersTests {
  @Test(arguments: [PointSet.cities(700, seed: 161), .nullIsland(stack: 200, noise: 100, seed: 162), .one])
  func pagesMakeTheWhole(_ set: PointSet) throws {
    let outline = try set.outline()
    for entry in outline.entries.prefix(100) {
      let members = outline.tree.members(of: entry.cluster)
      #expect(members.count == entry.cluster.pointCount)
      for size in [1, 7, 100, 10_000] {
        var pages: [Int] = []
        for start in stride(from: 0, to: members.count, by: size) {
          let page = members.dropFirst(start).prefix(size)
          #expect(page.count == min(size, members.count - start))
          pages += page
        }
        #expect(pages == Array(members))
      }
    }
  }

  @Test(arguments: [
    PointSet.cities(300, seed: 163), .coarse(300, side: 7, seed: 164), .tenths, .antimeridian(90, seed: 165),
  ]) func membersLieWhereTheirClusterIs(_ set: PointSet) throws {
    let outline = try set.outline()
    for entry in outline.entries {
      let members = outline.tree.members(of: entry.cluster)
      for (offset, row) in members.enumerated() {
        let point = outline.tree.plane.point(at: set.coordinates[row])
        #expect(entry.cluster.rect.contains(point))
        #expect(point == outline.tree.position(atTreeIndex: entry.cluster.range.lowerBound + offset))
      }
      let below = entry.children.flatMap { outline.tree.members(of: outline.entries[$0].cluster) }
      #expect(below.isEmpty || below == Array(members))
    }
  }
}

@testable import GridBaseline
import Testing
@testable import Treeline

struct GridMembersTests {
  @Test func pagesJoinToAllMembersAscending() {
    let set = NastyPoints.clumps(seed: 21, count: 1000)
    let grid = Grid(set.points, on: .webMercator(seam: 12345))
    let clusters = grid.clusters(in: .everything, cellSide: 1 << 29)
    #expect(clusters.map { grid.members(of: $0) }.joined().sorted() == Array(set.points.indices))
    for cluster in clusters {
      let all = grid.members(of: cluster)
      #expect(all.count == cluster.pointCount)
      #expect(all == all.sorted())
      let pages = stride(from: 0, to: cluster.pointCount, by: 7).map { grid.members(of: cluster, offset: $0, limit: 7) }
      #expect(Array(pages.joined()) == all)
      #expect(pages.dropLast().allSatisfy { $0.count == 7 })
      #expect(grid.members(of: cluster, offset: cluster.pointCount).isEmpty)
      #expect(grid.members(of: cluster, offset: .max, limit: .max).isEmpty)
      #expect(grid.members(of: cluster, limit: 0).isEmpty)
    }
  }

  @Test func anEmptyGridAnswersNothing() {
    let grid = Grid([], on: .webMercator(seam: 7))
    #expect(grid.count == 0)
    #expect(grid.bounds == nil)
    #expect(grid.clusters(in: .everything, cellSide: 1).isEmpty)
    #expect(grid.rows(in: .everything).isEmpty)
    #expect(grid.pointCount(in: .everything) == 0)
  }

  @Test func boundsAreThoseOfThePlane() {
    let grid = Grid([PlanePoint(x: 3, y: 9), PlanePoint(x: 1, y: 20)], on: .webMercator(seam: .max - 1))
    #expect(grid.bounds == PlaneRect(minX: 1, minY: 9, maxX: 3, maxY: 20))
  }
}

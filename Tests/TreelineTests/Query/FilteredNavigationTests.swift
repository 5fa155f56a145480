import PointSets
import Testing
@_spi(Server) import Treeline
import TreelineBuilder

/// Checks clusters none of whose points pass the filter, and clusters that are not split at any zoom.
@Suite struct FilteredNavigationTests {
  @Test func aClusterWithoutPassingPointsSaysSo() throws {
    let kinds = ["a", "a", "b", "b"]
    let tree = try ClusterTree([(1.0, 1.0), (1.1, 1), (50, 50), (50.1, 50)].map(Coordinate.init(longitude:latitude:)))
      .adding(columns: [IndexColumn(name: "k", kind: .category) { .string(kinds[$0]) }])
    let index = try #require(tree.treeIndex(ofRow: 2))
    let path = try tree.clusters(containingTreeIndex: index)
    let (id, point) = (path[1].id, try #require(path.last).id)
    let filtered = try tree.filtered(by: .where("k", .equals, "a"))
    for id in [id, point] {
      let expected = QueryError.noPassingPoint(of: id)
      #expect("\(expected)" == "no point of cluster \(id) passes the filter")
      #expect(throws: expected) { try filtered.cluster(id) }
      #expect(throws: expected) { try filtered.children(of: id) }
      #expect(throws: expected) { try filtered.parent(of: id) }
      #expect(throws: expected) { try filtered.ancestors(of: id) }
      #expect(throws: expected) { try filtered.separationZoom(of: id, for: .detail(20)) }
      #expect(throws: expected) { try filtered.clusters(withIDs: [id]) }
      #expect(throws: expected) { try filtered.nearestMember(of: id) }
    }
    let unknown = ClusterID(rawValue: 77)
    #expect(throws: QueryError.unknownCluster(unknown)) { try filtered.cluster(unknown) }
    #expect(try filtered.clusters(containingTreeIndex: index).isEmpty)
    #expect(try filtered.unclusteredZoom(ofTreeIndex: index, for: .detail(20)) == nil)
  }

  /// Checks two points that are only a few units apart. Their distance minus the greatest possible rounding error is
  /// zero.
  @Test(arguments: [Growth.merging(by: .distance), .merging(by: .scatter), .splitting(.mean)])
  func pointsTooNearForAnyPixelAreNeverParted(growth: Growth) throws {
    let coordinates = [(10.0, 50.0), (10.0000002, 50), (20, 20), (30, -30)].map(Coordinate.init(longitude:latitude:))
    let tree = try ClusterTree(coordinates, options: BuildOptions(growth: growth)).withSeparations()
    let path = try tree.clusters(containingTreeIndex: try #require(tree.treeIndex(ofRow: 0)))
    let pair = try #require(path.last { $0.pointCount == 2 })
    let cut = Cut.spacing(44)
    #expect(try tree.separationZoom(of: pair.id, for: cut) == nil)
    for zoom in [32.0, 81.459, 1000] {
      let shown = try tree.clusters(cut, in: .everything(zoom: zoom))
      #expect(shown.contains { $0.id == pair.id })
    }
  }
}

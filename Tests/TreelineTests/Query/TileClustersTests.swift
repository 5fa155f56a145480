import PointSets
import TestSupport
import Testing
@_spi(Server) @testable import Treeline
import TreelineBuilder

/// Checks which clusters have their positions in a window, against all clusters of the tree, one by one.
@Suite struct TileClustersTests {
  @Test(arguments: PointSet.nasty + (860..<900).map { PointSet.random(seed: UInt64($0)) })
  func clustersAreAnchoredAtTheirMeans(_ set: PointSet) throws {
    let tree = try set.tree(supporting: .spacing)
    var random = SplitMix64(seed: 161)
    for _ in 0..<Trials.count(20) {
      let window = PlaneWindow.random(over: tree, &random)
      let (zoom, pixels) = (Double.random(in: 0...20, using: &random), Double.random(in: 0...200, using: &random))
      let alone = UnclusteredPoints(
        leastMembers: 1 + random.index(below: 5), fromZoom: random.index(below: 3) == 0 ? 10 : .infinity)
      let byDetail = try tree.clusters(.detail(pixels).unclustered(alone), in: PlaneWindow.everything, zoom: zoom)
      #expect(
        try tree.clusters(.detail(pixels).unclustered(alone), centeredIn: window, zoom: zoom).map(\.id)
          == byDetail.filter { window.contains(x: $0.meanX, y: $0.meanY) }.map(\.id))
      let bySpacing = try tree.clusters(.spacing(pixels).unclustered(alone), in: PlaneWindow.everything, zoom: zoom)
      #expect(
        try tree.clusters(.spacing(pixels).unclustered(alone), centeredIn: window, zoom: zoom).map(\.id)
          == bySpacing.filter { window.contains(x: $0.meanX, y: $0.meanY) }.map(\.id))
    }
  }

  @Test func tilesEndAtZoom24() {
    let last = 1 << 24 - 1
    #expect(MapTile(zoom: 24, x: last, y: last) != nil && MapTile(zoom: 0, x: 0, y: 0) != nil)
    for (zoom, x, y) in [(25, 0, 0), (24, last + 1, 0), (24, 0, -1), (-1, 0, 0), (0, 0, 1)] {
      #expect(MapTile(zoom: zoom, x: x, y: y) == nil)
    }
  }

  @Test func aSpacingNeedsSeparations() throws {
    let tree = try ClusterTree([Coordinate(longitude: 0, latitude: 0)])
    #expect(throws: QueryError.noSeparations) {
      try tree.clusters(.spacing(4), centeredIn: PlaneWindow.everything, zoom: 3)
    }
  }
}

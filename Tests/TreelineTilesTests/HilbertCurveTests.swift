import Testing
@_spi(Server) import Treeline

@testable import TreelineTiles

@Suite struct HilbertCurveTests {
  /// Checks ids that the specification of PMTiles lists.
  @Test func idsAreThoseOfTheSpecification() {
    for (zoom, x, y, id) in [
      (0, 0, 0, 0), (1, 0, 0, 1), (1, 0, 1, 2), (1, 1, 1, 3), (1, 1, 0, 4), (2, 0, 0, 5), (12, 3423, 1763, 19_078_479),
    ] { #expect(HilbertCurve.id(of: MapTile(zoom: zoom, x: x, y: y)!) == UInt64(id)) }
  }

  @Test(arguments: 0...6) func idsOfAZoomAreDistinctAndNeighborsInTheListAreNeighborsOnTheMap(zoom: Int) {
    let side = 1 << zoom
    var tiles: [UInt64: MapTile] = [:]
    for x in 0..<side {
      for y in 0..<side {
        let tile = MapTile(zoom: zoom, x: x, y: y)!
        tiles[HilbertCurve.id(of: tile)] = tile
      }
    }
    let first = HilbertCurve.firstID(ofZoom: zoom)
    #expect(tiles.keys.sorted() == Array(first..<HilbertCurve.firstID(ofZoom: zoom + 1)))
    for id in first..<first + UInt64(side * side - 1) {
      let (a, b) = (tiles[id]!, tiles[id + 1]!)
      #expect(abs(a.x - b.x) + abs(a.y - b.y) == 1)
    }
  }

  @Test func childrenOfATileFollowOneAnother() {
    for tile in [MapTile(zoom: 0, x: 0, y: 0)!, MapTile(zoom: 5, x: 9, y: 30)!, MapTile(zoom: 23, x: 8_388_607, y: 0)!]
    {
      let ids = HilbertCurve.children(of: tile)!.map(HilbertCurve.id(of:))
      #expect(ids == Array(ids[0]..<ids[0] + 4))
    }
    #expect(HilbertCurve.children(of: MapTile(zoom: 24, x: 0, y: 0)!) == nil)
  }
}

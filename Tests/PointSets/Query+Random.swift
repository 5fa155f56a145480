@_spi(Server) import Treeline

extension Query {
  /// Returns a random query whose numbers are valid in a command line and in a URL. So the query can be written as a
  /// `Query`, as options and as a URL.
  public static func random(_ random: inout SplitMix64) -> Query {
    let pixels = random.index(below: 3) == 0 ? Double(random.index(below: 99)) : random.number(from: 0, to: 99)
    let limit = 1 + random.index(below: 5000)
    let unclustered = UnclusteredPoints(
      leastMembers: 2 + random.index(below: 9),
      fromZoom: random.index(below: 2) == 0 ? .infinity : random.number(from: 0, to: 32))
    let order = ExpansionOrder.allCases[random.index(below: ExpansionOrder.allCases.count)]
    let criterion = PixelCriterion.allCases[random.index(below: PixelCriterion.allCases.count)]
    let cut: Cut =
      switch random.index(below: 5) {
      case 0: .limit(limit, order: order).unclustered(unclustered)
      case 1: .limit(limit, order: order, continuity: .continuing)
      case 2: Cut(criterion, pixels: pixels).unclustered(unclustered)
      case 3: Cut(criterion, pixels: pixels).atMost(limit).unclustered(unclustered)
      default: Cut(criterion, pixels: pixels)
      }
    let size = (random.number(from: 1, to: 4000), Double(1 + random.index(below: 4000)))
    let tileSize = Viewport.TileSize.allCases[random.index(below: 2)]
    let margin = random.index(below: 2) == 0 ? 0 : random.number(from: 0, to: 99)
    let zoom = random.number(from: 0, to: 32)
    let box = BoundingBox(
      west: random.number(from: -180, to: 180), south: random.number(from: -90, to: 0),
      east: random.number(from: -180, to: 180), north: random.number(from: 0, to: 90))
    let viewport: Viewport =
      switch random.index(below: 5) {
      case 0: .everything(zoom: zoom, tileSize: tileSize)
      case 1: Viewport(box, zoom: zoom, tileSize: tileSize, margin: margin)
      case 2: Viewport(box, width: size.0, height: size.1, margin: margin)
      case 3:
        Viewport(
          center: Coordinate(longitude: box.west, latitude: box.south), zoom: zoom, width: size.0, height: size.1,
          tileSize: tileSize, margin: margin)
      default:
        Viewport(
          tile: MapTile(zoom: 5, x: random.index(below: 32), y: random.index(below: 32))!, tileSize: tileSize,
          margin: margin)
      }
    return Query(cut, in: viewport)
  }
}
